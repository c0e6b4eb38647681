import { z } from 'zod';
import { decodeBase64 } from '../base/base64.ts';
import { ApiError } from '../errors.ts';

/** A binary field on the wire. Its base64 is checked by {@link decodeField}, after the key has been found. */
export const binary = z.string().meta({ format: 'byte', contentEncoding: 'base64' });

/** `aad` on the wire: absent, null and empty all mean none. */
export const optionalBinary = binary.nullish();

/** The bytes of a binary field. Throws `invalid_base64`, naming the field. */
export function decodeField(name: string, text: string): Buffer {
  const bytes = decodeBase64(text);
  if (bytes === undefined) throw new ApiError('invalid_base64', `${name} is not standard base64 with padding`);
  return bytes;
}

/** The bytes of the optional `aad`: none where it is absent, null or empty. */
export function decodeAad(text: string | null | undefined): Buffer {
  return decodeField('aad', text ?? '');
}
