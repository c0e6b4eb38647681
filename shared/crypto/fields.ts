import { z } from 'zod';
import { decodeBase64 } from '../base/base64.ts';
import { ApiError } from '../errors.ts';

/** A base64 field; {@link decodeField} validates it, after the key has been found. */
export const binary = z.string().meta({ format: 'byte', contentEncoding: 'base64' });

export const optionalBinary = binary.nullish();

/** Throws `invalid_base64`, naming the field. */
export function decodeField(name: string, text: string): Buffer {
  const bytes = decodeBase64(text);
  if (bytes === undefined) throw new ApiError('invalid_base64', `${name} is not standard base64 with padding`);
  return bytes;
}

export function decodeAad(text: string | null | undefined, name = 'aad'): Buffer {
  return decodeField(name, text ?? '');
}
