import { armor } from './armor.ts';
import type { ByteReader } from './byte-reader.ts';
import { type ByteTransform, byteTransform } from './byte-transform.ts';
import { random } from './bytes.ts';
import { encodeHeader } from './header.ts';
import type { KeyService } from './key-service.ts';
import { sealPayload } from './payload.ts';
import { type FileOptions, wrapFileKey } from './service-stanza.ts';

const FILE_KEY_LENGTH = 16;

/** How a file is encrypted. */
export interface EncryptOptions extends FileOptions {
  /** Whether the file is text (ASCII armor), a third longer, instead of bytes. */
  readonly armor?: boolean | undefined;
}

/**
 * Encrypts a file of any size, in constant memory, for `source.pipeThrough(encryptStream(service, keyId))`. What comes
 * out is an age file (age-encryption.org/v1) whose file key, a fresh one, the service has wrapped: one operation. It is
 * made when the first bytes are read, before which nothing comes out.
 *
 * The streams fail as `wrap` does, and where `keyId` is no UUID with a TypeError.
 */
export function encryptStream(service: KeyService, keyId: string, options: EncryptOptions = {}): ByteTransform {
  return byteTransform((input) => {
    const file = encrypt(service, keyId, options, input);
    return options.armor === true ? armor(file) : file;
  });
}

async function* encrypt(
  service: KeyService,
  keyId: string,
  options: EncryptOptions,
  input: ByteReader,
): AsyncGenerator<Uint8Array> {
  const fileKey = random(FILE_KEY_LENGTH);
  yield await encodeHeader(fileKey, [await wrapFileKey(service, keyId, fileKey, options)]);
  yield* sealPayload(fileKey, input);
}
