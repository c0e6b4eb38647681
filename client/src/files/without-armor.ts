import { isArmored, unarmor } from './armor.ts';
import { ByteReader } from './byte-reader.ts';
import { byteStream } from './byte-transform.ts';

/** The bytes of an age file, out of their armor where they are in one, and whether they are. */
export async function withoutArmor(input: ByteReader): Promise<{ bytes: ByteReader; isArmored: boolean }> {
  if (!(await isArmored(input))) return { bytes: input, isArmored: false };
  return { bytes: new ByteReader(byteStream(unarmor(input), input)), isArmored: true };
}
