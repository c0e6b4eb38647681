import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
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
import { makeSigner, type Signer } from './a-log.ts';

/** The example in C2SP tlog-checkpoint. */
const ROOT = 'CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=';
const CHECKPOINT = { origin: 'example.com/behind-the-sofa', size: 20852163, root: ROOT };
const TEXT = `example.com/behind-the-sofa\n20852163\n${ROOT}\n`;

test('a checkpoint has three lines, as in the example of C2SP tlog-checkpoint', () => {
  expect(formatCheckpoint(CHECKPOINT)).toBe(TEXT);
  expect(parseCheckpoint(TEXT)).toEqual(CHECKPOINT);
});

test('a tree head as Go writes it (sumdb/tlog) is read as a checkpoint', () => {
  const root = 'TszzRgjTG6xce+z2AG31kAXYKBgQVtCSCE40HmuwBb0=';
  const checkpoint = { origin: 'go.sum database tree', size: 123456789012, root };
  expect(parseCheckpoint(`go.sum database tree\n123456789012\n${root}\n`)).toEqual(checkpoint);
});

test('a checkpoint is read back as it was written, whatever its size and root', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.uint8Array({ minLength: 32, maxLength: 32 }), (size, bytes) => {
      const checkpoint = { origin: 'a', size, root: encodeHash(bytes) };
      expect(parseCheckpoint(formatCheckpoint(checkpoint))).toEqual(checkpoint);
    }),
  );
});

test('extra lines at the end of a checkpoint are skipped', () => {
  expect(parseCheckpoint(`${TEXT}one\ntwo\n`)).toEqual(CHECKPOINT);
});

test.each([
  ...['', '\n\n\n', TEXT.replace('example.com/behind-the-sofa', ''), `a\n1\n`, TEXT.slice(0, -1), `${TEXT}one`],
  ...[TEXT.replace('20852163', '020852163'), TEXT.replace('20852163', ''), TEXT.replace('20852163', '-1')],
  ...[TEXT.replace('20852163', '+1'), TEXT.replace('20852163', '0x1'), TEXT.replace('20852163', '1e3')],
  ...[TEXT.replace('20852163', ' 1'), TEXT.replace('20852163', '9007199254740992')],
  ...[TEXT.replace('2I=', '2IAA'), TEXT.replace('2I=', '2I'), `${TEXT}\n`, `${TEXT}one\n\ntwo\n`],
])('a malformed checkpoint is refused: %j', (text) => {
  expect(parseCheckpoint(text)).toBeUndefined();
});

const { key, sign } = makeSigner('example.com/log');
const text = formatCheckpoint({ origin: 'example.com/log', size: 1, root: ROOT });

test('a signed checkpoint is accepted with the key of its log', async () => {
  const note = await signNote(text, key, sign);
  expect(openCheckpoint(note, key)).toEqual({ checkpoint: { origin: 'example.com/log', size: 1, root: ROOT } });
});

test('a signed checkpoint is refused for the same reasons as a note', async () => {
  const note = await signNote(text, key, sign);
  expect(openCheckpoint(note, makeSigner('example.com/log').key)).toEqual({ refused: 'not signed by this key' });
  expect(openCheckpoint(note.replace('\n1\n', '\n2\n'), key)).toEqual({ refused: 'invalid signature' });
  expect(openCheckpoint(text, key)).toEqual({ refused: 'malformed' });
});

test('a signed text that is not a checkpoint is refused', async () => {
  expect(openCheckpoint(await signNote('example.com/log\n', key, sign), key)).toEqual({ refused: 'malformed' });
});

test('a checkpoint of another log with the same public key is refused, even if the signature has this log’s name', async () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const [mine, theirs] = [makeSigner('example.com/mine', privateKey), makeSigner('example.com/theirs', privateKey)];
  const theirText = formatCheckpoint({ origin: 'example.com/theirs', size: 1, root: ROOT });
  const note = await signNote(theirText, theirs.key, theirs.sign);
  expect(openCheckpoint(note, mine.key)).toEqual({ refused: 'not signed by this key' });
  const renamed = await signNote(theirText, mine.key, mine.sign);
  expect(openCheckpoint(renamed, mine.key)).toEqual({ refused: 'from another log' });
});

const rootOfLeaf = (text: string) => encodeHash(hashLeaf(Buffer.from(text)));
const [A, B] = [rootOfLeaf('a'), rootOfLeaf('b')];
const LOG = 'example.com/log';
const RESTORATION: Restoration = { log: LOG, lost: { size: 9, root: A }, from: { size: 4, root: B }, number: 1 };
const STATEMENT = `${LOG}/restored\n9 ${A}\n4 ${B}\n1\n`;

/** Signs a text as the signer’s log signs its restoration statements. */
const signed = (text: string, { key, sign }: Signer) => signNote(text, restorationKey(key), sign);

test('a restoration statement has the log’s name, the size and root before and after the loss, and a number', () => {
  expect(formatRestoration(RESTORATION)).toBe(STATEMENT);
  expect(parseRestoration(STATEMENT)).toEqual(RESTORATION);
  const nothingLeft = { ...RESTORATION, from: { size: 0, root: B } };
  expect(parseRestoration(formatRestoration(nothingLeft))).toEqual(nothingLeft);
});

test.for([
  ['with another name', STATEMENT.replace('/restored', '')],
  ['with an additional line', `${STATEMENT}more\n`],
  ['with a missing line', `${LOG}/restored\n9 ${A}\n4 ${B}\n`],
  ['without its last line feed', STATEMENT.slice(0, -1)],
  ['that reports no lost entries', STATEMENT.replace('\n9 ', '\n4 ')],
  ['that reports more remaining entries than the log had', STATEMENT.replace('\n4 ', '\n10 ')],
  ['with the number 0', STATEMENT.replace(/\n1\n$/, '\n0\n')],
  ['with a leading zero in a size', STATEMENT.replace('\n4 ', '\n04 ')],
  ['with a size above the largest safe integer', STATEMENT.replace('\n9 ', '\n99999999999999999999 ')],
  ['with a malformed root', STATEMENT.replace(B, 'AAAA')],
] as const)('a restoration statement %s is invalid', ([, text]) => {
  expect(parseRestoration(text)).toBeUndefined();
});

test('a restoration statement is trusted if the log’s key has signed the statement', async () => {
  const signer = makeSigner(LOG);
  expect(openRestoration(await signed(STATEMENT, signer), signer.key)).toEqual({ restoration: RESTORATION });
});

test('a restoration statement is refused if it was altered, signed by another key, or made for another log', async () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const signer = makeSigner(LOG, privateKey);
  const message = await signed(STATEMENT, signer);
  expect(openRestoration(message.replace('\n4 ', '\n5 '), signer.key)).toEqual({ refused: 'invalid signature' });
  expect(openRestoration(await signed(STATEMENT, makeSigner(LOG)), signer.key)).toEqual({
    refused: 'not signed by this key',
  });
  const other = makeSigner('example.com/other', privateKey);
  const theirs = await signed(formatRestoration({ ...RESTORATION, log: other.key.name }), other);
  expect(openRestoration(theirs, signer.key)).toEqual({ refused: 'not signed by this key' });
  const forOtherLog = await signed(formatRestoration({ ...RESTORATION, log: other.key.name }), signer);
  expect(openRestoration(forOtherLog, signer.key)).toEqual({ refused: 'from another log' });
  expect(openRestoration('', signer.key)).toEqual({ refused: 'malformed' });
});

const SIGNED_CHECKPOINT = formatCheckpoint({ origin: LOG, size: 9, root: A });

test('no text is both a restoration statement and a checkpoint, whatever the log’s name', () => {
  expect(parseCheckpoint(STATEMENT)).toBeUndefined();
  expect(parseRestoration(SIGNED_CHECKPOINT)).toBeUndefined();
  expect(parseRestoration(formatCheckpoint({ origin: `${LOG}/restored`, size: 9, root: A }))).toBeUndefined();
});

test('a restoration statement is never accepted as a checkpoint or vice versa, whichever key name it is signed with', async () => {
  const signer = makeSigner(LOG);
  const { key, sign } = signer;
  for (const name of [key, restorationKey(key)]) {
    expect(openCheckpoint(await signNote(STATEMENT, name, sign), key)).toHaveProperty('refused');
    expect(openRestoration(await signNote(SIGNED_CHECKPOINT, name, sign), key)).toHaveProperty('refused');
  }
});
