/** Replaces control characters and marks of text direction with `�`, because they could disguise the text. */
export function oneLine(text: string): string {
  const lines = text.split(/[\r\n]+/).map((line) => line.trim());
  return lines.join(' ').replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
}
