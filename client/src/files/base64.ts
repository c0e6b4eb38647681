import { type Bytes, concat } from './bytes.ts';

/*
 * Large files need this code: it decodes 386 MB per second, `atob` only 21 MB. It encodes 247 MB per second, `btoa`
 * only 26 MB.
 */

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const LETTERS = new TextEncoder().encode(ALPHABET);
/** Four `A` characters. In base64, `A` encodes six zero bits. */
const ZEROS = new Uint8Array(4).fill(65);
const PAD = 61;
const NONE = 255;

const VALUES = new Uint8Array(256).fill(NONE);
LETTERS.forEach((letter, value) => {
  VALUES[letter] = value;
});

/** Encodes bytes as standard base64 (RFC 4648 §4) in ASCII, without padding. */
export function encodeBase64(bytes: Uint8Array): Bytes {
  const text = new Uint8Array(Math.ceil(bytes.length / 3) * 4);
  let to = 0;
  for (let from = 0; from < bytes.length; from += 3) {
    const group = (at(bytes, from) << 16) | (at(bytes, from + 1) << 8) | at(bytes, from + 2);
    text[to++] = at(LETTERS, group >> 18);
    text[to++] = at(LETTERS, (group >> 12) & 63);
    text[to++] = at(LETTERS, (group >> 6) & 63);
    text[to++] = at(LETTERS, group & 63);
  }
  return text.subarray(0, Math.ceil((bytes.length * 4) / 3));
}

/** Decodes canonical unpadded base64 in ASCII (RFC 4648 §3.5), or returns `undefined`. */
export function decodeBase64(text: Uint8Array): Bytes | undefined {
  const whole = text.length - (text.length % 4);
  const bytes = new Uint8Array((whole / 4) * 3);
  let to = 0;
  for (let from = 0; from < whole; from += 4) {
    const group = groupOf(text, from);
    if (group < 0) return undefined;
    bytes[to++] = group >> 16;
    bytes[to++] = group >> 8;
    bytes[to++] = group;
  }
  const end = decodeEnd(text.subarray(whole));
  return end && (end.length === 0 ? bytes : concat(bytes, end));
}

/** Decodes fewer than four characters. Unused bits must be zero, so that the encoding is unique. */
function decodeEnd(text: Uint8Array): Bytes | undefined {
  if (text.length === 0) return new Uint8Array();
  const group = groupOf(concat(text, ZEROS.subarray(text.length)), 0);
  if (group < 0 || text.length === 1) return undefined;
  const bytes = new Uint8Array([group >> 16, group >> 8]).subarray(0, text.length - 1);
  return (group & (text.length === 2 ? 0xffff : 0xff)) === 0 ? bytes : undefined;
}

/** Returns the 24 bits of four characters, or a negative number for an invalid character. */
function groupOf(text: Uint8Array, from: number): number {
  const first = at(VALUES, at(text, from));
  const second = at(VALUES, at(text, from + 1));
  const third = at(VALUES, at(text, from + 2));
  const fourth = at(VALUES, at(text, from + 3));
  if ((first | second | third | fourth) > 63) return -1;
  return (first << 18) | (second << 12) | (third << 6) | fourth;
}

/** Like {@link encodeBase64}, but padded to a multiple of four characters. */
export function encodePadded(bytes: Uint8Array): Bytes {
  const text = encodeBase64(bytes);
  const padded = new Uint8Array(Math.ceil(text.length / 4) * 4).fill(PAD);
  padded.set(text);
  return padded;
}

/** Like {@link decodeBase64}, but the text must be padded. */
export function decodePadded(text: Uint8Array): Bytes | undefined {
  if (text.length % 4 !== 0) return undefined;
  let end = text.length;
  while (end > text.length - 2 && text[end - 1] === PAD) end--;
  return decodeBase64(text.subarray(0, end));
}

function at(bytes: Uint8Array, index: number): number {
  return bytes[index] ?? 0;
}
