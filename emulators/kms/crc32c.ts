// The Castagnoli polynomial, with its bits reversed (RFC 3720 §12.1).
const POLYNOMIAL = 0x82f63b78;
const SLICES = 8;

// The tables for the algorithm slicing-by-8. TABLE[slice * 256 + byte] is the remainder of the byte followed by `slice`
// zero bytes. The algorithm looks up eight bytes independently, which is several times faster than one byte at a time.
const TABLE = new Uint32Array(SLICES * 256);
for (let byte = 0; byte < 256; byte++) {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit++) remainder = remainder & 1 ? (remainder >>> 1) ^ POLYNOMIAL : remainder >>> 1;
  TABLE[byte] = remainder;
}
for (let index = 256; index < TABLE.length; index++) {
  const shorter = TABLE[index - 256] ?? 0;
  TABLE[index] = (shorter >>> 8) ^ (TABLE[shorter & 0xff] ?? 0);
}

function lookUp(slice: number, byte: number): number {
  return TABLE[slice * 256 + (byte & 0xff)] ?? 0;
}

/** Returns the CRC32C of the bytes as an unsigned 32-bit number (RFC 3720 §12.1 and B.4). */
export function crc32c(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let remainder = 0xffffffff;
  let offset = 0;
  for (; offset + SLICES <= bytes.length; offset += SLICES) {
    const low = view.getUint32(offset, true) ^ remainder;
    const high = view.getUint32(offset + 4, true);
    remainder =
      lookUp(7, low) ^
      lookUp(6, low >>> 8) ^
      lookUp(5, low >>> 16) ^
      lookUp(4, low >>> 24) ^
      lookUp(3, high) ^
      lookUp(2, high >>> 8) ^
      lookUp(1, high >>> 16) ^
      lookUp(0, high >>> 24);
  }
  for (; offset < bytes.length; offset++) remainder = (remainder >>> 8) ^ lookUp(0, remainder ^ view.getUint8(offset));
  return (remainder ^ 0xffffffff) >>> 0;
}
