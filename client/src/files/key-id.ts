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

export function keyIdOfBytes(bytes: Uint8Array): string {
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
