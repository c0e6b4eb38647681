import { withoutArmor } from './armor.ts';
import { ByteReader } from './byte-reader.ts';
import { readHeader } from './header.ts';
import { keyIdsOf } from './service-stanza.ts';

export interface FileInfo {
  /** The ids of the service's keys that can decrypt the file. May be empty. */
  readonly keyIds: readonly string[];
  readonly isArmored: boolean;
}

/**
 * Reads the header of a file without calling the service, and cancels the stream.
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
