import { armor, withoutArmor } from './armor.ts';
import type { ByteReader } from './byte-reader.ts';
import { type ByteTransform, byteTransform } from './byte-transform.ts';
import { checkHeader, encodeHeader, readHeader } from './header.ts';
import type { KeyService } from './key-service.ts';
import { copyOptions, type FileOptions, isServiceStanza, rewrapStanza, unwrapFileKey } from './service-stanza.ts';
import type { Stanza } from './stanza.ts';

/**
 * Rewraps a file with the current version of its key, for example after a rotation. Only the header changes. The
 * payload is copied without being decrypted or checked, an armored file stays armored, and stanzas for other recipients
 * are kept. Each file needs one `unwrap`, and one `rewrap` for each stanza of the service.
 *
 * The streams fail with a `FormatError`, or with the errors of `unwrap` and `rewrap`. In that case there is no output.
 * They fail with `aborted` once the signal is aborted, and with a `TypeError` if a chunk is not bytes.
 */
export function rewrapHeader(service: KeyService, options: FileOptions = {}): ByteTransform {
  const own = copyOptions(options);
  return byteTransform(async function* (input) {
    const { bytes, isArmored } = await withoutArmor(input);
    const file = rewrap(service, own, bytes);
    yield* isArmored ? armor(file) : file;
  }, own.signal);
}

async function* rewrap(service: KeyService, options: FileOptions, input: ByteReader): AsyncGenerator<Uint8Array> {
  const header = await readHeader(input);
  const fileKey = await unwrapFileKey(service, header.stanzas, options);
  await checkHeader(fileKey, header);
  const stanzas: Stanza[] = [];
  for (const stanza of header.stanzas) {
    stanzas.push(isServiceStanza(stanza) ? await rewrapStanza(service, stanza, options) : stanza);
  }
  yield await encodeHeader(fileKey, stanzas);
  for (let some = await input.readSome(); some !== undefined; some = await input.readSome()) yield some;
}
