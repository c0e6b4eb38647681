import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { type KmsState, kmsState } from './model.ts';

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** The state in the file, or an empty one when there is no file. Throws when the file holds anything else. */
export const readStateFile = async (file: string): Promise<KmsState> => {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (text === undefined) return { keyRings: [], cryptoKeys: [] };
  try {
    return kmsState.parse(JSON.parse(text));
  } catch (cause) {
    throw new Error(`${file} does not hold the state of the KMS emulator`, { cause });
  }
};

/** Puts the state in the file: whole, or not at all, and on the disk once this resolves. */
export const writeStateFile = async (file: string, state: KmsState): Promise<void> => {
  const text = JSON.stringify(z.encode(kmsState, state));
  await mkdir(dirname(file), { recursive: true });
  const temporary = `${file}.tmp`;
  const handle = await open(temporary, 'w', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, file);
  // The new name is durable only once its directory is.
  const directory = await open(dirname(file), 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
};
