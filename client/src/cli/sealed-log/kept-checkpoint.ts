import { mkdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { type Checkpoint, parseCheckpoint } from '../../../../shared/transparency/checkpoint.ts';
import { parseNote } from '../../../../shared/transparency/note.ts';
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
  let message: string;
  try {
    message = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
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
