import { z } from 'zod';
import { ApiError } from '../../shared/errors.ts';
import type { Sealed } from '../../shared/keys/seal.ts';

/** The number says nothing that the value itself does not say, so that any is taken. */
const CIPHERTEXT = /^vault:v0*[1-9]\d*:/;

/** A ciphertext in a request; {@link readSealed} checks it, after the key has been found. */
export const ciphertextField = z
  .string()
  .meta({ pattern: CIPHERTEXT.source })
  .describe('In the form `vault:v<version>:<base64>`. The key version that encrypted it must be enabled.');

/** What a ciphertext is answered with. */
export const sealedAnswer = z.object({
  ciphertext: z.string().describe('In the form `vault:v<version>:<base64>`.'),
  key_version: z.int().describe('The version that encrypted it.'),
});

/** A ciphertext as Transit writes it. */
export function viewSealed({ ciphertext, version }: Sealed): z.output<typeof sealedAnswer> {
  return { ciphertext: `vault:v${version}:${ciphertext.toString('base64')}`, key_version: version };
}

/** The base64 in a ciphertext as Transit writes it. Throws `invalid_ciphertext` where it does not begin as one. */
export function readSealed(text: string): string {
  const [start] = CIPHERTEXT.exec(text) ?? [];
  if (start === undefined)
    throw new ApiError('invalid_ciphertext', 'ciphertext must have the form vault:v<number>:<base64>');
  return text.slice(start.length);
}
