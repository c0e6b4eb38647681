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

/** Signs a text as the signer’s log signs its restoration statements. */
const signed = (text: string, { key, sign }: Signer) => signNote(text, restorationKey(key), sign);

describe('the statement that a log was restored', () => {
  test('a restoration statement has the log’s name, the size and root before and after the loss, and a number', () => {
    expect(formatRestoration(RESTORATION)).toBe(TEXT);
    expect(parseRestoration(TEXT)).toEqual(RESTORATION);
    const nothingLeft = { ...RESTORATION, from: { size: 0, root: B } };
    expect(parseRestoration(formatRestoration(nothingLeft))).toEqual(nothingLeft);
  });

  test.for([
    ['with another name', TEXT.replace('/restored', '')],
    ['with an additional line', `${TEXT}more\n`],
    ['with a missing line', `${LOG}/restored\n9 ${A}\n4 ${B}\n`],
    ['without its last line feed', TEXT.slice(0, -1)],
    ['that reports no lost entries', TEXT.replace('\n9 ', '\n4 ')],
    ['that reports more remaining entries than the log had', TEXT.replace('\n4 ', '\n10 ')],
    ['with the number 0', TEXT.replace(/\n1\n$/, '\n0\n')],
    ['with a leading zero in a size', TEXT.replace('\n4 ', '\n04 ')],
    ['with a size above the largest safe integer', TEXT.replace('\n9 ', '\n99999999999999999999 ')],
    ['with a malformed root', TEXT.replace(B, 'AAAA')],
  ] as const)('a restoration statement %s is invalid', ([, text]) => {
    expect(parseRestoration(text)).toBeUndefined();
  });

  test('a restoration statement is trusted if the log’s key has signed the statement', async () => {
    const signer = makeSigner(LOG);
    expect(openRestoration(await signed(TEXT, signer), signer.key)).toEqual({ restoration: RESTORATION });
  });

  test('a restoration statement is refused if it was altered, signed by another key, or made for another log', async () => {
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
    const forOtherLog = await signed(formatRestoration({ ...RESTORATION, log: other.key.name }), signer);
    expect(openRestoration(forOtherLog, signer.key)).toEqual({ refused: 'from another log' });
    expect(openRestoration('', signer.key)).toEqual({ refused: 'malformed' });
  });
});

describe('a restoration statement and a checkpoint', () => {
  const CHECKPOINT = formatCheckpoint({ origin: LOG, size: 9, root: A });

  test('no text is both a restoration statement and a checkpoint, whatever the log’s name', () => {
    expect(parseCheckpoint(TEXT)).toBeUndefined();
    expect(parseRestoration(CHECKPOINT)).toBeUndefined();
    expect(parseRestoration(formatCheckpoint({ origin: `${LOG}/restored`, size: 9, root: A }))).toBeUndefined();
  });

  test('a restoration statement is never accepted as a checkpoint or vice versa, whichever key name it is signed with', async () => {
    const signer = makeSigner(LOG);
    const { key, sign } = signer;
    for (const name of [key, restorationKey(key)]) {
      expect(openCheckpoint(await signNote(TEXT, name, sign), key)).toHaveProperty('refused');
      expect(openRestoration(await signNote(CHECKPOINT, name, sign), key)).toHaveProperty('refused');
    }
  });
});
