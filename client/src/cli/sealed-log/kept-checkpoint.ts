import { mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Checkpoint, parseCheckpoint } from '../../../../shared/transparency/checkpoint.ts';
import { parseNote } from '../../../../shared/transparency/note.ts';
import { parseRestoration } from '../../../../shared/transparency/restoration.ts';
import { writeText } from '../atomic-file.ts';
import { userFolder } from '../environment.ts';
import { EXIT, Failure } from '../failure.ts';

export interface KeptCheckpoint {
  readonly message: string;
  readonly checkpoint: Checkpoint;
}

/** Returns the path of a tenant's checkpoint, in the folder of the profile. */
export function checkpointPath(url: string, tenantId: string, env: NodeJS.ProcessEnv = process.env): string {
  return join(userFolder('XDG_CONFIG_HOME', '.config', env), nameOf(url, tenantId));
}

/** Returns the path at which esk 1.0.0 kept the checkpoint, or `undefined` if the user has no home. */
export function earlierPath(url: string, tenantId: string, env: NodeJS.ProcessEnv = process.env): string | undefined {
  try {
    return join(userFolder('XDG_STATE_HOME', '.local/state', env), nameOf(url, tenantId));
  } catch {
    return undefined;
  }
}

function nameOf(url: string, tenantId: string): string {
  return join('checkpoints', encodeURIComponent(new URL(url).host), `${tenantId}.txt`);
}

/**
 * Returns the kept checkpoint, or the one at the earlier path, or `undefined` if there is no file. Throws a
 * {@link Failure} for a malformed file.
 */
export async function readCheckpoint(path: string, earlier?: string): Promise<KeptCheckpoint | undefined> {
  const message = await readIfThere(path);
  if (message === undefined) return earlier === undefined ? undefined : readCheckpoint(earlier);
  const checkpoint = parseCheckpoint(parseNote(message)?.text ?? '');
  if (checkpoint === undefined)
    throw new Failure(
      EXIT.local,
      'invalid_checkpoint',
      `${path} does not contain a valid checkpoint; restore it, or choose another file with --checkpoint`,
    );
  return { message, checkpoint };
}

/** Writes the file so that only its owner can read it. */
export async function writeCheckpoint(path: string, message: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeText(path, message, 0o600);
}

export function acknowledgedPath(checkpoint: string): string {
  return `${checkpoint}.acknowledged`;
}

/**
 * Returns the acknowledged statements about restores, oldest first, or those at the earlier path. Throws a
 * {@link Failure} for a malformed file.
 */
export async function readAcknowledged(path: string, earlier?: string): Promise<string[]> {
  const text = await readIfThere(path);
  if (text === undefined) return earlier === undefined ? [] : readAcknowledged(earlier);
  // A blank line separates two statements. The blank line before the signatures of a statement does not.
  const parts = text.split(/\n\n(?!— )/);
  const messages = parts.map((part, at) => (at + 1 < parts.length ? `${part}\n` : part));
  if (messages.some((message) => parseRestoration(parseNote(message)?.text ?? '') === undefined))
    throw new Failure(
      EXIT.local,
      'invalid_checkpoint',
      `${path} does not contain valid statements; recover the file, or remove it and acknowledge the restores again`,
    );
  return messages;
}

/** Writes the file so that only its owner can read it. */
export async function writeAcknowledged(path: string, statements: readonly string[]): Promise<void> {
  await writeCheckpoint(path, statements.join('\n'));
}

/** Removes the file at both paths: the next run would read the one that is left. */
export async function removeCheckpoint(path: string, earlier = path): Promise<void> {
  for (const one of [path, earlier]) await rm(one, { force: true });
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
