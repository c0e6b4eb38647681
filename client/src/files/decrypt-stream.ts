import type { ByteReader } from './byte-reader.ts';
import { type ByteTransform, byteTransform } from './byte-transform.ts';
import { checkHeader, readHeader } from './header.ts';
import type { KeyService } from './key-service.ts';
import { openPayload } from './payload.ts';
import { type FileOptions, unwrapFileKey } from './service-stanza.ts';
import { withoutArmor } from './without-armor.ts';

/**
 * Decrypts a file of {@link encryptStream} or of `age -r age1esk1…`, armored or not, of any size and in constant memory.
 * The header names the key. Each chunk of 64 KiB comes out when it is authenticated, and not before: a file that is
 * damaged further on gives its beginning, then an error. Whoever must have all or nothing keeps what came out aside
 * until the end.
 *
 * The streams fail with a FormatError, or as `unwrap` does.
 */
export function decryptStream(service: KeyService, options: FileOptions = {}): ByteTransform {
  return byteTransform((input) => decrypt(service, options, input));
}

async function* decrypt(service: KeyService, options: FileOptions, input: ByteReader): AsyncGenerator<Uint8Array> {
  const { bytes } = await withoutArmor(input);
  const header = await readHeader(bytes);
  const fileKey = await unwrapFileKey(service, header.stanzas, options);
  await checkHeader(fileKey, header);
  yield* openPayload(fileKey, bytes);
}
