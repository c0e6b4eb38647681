/** Bytes whose buffer is not shared with another thread, as Web Crypto takes them. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** All parts in one array, a copy. */
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

/** The text in UTF-8. */
export function utf8(text: string): Bytes {
  return encoder.encode(text);
}

/** Bytes from the platform's cryptographic random number generator. */
export function random(length: number): Bytes {
  return crypto.getRandomValues(new Uint8Array(length));
}

const decoder = new TextDecoder('latin1');

/** The text of ASCII bytes. Other bytes become characters outside ASCII, none is dropped. */
export function ascii(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}
