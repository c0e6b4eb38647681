const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/** Encodes bytes as lower-case base32 without padding (RFC 4648 §6). */
export function encodeBase32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let pending = 0;
  for (const byte of bytes) {
    pending = (pending << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET.charAt((pending >>> bits) & 31);
    }
    pending &= (1 << bits) - 1;
  }
  return bits > 0 ? text + ALPHABET.charAt((pending << (5 - bits)) & 31) : text;
}

/** Decodes canonical lower-case base32 without padding (RFC 4648 §6), or returns `undefined`. */
export function decodeBase32(text: string): Buffer | undefined {
  const bytes: number[] = [];
  let bits = 0;
  let pending = 0;
  for (const digit of text) {
    const value = ALPHABET.indexOf(digit);
    if (value < 0) return undefined;
    pending = (pending << 5) | value;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((pending >>> bits) & 0xff);
    }
    pending &= (1 << bits) - 1;
  }
  // The canonical encoding has no unnecessary character, and its unused bits are zero.
  return bits < 5 && pending === 0 ? Buffer.from(bytes) : undefined;
}
