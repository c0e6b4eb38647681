import type { Bytes } from './bytes.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function isKeyId(text: string): boolean {
  return UUID.test(text);
}

/** Returns the id in lower case. Throws a `TypeError` unless it is a UUID. */
export function readKeyId(text: string): string {
  const id = text.toLowerCase();
  if (!isKeyId(id)) throw new TypeError('keyId must be a UUID');
  return id;
}

export function bytesOfKeyId(id: string): Bytes {
  const digits = readKeyId(id).replaceAll('-', '');
  return new Uint8Array(Array.from({ length: 16 }, (_, at) => Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16)));
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
/** The bytes that follow a hyphen. */
const AFTER_HYPHEN = [4, 6, 8, 10];

export function keyIdOfBytes(bytes: Uint8Array): string {
  let id = '';
  for (const [at, byte] of bytes.entries()) id += AFTER_HYPHEN.includes(at) ? `-${HEX[byte]}` : HEX[byte];
  return id;
}
