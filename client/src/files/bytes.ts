/** Web Crypto requires bytes that are not shared with another thread. */
export type Bytes = Uint8Array<ArrayBuffer>;

export function concat(...parts: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const encoder = new TextEncoder();

export function utf8(text: string): Bytes {
  return encoder.encode(text);
}

export function random(length: number): Bytes {
  return crypto.getRandomValues(new Uint8Array(length));
}

const decoder = new TextDecoder('latin1');

/** Decodes ASCII. Each non-ASCII byte becomes another character, so no byte is lost. */
export function ascii(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}
