import { type NoteRefusal, openNote } from './note.ts';
import { decodeHash } from './tree.ts';
import type { VerifierKey } from './verifier-key.ts';

/** A log's signed state at `size` entries (C2SP tlog-checkpoint). */
export interface Checkpoint {
  /** The log's name, here always the name of the key that signs it. */
  readonly origin: string;
  readonly size: number;
  /** The root hash of the log's tree: 32 bytes in base64. */
  readonly root: string;
}

type CheckpointRefusal = NoteRefusal | 'from another log';

/** Returns the three lines of a checkpoint that are signed. */
export function formatCheckpoint({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${root}\n`;
}

/** Parses a checkpoint, or returns `undefined`. Ignores extension lines, which this service's logs do not have. */
export function parseCheckpoint(text: string): Checkpoint | undefined {
  const [last, ...lines] = text.split('\n').reverse();
  const [origin = '', digits = '', root = ''] = lines.reverse();
  if (last !== '' || lines.includes('')) return undefined;
  if (!/^(?:0|[1-9]\d*)$/.test(digits) || decodeHash(root) === undefined) return undefined;
  const size = Number(digits);
  return Number.isSafeInteger(size) ? { origin, size, root } : undefined;
}

/** Verifies a signed checkpoint. Also checks the log's name, because several logs may share one public key. */
export function openCheckpoint(
  message: string,
  key: VerifierKey,
): { checkpoint: Checkpoint } | { refused: CheckpointRefusal } {
  const opened = openNote(message, key);
  if ('refused' in opened) return opened;
  const checkpoint = parseCheckpoint(opened.text);
  if (checkpoint === undefined) return { refused: 'malformed' };
  return checkpoint.origin === key.name ? { checkpoint } : { refused: 'from another log' };
}
