import { armor } from './armor.ts';
import type { ByteReader } from './byte-reader.ts';
import { type ByteTransform, byteTransform } from './byte-transform.ts';
import { random } from './bytes.ts';
import { encodeHeader } from './header.ts';
import type { KeyService } from './key-service.ts';
import { sealPayload } from './payload.ts';
import { copyOptions, type FileOptions, wrapFileKey } from './service-stanza.ts';

const FILE_KEY_LENGTH = 16;

export interface EncryptOptions extends FileOptions {
  /** Whether to write text (ASCII armor) instead of binary data. The text is a third longer. */
  readonly armor?: boolean | undefined;
}

/**
 * Encrypts a file of any size in constant memory: `source.pipeThrough(encryptStream(service, keyId))`. The output is an
 * age file (age-encryption.org/v1). The service wraps a new file key, which counts as one operation.
 *
 * The streams fail with the errors of `wrap`, with `aborted` once the signal is aborted, or with a `TypeError` if
 * `keyId` is not a UUID or a chunk is not bytes.
 */
export function encryptStream(service: KeyService, keyId: string, options: EncryptOptions = {}): ByteTransform {
  const own = copyOptions(options);
  const isArmored = options.armor === true;
  return byteTransform((input) => {
    const file = encrypt(service, keyId, own, input);
    return isArmored ? armor(file) : file;
  }, own.signal);
}

async function* encrypt(
  service: KeyService,
  keyId: string,
  options: FileOptions,
  input: ByteReader,
): AsyncGenerator<Uint8Array> {
  const fileKey = random(FILE_KEY_LENGTH);
  yield await encodeHeader(fileKey, [await wrapFileKey(service, keyId, fileKey, options)]);
  yield* sealPayload(fileKey, input);
}
