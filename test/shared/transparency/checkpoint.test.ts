import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatCheckpoint, openCheckpoint, parseCheckpoint } from '../../../shared/transparency/checkpoint.ts';
import { signNote } from '../../../shared/transparency/note.ts';
import { encodeHash } from '../../../shared/transparency/tree.ts';
import { makeSigner } from './notes.ts';

/** The example of C2SP tlog-checkpoint. */
const ROOT = 'CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=';
const CHECKPOINT = { origin: 'example.com/behind-the-sofa', size: 20852163, root: ROOT };
const TEXT = `example.com/behind-the-sofa\n20852163\n${ROOT}\n`;

describe('a checkpoint', () => {
  test('is the three lines of the example of C2SP tlog-checkpoint', () => {
    expect(formatCheckpoint(CHECKPOINT)).toBe(TEXT);
    expect(parseCheckpoint(TEXT)).toEqual(CHECKPOINT);
  });

  test('is read as Go writes a tree head (sumdb/tlog)', () => {
    const root = 'TszzRgjTG6xce+z2AG31kAXYKBgQVtCSCE40HmuwBb0=';
    const checkpoint = { origin: 'go.sum database tree', size: 123456789012, root };
    expect(parseCheckpoint(`go.sum database tree\n123456789012\n${root}\n`)).toEqual(checkpoint);
  });

  test('is read as it was written, whatever its size and root', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.uint8Array({ minLength: 32, maxLength: 32 }), (size, bytes) => {
        const checkpoint = { origin: 'a', size, root: encodeHash(bytes) };
        expect(parseCheckpoint(formatCheckpoint(checkpoint))).toEqual(checkpoint);
      }),
    );
  });

  test('may have further lines, which are skipped', () => {
    expect(parseCheckpoint(`${TEXT}one\ntwo\n`)).toEqual(CHECKPOINT);
  });

  test.each([
    ['nothing', ''],
    ['empty lines', '\n\n\n'],
    ['no origin', TEXT.replace('example.com/behind-the-sofa', '')],
    ['two lines', `a\n1\n`],
    ['no line feed at the end', TEXT.slice(0, -1)],
    ['a further line without a line feed', `${TEXT}one`],
    ['a size with a leading zero', TEXT.replace('20852163', '020852163')],
    ['no size', TEXT.replace('20852163', '')],
    ['a negative size', TEXT.replace('20852163', '-1')],
    ['a size with a sign', TEXT.replace('20852163', '+1')],
    ['a size in hex', TEXT.replace('20852163', '0x1')],
    ['a size with an exponent', TEXT.replace('20852163', '1e3')],
    ['a size with a space', TEXT.replace('20852163', ' 1')],
    ['a size past what a number holds', TEXT.replace('20852163', '9007199254740992')],
    ['a root of another length', TEXT.replace('2I=', '2IAA')],
    ['a root without padding', TEXT.replace('2I=', '2I')],
    ['an empty line at the end', `${TEXT}\n`],
    ['an empty line between further ones', `${TEXT}one\n\ntwo\n`],
  ])('is not read from %s', (_, text) => {
    expect(parseCheckpoint(text)).toBeUndefined();
  });
});

describe('a signed checkpoint', () => {
  const { key, sign } = makeSigner('example.com/log');
  const text = formatCheckpoint({ origin: 'example.com/log', size: 1, root: ROOT });

  test('is opened with the key of its log', async () => {
    const note = await signNote(text, key, sign);
    expect(openCheckpoint(note, key)).toEqual({ checkpoint: { origin: 'example.com/log', size: 1, root: ROOT } });
  });

  test('is refused as its note is', async () => {
    const note = await signNote(text, key, sign);
    expect(openCheckpoint(note, makeSigner('example.com/log').key)).toEqual({ refused: 'not signed by this key' });
    expect(openCheckpoint(note.replace('\n1\n', '\n2\n'), key)).toEqual({ refused: 'invalid signature' });
    expect(openCheckpoint(text, key)).toEqual({ refused: 'malformed' });
  });

  test('is refused when what was signed is no checkpoint', async () => {
    expect(openCheckpoint(await signNote('example.com/log\n', key, sign), key)).toEqual({ refused: 'malformed' });
  });

  test('of another log signed with the same public key is refused, also under the name of this one', async () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const [mine, theirs] = [makeSigner('example.com/mine', privateKey), makeSigner('example.com/theirs', privateKey)];
    const theirText = formatCheckpoint({ origin: 'example.com/theirs', size: 1, root: ROOT });
    const note = await signNote(theirText, theirs.key, theirs.sign);
    expect(openCheckpoint(note, mine.key)).toEqual({ refused: 'not signed by this key' });
    const renamed = await signNote(theirText, mine.key, mine.sign);
    expect(openCheckpoint(renamed, mine.key)).toEqual({ refused: 'from another log' });
  });
});
