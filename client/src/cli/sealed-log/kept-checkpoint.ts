import { mkdir, readFile, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { type Checkpoint, parseCheckpoint } from '../../../../shared/transparency/checkpoint.ts';
import { parseNote } from '../../../../shared/transparency/note.ts';
import { parseRestoration } from '../../../../shared/transparency/restoration.ts';
import { writeText } from '../atomic-file.ts';
import { EXIT, Failure } from '../failure.ts';

/** A checkpoint that was kept: as it was signed, and what it says. */
export interface KeptCheckpoint {
  readonly message: string;
  readonly checkpoint: Checkpoint;
}

/** Where the checkpoint of a tenant's log is kept, as the XDG base directory specification has it: by service and tenant. */
export function checkpointPath(url: string, tenantId: string, env: NodeJS.ProcessEnv = process.env): string {
  const stateHome = env.XDG_STATE_HOME;
  const base = stateHome && isAbsolute(stateHome) ? stateHome : join(homedir(), '.local/state');
  return join(base, 'esk', 'checkpoints', encodeURIComponent(new URL(url).host), `${tenantId}.txt`);
}

/** The checkpoint in that file, or `undefined` where there is no file. Throws a {@link Failure} for a file that holds none. */
export async function readCheckpoint(path: string): Promise<KeptCheckpoint | undefined> {
  const message = await readIfThere(path);
  if (message === undefined) return undefined;
  const checkpoint = parseCheckpoint(parseNote(message)?.text ?? '');
  if (checkpoint === undefined)
    throw new Failure(
      EXIT.local,
      'invalid_checkpoint',
      `${path} does not contain a valid checkpoint; restore it, or choose another file with --checkpoint`,
    );
  return { message, checkpoint };
}

/** Keeps a checkpoint in that file, readable to its owner alone. */
export async function writeCheckpoint(path: string, message: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeText(path, message, 0o600);
}

/** Where the statements of restores are kept that were acknowledged: beside the checkpoint. */
export function acknowledgedPath(checkpoint: string): string {
  return `${checkpoint}.acknowledged`;
}

/**
 * The statements that were acknowledged, in that file: signed notes, oldest first, with an empty line after each but the last; none
 * where there is no file. Throws a {@link Failure} for a file that holds anything else.
 */
export async function readAcknowledged(path: string): Promise<string[]> {
  const text = await readIfThere(path);
  if (text === undefined) return [];
  const messages = text.split(/(?<=\n— [^\n]+\n)\n/);
  if (messages.some((message) => parseRestoration(parseNote(message)?.text ?? '') === undefined))
    throw new Failure(
      EXIT.local,
      'invalid_checkpoint',
      `${path} does not contain valid statements; restore it, or remove it to acknowledge them again`,
    );
  return messages;
}

/** Keeps the statements that were acknowledged, readable to their owner alone. */
export async function writeAcknowledged(path: string, statements: readonly string[]): Promise<void> {
  await writeCheckpoint(path, statements.join('\n'));
}

/** Forgets the checkpoint of a log of which nothing is left. */
export async function removeCheckpoint(path: string): Promise<void> {
  await rm(path, { force: true });
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
