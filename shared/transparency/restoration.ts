import { type NoteRefusal, openNote } from './note.ts';
import { decodeHash } from './tree.ts';
import { makeVerifierKey, type VerifierKey } from './verifier-key.ts';

/** The state of a log: its number of entries, and the root hash of their tree in base64. */
export interface TreeHead {
  readonly size: number;
  readonly root: string;
}

/** A signed statement that the database was restored from a backup, and that the log lost entries. */
export interface Restoration {
  /** The name of the log's key. */
  readonly log: string;
  /** The log's last known signed state before the restore. */
  readonly lost: TreeHead;
  /** The state of the log after the restore. It is always smaller than `lost`. */
  readonly from: TreeHead;
  /** A number that is larger than in every earlier restoration of the log, so that all statements differ. */
  readonly number: number;
}

type RestorationRefusal = NoteRefusal | 'from another log';

/** The text that follows the log's name in statements and key names. */
const SUFFIX = '/restored';
const NUMBER = /^[1-9]\d*$/;
const TREE_HEAD = /^(0|[1-9]\d*) ([^ ]+)$/;

/** Returns the log's key under another name, so that no signature is valid for both a checkpoint and a statement. */
export function restorationKey({ name, publicKey }: VerifierKey): VerifierKey {
  return makeVerifierKey(`${name}${SUFFIX}`, publicKey);
}

/** Returns the four signed lines of a statement. Unlike in a checkpoint, the second line has a space. */
export function formatRestoration({ log, lost, from, number }: Restoration): string {
  return `${log}${SUFFIX}\n${lost.size} ${lost.root}\n${from.size} ${from.root}\n${number}\n`;
}

export function parseRestoration(text: string): Restoration | undefined {
  const [origin = '', first = '', second = '', digits = '', ...rest] = text.split('\n');
  const [lost, from] = [parseTreeHead(first), parseTreeHead(second)];
  if (!origin.endsWith(SUFFIX) || rest.length !== 1 || rest[0] !== '') return undefined;
  if (lost === undefined || from === undefined || from.size >= lost.size) return undefined;
  const number = Number(digits);
  if (!NUMBER.test(digits) || !Number.isSafeInteger(number)) return undefined;
  return { log: origin.slice(0, -SUFFIX.length), lost, from, number };
}

/** Returns the statement if `key`, the key of this log, has signed it. */
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

/** Whether the log may have had the state `other` before it lost the state `lost`. */
export function covers(lost: TreeHead, other: TreeHead): boolean {
  return lost.size > other.size || (lost.size === other.size && lost.root === other.root);
}

function parseTreeHead(line: string): TreeHead | undefined {
  const [, digits = '', root = ''] = TREE_HEAD.exec(line) ?? [];
  const size = Number(digits);
  return digits !== '' && Number.isSafeInteger(size) && decodeHash(root) !== undefined ? { size, root } : undefined;
}
