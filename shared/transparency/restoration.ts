import { type NoteRefusal, openNote } from './note.ts';
import { decodeHash } from './tree.ts';
import { makeVerifierKey, type VerifierKey } from './verifier-key.ts';

/** A log at one size: how many entries it had, and the root of their tree in base64. */
export interface TreeHead {
  readonly size: number;
  readonly root: string;
}

/** What a log says of itself after the database was restored from a backup. */
export interface Restoration {
  /** Which log it is: the name of its key. */
  readonly log: string;
  /** The last checkpoint that the log is known to have signed, and does not have any more. */
  readonly lost: TreeHead;
  /** The log that it goes on from: all that is left. Always smaller. */
  readonly from: TreeHead;
  /** Counts the restores, from 1: two restores of the same backup may have lost the same, and only one is acknowledged. */
  readonly branch: number;
}

/** Why a signed statement is not to be believed. */
export type RestorationRefusal = NoteRefusal | 'from another log';

/** What the names of statements and of their keys end with, after the name of the log. */
const SUFFIX = '/restored';
const TREE_HEAD = /^(0|[1-9]\d*) ([^ ]+)$/;
const BRANCH = /^[1-9]\d{0,8}$/;

/** The key that statements of a log are verified with: the log's own under another name, so that no signature is of both kinds. */
export function restorationKey({ name, publicKey }: VerifierKey): VerifierKey {
  return makeVerifierKey(`${name}${SUFFIX}`, publicKey);
}

/**
 * The text of the note that is signed: four lines. No checkpoint has this text: the second line of a checkpoint has only digits,
 * this one has a space.
 */
export function formatRestoration({ log, lost, from, branch }: Restoration): string {
  return `${log}${SUFFIX}\n${lost.size} ${lost.root}\n${from.size} ${from.root}\n${branch}\n`;
}

/** The statement that such a text is; `undefined` when it is none. */
export function parseRestoration(text: string): Restoration | undefined {
  const [origin = '', first = '', second = '', branch = '', ...rest] = text.split('\n');
  const [lost, from] = [parseTreeHead(first), parseTreeHead(second)];
  if (!origin.endsWith(SUFFIX) || !BRANCH.test(branch) || rest.length !== 1 || rest[0] !== '') return undefined;
  if (lost === undefined || from === undefined || from.size >= lost.size) return undefined;
  return { log: origin.slice(0, -SUFFIX.length), lost, from, branch: Number(branch) };
}

/** The statement that the log's key has signed for this log, or why there is none. `key` is the log's. */
export function openRestoration(
  message: string,
  key: VerifierKey,
): { restoration: Restoration } | { refused: RestorationRefusal } {
  const opened = openNote(message, restorationKey(key));
  if ('refused' in opened) return opened;
  const restoration = parseRestoration(opened.text);
  if (restoration === undefined) return { refused: 'malformed' };
  return restoration.log === key.name ? { restoration } : { refused: 'from another log' };
}

function parseTreeHead(line: string): TreeHead | undefined {
  const [, digits = '', root = ''] = TREE_HEAD.exec(line) ?? [];
  const size = Number(digits);
  return digits !== '' && Number.isSafeInteger(size) && decodeHash(root) !== undefined ? { size, root } : undefined;
}
