import { withoutArmor } from './armor.ts';
import type { ByteReader } from './byte-reader.ts';
import { type ByteTransform, byteTransform } from './byte-transform.ts';
import { checkHeader, readHeader } from './header.ts';
import type { KeyService } from './key-service.ts';
import { openPayload } from './payload.ts';
import { copyOptions, type FileOptions, unwrapFileKey } from './service-stanza.ts';

/**
 * Decrypts an age file of any size in constant memory, armored or not. The header contains the id of the key.
 *
 * Each chunk of 64 KiB is output only after it is authenticated. If a later chunk was altered, the stream outputs the
 * earlier chunks and then fails. If you need the whole file or nothing, do not use the output until the stream ends.
 *
 * The streams fail with a `FormatError`, with the errors of `unwrap`, with `aborted` once the signal is aborted, or with
 * a `TypeError` if a chunk is not bytes.
 */
export function decryptStream(service: KeyService, options: FileOptions = {}): ByteTransform {
  const own = copyOptions(options);
  return byteTransform((input) => decrypt(service, own, input), own.signal);
}

async function* decrypt(service: KeyService, options: FileOptions, input: ByteReader): AsyncGenerator<Uint8Array> {
  const { bytes } = await withoutArmor(input);
  const header = await readHeader(bytes);
  const fileKey = await unwrapFileKey(service, header.stanzas, options);
  await checkHeader(fileKey, header);
  yield* openPayload(fileKey, bytes);
}
