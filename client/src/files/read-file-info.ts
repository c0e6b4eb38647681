import { ByteReader } from './byte-reader.ts';
import { readHeader } from './header.ts';
import { keyIdsOf } from './service-stanza.ts';
import { withoutArmor } from './without-armor.ts';

/** What a file says of itself. Nothing of it is authenticated: that takes the file key. */
export interface FileInfo {
  /** The keys of the service that the file is encrypted for; empty where it is for none. */
  readonly keyIds: readonly string[];
  readonly isArmored: boolean;
}

/**
 * Reads the header of a file, without the service, and cancels the rest.
 *
 * @throws FormatError `invalid_header` or `invalid_armor`
 */
export async function readFileInfo(file: ReadableStream<Uint8Array>): Promise<FileInfo> {
  const input = new ByteReader(file);
  try {
    const { bytes, isArmored } = await withoutArmor(input);
    const { stanzas } = await readHeader(bytes);
    return { keyIds: keyIdsOf(stanzas), isArmored };
  } finally {
    await input.cancel(undefined);
  }
}
