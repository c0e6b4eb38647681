import { type NoteRefusal, openNote } from './note.ts';
import { decodeHash } from './tree.ts';
import type { VerifierKey } from './verifier-key.ts';

/** What a log says of itself when it has `size` entries (C2SP tlog-checkpoint). */
export interface Checkpoint {
  /** Which log it is; here always the name of the key that signs it. */
  readonly origin: string;
  readonly size: number;
  /** The root of its tree, base64 of 32 bytes. */
  readonly root: string;
}

/** Why a signed checkpoint is not to be believed. */
export type CheckpointRefusal = NoteRefusal | 'from another log';

/** The text of the note that is signed: three lines. */
export function formatCheckpoint({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${root}\n`;
}

/** The checkpoint that such a text is; `undefined` when it is none. Further lines, which none of ours has, are skipped. */
export function parseCheckpoint(text: string): Checkpoint | undefined {
  const [last, ...lines] = text.split('\n').reverse();
  const [origin = '', digits = '', root = ''] = lines.reverse();
  if (last !== '' || lines.includes('')) return undefined;
  if (!/^(?:0|[1-9]\d*)$/.test(digits) || decodeHash(root) === undefined) return undefined;
  const size = Number(digits);
  return Number.isSafeInteger(size) ? { origin, size, root } : undefined;
}

/**
 * The checkpoint that the key has signed for its own log, or why there is none. The origin is looked at, because many logs
 * may be signed with one public key: the signature of another one's checkpoint is then right under this key's name, too.
 */
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
