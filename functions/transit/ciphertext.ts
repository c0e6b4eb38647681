import { z } from 'zod';
import { optionalAad } from '../../shared/crypto/fields.ts';
import { ApiError } from '../../shared/errors.ts';
import type { Encrypted } from '../../shared/keys/cipher.ts';

/** Accepts any version number here, because the base64 part contains the version that counts. */
const CIPHERTEXT = /^vault:v0*[1-9]\d*:/;

/** Accepts any text. {@link readSealed} checks the text once the key has been found. */
export const ciphertextField = z
  .string()
  .meta({ pattern: CIPHERTEXT.source })
  .describe('In the form `vault:v<version>:<base64>`. The key version that encrypted it must be enabled.');

/** An answer that contains a ciphertext. */
export const encryptedAnswer = z.object({
  ciphertext: z.string().describe('In the form `vault:v<version>:<base64>`.'),
  key_version: z.int().describe('The key version that encrypted the value.'),
});

export const ENCRYPTED_EXAMPLE = {
  ciphertext: 'vault:v1:AQAAAAHq3m0v9pZbKk1sXo2rT7uVw8yzA4cD5eF6gH7iJ8kL9mN0',
  key_version: 1,
} as const;

/** Returns a ciphertext in Transit's format. */
export function viewEncrypted({ ciphertext, version }: Encrypted): z.output<typeof encryptedAnswer> {
  return { ciphertext: `vault:v${version}:${ciphertext.toString('base64')}`, key_version: version };
}

/** Returns base64 text without line breaks, which Vault's decoder skips (Go's https://pkg.go.dev/encoding/base64). */
export function withoutLineBreaks(text: string): string {
  return text.replace(/[\r\n]+/g, '');
}

/** The service's `aad`. */
export const associatedDataField = optionalAad.transform((text) => text && withoutLineBreaks(text));

/** Returns the base64 part. Throws `invalid_ciphertext` if the text is not in Transit's format. */
export function readSealed(text: string): string {
  const [start] = CIPHERTEXT.exec(text) ?? [];
  if (start === undefined)
    throw new ApiError('invalid_ciphertext', 'ciphertext must have the form vault:v<number>:<base64>');
  return withoutLineBreaks(text.slice(start.length));
}
