import { isArmored, unarmor } from './armor.ts';
import { ByteReader } from './byte-reader.ts';
import { byteStream } from './byte-transform.ts';

/** Removes the armor, if there is one. */
export async function withoutArmor(input: ByteReader): Promise<{ bytes: ByteReader; isArmored: boolean }> {
  if (!(await isArmored(input))) return { bytes: input, isArmored: false };
  return { bytes: new ByteReader(byteStream(unarmor(input), input)), isArmored: true };
}
