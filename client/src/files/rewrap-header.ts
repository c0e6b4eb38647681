import { armor } from './armor.ts';
import type { ByteReader } from './byte-reader.ts';
import { type ByteTransform, byteTransform } from './byte-transform.ts';
import { checkHeader, encodeHeader, readHeader } from './header.ts';
import type { KeyService } from './key-service.ts';
import { type FileOptions, isServiceStanza, rewrapStanza, unwrapFileKey } from './service-stanza.ts';
import type { Stanza } from './stanza.ts';
import { withoutArmor } from './without-armor.ts';

/**
 * Gives a file a new header, with its file key wrapped under the current version of the service's key, as is needed
 * after a rotation. The payload is copied and not opened, whatever is wrong with it; an armored file stays armored, and
 * stanzas that are not the service's stay as they are. Two operations for a file: `unwrap`, as the header's MAC takes
 * the file key, and `rewrap`, one for each stanza of the service.
 *
 * The streams fail with a FormatError, or as `unwrap` and `rewrap` do; nothing came out then.
 */
export function rewrapHeader(service: KeyService, options: FileOptions = {}): ByteTransform {
  return byteTransform(async function* (input) {
    const { bytes, isArmored } = await withoutArmor(input);
    const file = rewrap(service, options, bytes);
    yield* isArmored ? armor(file) : file;
  });
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
