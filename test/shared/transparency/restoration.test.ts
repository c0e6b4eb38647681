import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { formatCheckpoint, openCheckpoint, parseCheckpoint } from '../../../shared/transparency/checkpoint.ts';
import { signNote } from '../../../shared/transparency/note.ts';
import {
  formatRestoration,
  openRestoration,
  parseRestoration,
  type Restoration,
  restorationKey,
} from '../../../shared/transparency/restoration.ts';
import { encodeHash, hashLeaf } from '../../../shared/transparency/tree.ts';
import { makeSigner, type Signer } from './notes.ts';

const rootOf = (text: string) => encodeHash(hashLeaf(Buffer.from(text)));
const [A, B] = [rootOf('a'), rootOf('b')];
const LOG = 'example.com/log';
const RESTORATION: Restoration = { log: LOG, lost: { size: 9, root: A }, from: { size: 4, root: B }, number: 1 };
const TEXT = `${LOG}/restored\n9 ${A}\n4 ${B}\n1\n`;

/** A text, signed as a statement of the signer's log is. */
const signed = (text: string, { key, sign }: Signer) => signNote(text, restorationKey(key), sign);

describe('the statement that a log was restored', () => {
  test('is its name, and size and root of what was lost and of what is left, and a number', () => {
    expect(formatRestoration(RESTORATION)).toBe(TEXT);
    expect(parseRestoration(TEXT)).toEqual(RESTORATION);
    const nothingLeft = { ...RESTORATION, from: { size: 0, root: B } };
    expect(parseRestoration(formatRestoration(nothingLeft))).toEqual(nothingLeft);
  });

  test.for([
    ['of another name', TEXT.replace('/restored', '')],
    ['with a line more', `${TEXT}more\n`],
    ['with a line less', `${LOG}/restored\n9 ${A}\n4 ${B}\n`],
    ['without its last line feed', TEXT.slice(0, -1)],
    ['that lost nothing', TEXT.replace('\n9 ', '\n4 ')],
    ['that goes on from more than it had', TEXT.replace('\n4 ', '\n10 ')],
    ['without a number', TEXT.replace(/\n1\n$/, '\n0\n')],
    ['of a size with a zero before it', TEXT.replace('\n4 ', '\n04 ')],
    ['of a size that no number has', TEXT.replace('\n9 ', '\n99999999999999999999 ')],
    ['with a malformed root', TEXT.replace(B, 'AAAA')],
  ] as const)('is invalid %s', ([, text]) => {
    expect(parseRestoration(text)).toBeUndefined();
  });

  test('is believed when the log’s key has signed it', async () => {
    const signer = makeSigner(LOG);
    expect(openRestoration(await signed(TEXT, signer), signer.key)).toEqual({ restoration: RESTORATION });
  });

  test('is refused when it was altered, signed by another key, or is another log’s under the same public key', async () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const signer = makeSigner(LOG, privateKey);
    const message = await signed(TEXT, signer);
    expect(openRestoration(message.replace('\n4 ', '\n5 '), signer.key)).toEqual({ refused: 'invalid signature' });
    expect(openRestoration(await signed(TEXT, makeSigner(LOG)), signer.key)).toEqual({
      refused: 'not signed by this key',
    });
    const other = makeSigner('example.com/other', privateKey);
    const theirs = await signed(formatRestoration({ ...RESTORATION, log: other.key.name }), other);
    expect(openRestoration(theirs, signer.key)).toEqual({ refused: 'not signed by this key' });
    const inOurName = await signed(formatRestoration({ ...RESTORATION, log: other.key.name }), signer);
    expect(openRestoration(inOurName, signer.key)).toEqual({ refused: 'from another log' });
    expect(openRestoration('', signer.key)).toEqual({ refused: 'malformed' });
  });
});

describe('a statement and a checkpoint', () => {
  const CHECKPOINT = formatCheckpoint({ origin: LOG, size: 9, root: A });

  test('are never the same text, whatever the log is called', () => {
    expect(parseCheckpoint(TEXT)).toBeUndefined();
    expect(parseRestoration(CHECKPOINT)).toBeUndefined();
    expect(parseRestoration(formatCheckpoint({ origin: `${LOG}/restored`, size: 9, root: A }))).toBeUndefined();
  });

  test('cannot be confused, even under the other’s key name', async () => {
    const signer = makeSigner(LOG);
    const { key, sign } = signer;
    for (const name of [key, restorationKey(key)]) {
      expect(openCheckpoint(await signNote(TEXT, name, sign), key)).toHaveProperty('refused');
      expect(openRestoration(await signNote(CHECKPOINT, name, sign), key)).toHaveProperty('refused');
    }
  });
});
