import { z } from 'zod';
import { decodeBase64 } from '../base/base64.ts';
import { ApiError } from '../errors.ts';
import { AAD_BYTES, PLAINTEXT_BYTES } from './limits.ts';

export const binary = z.string().meta({ format: 'byte', contentEncoding: 'base64' });

/** Returns a base64 field's schema. The limit is only for the OpenAPI document: `decodeField` does not check it. */
export function binaryUpTo(bytes: number) {
  return binary.meta({ maxLength: 4 * Math.ceil(bytes / 3) });
}

export const plaintextField = binaryUpTo(PLAINTEXT_BYTES)
  .meta({ examples: ['SGVsbG8sIHdvcmxk'] })
  .describe('1 byte to 64 KiB before base64 encoding.');

export const optionalAad = binaryUpTo(AAD_BYTES.data_key)
  .nullish()
  .describe(
    'Additional authenticated data. Decryption needs the same value. Check the spelling: a misspelled field is ignored, and nothing is bound. At most 65,520 bytes for `software` and `hsm` keys, 65,536 bytes for others.',
  );

/** Decodes a base64 field. Throws `invalid_base64` with the field's name. */
export function decodeField(name: string, text: string): Buffer {
  const bytes = decodeBase64(text);
  if (bytes === undefined) throw new ApiError('invalid_base64', `${name} must be standard base64 with padding`);
  return bytes;
}

/** Decodes the aad. An absent, `null` or empty field means no aad. Throws `invalid_base64`. */
export function decodeAad(text: string | null | undefined, name = 'aad'): Buffer {
  return decodeField(name, text ?? '');
}
