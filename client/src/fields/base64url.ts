import { fromBase64, toBase64 } from '../api/base64.ts';
import type { Bytes } from '../files/bytes.ts';

/** Node's `Buffer`, which is several times faster, if this is Node. */
const { Buffer: buffer } = Object(globalThis);

/** Encodes base64url without padding (RFC 4648 §5). */
export function toBase64Url(bytes: Uint8Array): string {
  if (buffer !== undefined) return buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64url');
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Decodes base64url without padding. Returns `undefined` for any other text, also if only its last bits are wrong. */
export function fromBase64Url(text: string): Bytes | undefined {
  if (!/^[\w-]*$/.test(text) || text.length % 4 === 1) return undefined;
  const bytes = decode(text);
  const lastGroup = bytes.subarray(bytes.length - (bytes.length % 3));
  return text.endsWith(toBase64Url(lastGroup)) ? bytes : undefined;
}

function decode(text: string): Bytes {
  if (buffer === undefined) return fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = buffer.from(text, 'base64url');
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}
