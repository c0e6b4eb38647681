/** Decodes canonical base64 (RFC 4648 §4), or returns `undefined`. Much faster than a regular expression. */
export function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}
