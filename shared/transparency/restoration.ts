import { type NoteRefusal, openNote } from './note.ts';
import { decodeHash } from './tree.ts';
import { makeVerifierKey, type VerifierKey } from './verifier-key.ts';

/** A log at one size. The root is base64. */
export interface TreeHead {
  readonly size: number;
  readonly root: string;
}

/** A log's statement after the database was restored from a backup. */
export interface Restoration {
  /** The name of the log's key. */
  readonly log: string;
  /** The last checkpoint that the log is known to have signed, now lost. */
  readonly lost: TreeHead;
  /** The remaining log, always smaller. */
  readonly from: TreeHead;
  /** Larger than in every earlier restoration of the log, so that all statements differ. */
  readonly number: number;
}

export type RestorationRefusal = NoteRefusal | 'from another log';

/** The suffix of statement and key names, after the log's name. */
const SUFFIX = '/restored';
const NUMBER = /^[1-9]\d*$/;
const TREE_HEAD = /^(0|[1-9]\d*) ([^ ]+)$/;

/** The log's key under another name, so that a signature is valid for only one kind of note. */
export function restorationKey({ name, publicKey }: VerifierKey): VerifierKey {
  return makeVerifierKey(`${name}${SUFFIX}`, publicKey);
}

/** The four lines to sign. Unlike a checkpoint's, the second line has a space. */
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

/** Returns the statement if the log's key signed it for this log. `key` is the log's. */
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

/** Whether a log that lost `lost` may once have had `other`. */
export function covers(lost: TreeHead, other: TreeHead): boolean {
  return lost.size > other.size || (lost.size === other.size && lost.root === other.root);
}

function parseTreeHead(line: string): TreeHead | undefined {
  const [, digits = '', root = ''] = TREE_HEAD.exec(line) ?? [];
  const size = Number(digits);
  return digits !== '' && Number.isSafeInteger(size) && decodeHash(root) !== undefined ? { size, root } : undefined;
}
