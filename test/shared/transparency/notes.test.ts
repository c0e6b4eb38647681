import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatCheckpoint, openCheckpoint, parseCheckpoint } from '../../../shared/transparency/checkpoint.ts';
import { openNote, parseNote, signNote } from '../../../shared/transparency/note.ts';
import {
  formatRestoration,
  openRestoration,
  parseRestoration,
  type Restoration,
  restorationKey,
} from '../../../shared/transparency/restoration.ts';
import { encodeHash, hashLeaf } from '../../../shared/transparency/tree.ts';
import {
  formatVerifierKey,
  isKeyName,
  makeVerifierKey,
  parseVerifierKey,
  type VerifierKey,
} from '../../../shared/transparency/verifier-key.ts';
import { makeSigner, privateKeyOf, type Signer } from './a-log.ts';

const parseKey = (text: string): VerifierKey => parseVerifierKey(text) ?? makeVerifierKey('none', Buffer.alloc(32));

/** Keys, text and signatures from the tests of Go’s sumdb/note. */
const PETER = parseKey('PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW');
const ENOCH = parseKey('EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop');
const PETERS_SEED = Buffer.from('AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz', 'base64').subarray(1);
const TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
const PETERS =
  '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n';
const ENOCHS =
  '— EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=\n';

const malformed = { refused: 'malformed' };
const unsigned = { refused: 'not signed by this key' };
const wrong = { refused: 'invalid signature' };

test('the signature of the C2SP signed-note example verifies with its key', () => {
  const key = parseKey('example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k');
  const text = 'This is an example message.\n';
  const signature = 'Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=';
  expect(openNote(`${text}\n— example.com/foo ${signature}\n`, key)).toEqual({ text });
});

test('signing the text of the Go sumdb/note example returns the example’s bytes, and the example verifies with each of its keys', async () => {
  const peter = makeSigner('PeterNeumann', privateKeyOf(PETERS_SEED));
  expect(formatVerifierKey(peter.key)).toBe(formatVerifierKey(PETER));
  expect(await signNote(TEXT, PETER, peter.sign)).toBe(`${TEXT}\n${PETERS}`);
  for (const key of [PETER, ENOCH]) expect(openNote(`${TEXT}\n${PETERS}${ENOCHS}`, key)).toEqual({ text: TEXT });
});

test('a parsed note shows the names and key ids of its signatures', () => {
  expect(parseNote(`${TEXT}\n${PETERS}${ENOCHS}`)).toMatchObject({
    text: TEXT,
    signatures: [
      { name: 'PeterNeumann', keyId: 'c74f20a3' },
      { name: 'EnochRoot', keyId: 'af0cfe78' },
    ],
  });
});

test('a note with any valid text, even of empty lines, verifies with its key and with no other key', async () => {
  const [own, other] = [makeSigner('example.com/log'), makeSigner('example.com/log')];
  const line = fc.string({ unit: 'binary' }).filter((text) => !/\p{Cc}/u.test(text));
  await fc.assert(
    fc.asyncProperty(fc.array(line, { minLength: 1 }), async (lines) => {
      const text = `${lines.join('\n')}\n`;
      const note = await signNote(text, own.key, own.sign);
      expect(openNote(note, own.key)).toEqual({ text });
      expect(openNote(note, other.key)).toEqual(unsigned);
    }),
    { examples: [[['']], [['', '']], [['one', '', '', 'two', '']]] },
  );
});

test('a note with any bit changed is refused', async () => {
  const { key, sign } = makeSigner('a');
  const note = Buffer.from(await signNote('a text\n', key, sign));
  for (let bit = 0; bit < note.length * 8; bit++) {
    const damaged = Buffer.from(note);
    damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(openNote(damaged.toString(), key)).toHaveProperty('refused');
  }
});

test('a signature by another key with the same name is ignored', async () => {
  const [own, other] = [makeSigner('a'), makeSigner('a')];
  const note = await signNote(TEXT, own.key, own.sign);
  const line = (await signNote(TEXT, other.key, other.sign)).slice(TEXT.length + 1);
  expect(openNote(note + line, own.key)).toEqual({ text: TEXT });
  expect(openNote(`${TEXT}\n${line}`, own.key)).toEqual(unsigned);
});

test('a note counts as unsigned if its only signature does not have the key’s name and key id', () => {
  expect(openNote(`${TEXT}\n${PETERS.replace('PeterNeumann', 'CarmenSandiego')}`, PETER)).toEqual(unsigned);
  expect(openNote(`${TEXT}\n${PETERS.replace('x08g', 'xxxx')}`, PETER)).toEqual(unsigned);
});

test('one wrong signature of the key invalidates the note, whatever other signatures it has', () => {
  const damaged = PETERS.replace('BS9UG', 'BS9UH');
  expect(openNote(`${TEXT}\n${damaged}`, PETER)).toEqual(wrong);
  expect(openNote(`${TEXT}\n${PETERS}${damaged}`, PETER)).toEqual(wrong);
  expect(openNote(`${TEXT}\n${damaged}${PETERS}`, PETER)).toEqual(wrong);
  expect(openNote(`${TEXT}\n${PETERS.slice(0, 60)}ABCD${PETERS.slice(60)}`, PETER)).toEqual(wrong);
  expect(openNote(`${TEXT}\n${damaged}${ENOCHS}`, ENOCH)).toEqual({ text: TEXT });
});

test('a repeated signature counts once', () => {
  expect(openNote(`${TEXT}\n${PETERS}${PETERS}`, PETER)).toEqual({ text: TEXT });
});

test('a note may have a hundred signatures; a note with more is malformed', () => {
  expect(openNote(`${TEXT}\n${ENOCHS.repeat(99)}${PETERS}`, PETER)).toEqual({ text: TEXT });
  expect(openNote(`${TEXT}\n${ENOCHS.repeat(100)}${PETERS}`, PETER)).toEqual(malformed);
});

test.each([
  ['an empty text', ''],
  ['only a text', TEXT],
  ['no signature', `${TEXT}\n`],
  ['no line feed at the end', `${TEXT}\n${PETERS.slice(0, -1)}`],
  ['no empty line before the signatures', `${TEXT}${PETERS}`],
  ['no text', `\n${PETERS}`],
  ['a control character in the text', `\x01${TEXT}\n${PETERS}`],
  ['a carriage return in the text', `a\r\n\n${PETERS}`],
  ['a tab in the text', `a\tb\n\n${PETERS}`],
  ['a lone surrogate in the text', `\ud800${TEXT}\n${PETERS}`],
  ['a space in a name', `${TEXT}\n${PETERS.replace('PeterNeumann', 'Bad Name')}`],
  ['a no-break space in a name', `${TEXT}\n${PETERS.replace('PeterNeumann', 'Bad\u00a0Name')}`],
  ['a plus sign in a name', `${TEXT}\n${PETERS.replace('PeterNeumann', 'Bad+Name')}`],
  ['no name', `${TEXT}\n${PETERS.replace('PeterNeumann', '')}`],
  ['no signature after a name', `${TEXT}\n— PeterNeumann \n`],
  ['a key id without a signature', `${TEXT}\n— PeterNeumann x08gow==\n`],
  ['base64 without padding', `${TEXT}\n${PETERS.replace('=', '')}`],
  ['the URL alphabet of base64', `${TEXT}\n${PETERS.replace('/', '_')}`],
  ['two spaces', `${TEXT}\n${PETERS.replace(' x', '  x')}`],
  ['a space after a signature', `${TEXT}\n${PETERS.replace('\n', ' \n')}`],
  ['a hyphen instead of the dash', `${TEXT}\n${PETERS.replace('—', '-')}`],
  ['an en dash instead of the dash', `${TEXT}\n${PETERS.replace('—', '–')}`],
  ['text before the dash', `${TEXT}\nx${PETERS}`],
  ['another line after the signatures', `${TEXT}\n${PETERS}Unexpected line.\n`],
  ['another line between the signatures', `${TEXT}\n${PETERS}Unexpected line.\n${ENOCHS}`],
  ['a malformed signature line beside a valid one', `${TEXT}\n${PETERS}— a b\n`],
  ['an empty line after the signatures', `${TEXT}\n${PETERS}\n`],
])('a malformed note is refused: %s', (_, message) => {
  expect(parseNote(message)).toBeUndefined();
  expect(openNote(message, PETER)).toEqual(malformed);
});

test('signing covers the text in UTF-8, including its last line feed', async () => {
  const { key, sign } = makeSigner('a');
  const signed: string[] = [];
  await signNote('köy\n', key, (bytes) => {
    signed.push(Buffer.from(bytes).toString('hex'));
    return sign(bytes);
  });
  expect(signed).toEqual(['6bc3b6790a']);
});

test.each(['', 'no line feed', 'a\tb\n', 'a\r\n', '\u0000\n', '\ud800\n'])(
  'the text %j is refused before it is signed',
  async (text) => {
    const { key } = makeSigner('a');
    const never = () => Promise.reject(new Error('was asked to sign'));
    await expect(signNote(text, key, never)).rejects.toThrow(RangeError);
  },
);

test('signing fails if the signer’s signature does not verify with the key', async () => {
  const [own, other] = [makeSigner('a'), makeSigner('a')];
  for (const sign of [other.sign, async () => Buffer.alloc(64), async () => Buffer.of()]) {
    await expect(signNote('a\n', own.key, sign)).rejects.toThrow('does not verify with the key a');
  }
});

test('signing fails if the signer fails', async () => {
  const failing = () => Promise.reject(new Error('the KMS does not answer'));
  await expect(signNote('a\n', makeSigner('a').key, failing)).rejects.toThrow('the KMS does not answer');
});

/** The first key is from C2SP signed-note, the others are from the tests of Go’s sumdb/note. */
const PETERS_KEY = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const KEYS = [
  'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k',
  PETERS_KEY,
  'EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop',
];

test.each(KEYS)('the verifier key %s is read and written back with the same id', (text) => {
  const [name = '', id] = text.split('+');
  const key = parseVerifierKey(text);
  expect(key).toMatchObject({ name, id });
  expect(makeVerifierKey(name, key?.publicKey ?? Buffer.of())).toEqual(key);
  expect(key && formatVerifierKey(key)).toBe(text);
});

test('an incomplete verifier key is refused', () => {
  for (let from = 0; from <= PETERS_KEY.length; from++) {
    for (let to = from + 1; to <= PETERS_KEY.length; to++) {
      if (from !== 0 || to !== PETERS_KEY.length) expect(parseVerifierKey(PETERS_KEY.slice(from, to))).toBeUndefined();
    }
  }
});

test('a verifier key with any character changed is refused', () => {
  for (let at = 0; at < PETERS_KEY.length; at++) {
    const next = String.fromCharCode(PETERS_KEY.charCodeAt(at) + 1);
    expect(parseVerifierKey(PETERS_KEY.slice(0, at) + next + PETERS_KEY.slice(at + 1))).toBeUndefined();
  }
});

test.each([
  [
    'a key of another length, with a matching id',
    'PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==',
  ],
  [
    'another type of signature, with a matching id',
    'PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
  ],
  ['an empty text', ''],
  ['a line feed at the end', `${PETERS_KEY}\n`],
  ['white space at the start', ` ${PETERS_KEY}`],
  ['two keys', `${PETERS_KEY}+${PETERS_KEY}`],
])('a malformed verifier key is refused: %s', (_, text) => {
  expect(parseVerifierKey(text)).toBeUndefined();
});

test('no verifier key is made from an invalid name or an invalid public key', () => {
  const publicKey = Buffer.alloc(32);
  expect(makeVerifierKey('a', publicKey).name).toBe('a');
  for (const name of ['', 'a b', 'a+b']) expect(() => makeVerifierKey(name, publicKey)).toThrow(RangeError);
  for (const bytes of [0, 31, 33]) expect(() => makeVerifierKey('a', Buffer.alloc(bytes))).toThrow(RangeError);
});

test.each(['', 'a b', 'a+b', 'a\n', '\u00a0', 'a\u0085b', 'a\u2028b', 'a\u3000b', 'a\ud800b'])(
  'the key name %j is refused',
  (name) => {
    expect(isKeyName(name)).toBe(false);
  },
);

test.each(['a', 'example.com/log', 'encryption-service.local/01890a5d-ac96-774b-bcce-b302099a8057', 'köy', '🔑'])(
  'the key name %s is accepted',
  (name) => {
    expect(isKeyName(name)).toBe(true);
  },
);

/** The example in C2SP tlog-checkpoint. */
const ROOT = 'CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=';
const CHECKPOINT = { origin: 'example.com/behind-the-sofa', size: 20852163, root: ROOT };
const CHECKPOINT_TEXT = `example.com/behind-the-sofa\n20852163\n${ROOT}\n`;

test('a checkpoint has three lines, as in the example of C2SP tlog-checkpoint', () => {
  expect(formatCheckpoint(CHECKPOINT)).toBe(CHECKPOINT_TEXT);
  expect(parseCheckpoint(CHECKPOINT_TEXT)).toEqual(CHECKPOINT);
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
  expect(parseCheckpoint(`${CHECKPOINT_TEXT}one\ntwo\n`)).toEqual(CHECKPOINT);
});

test.each([
  ...[
    '',
    '\n\n\n',
    CHECKPOINT_TEXT.replace('example.com/behind-the-sofa', ''),
    `a\n1\n`,
    CHECKPOINT_TEXT.slice(0, -1),
    `${CHECKPOINT_TEXT}one`,
  ],
  ...[
    CHECKPOINT_TEXT.replace('20852163', '020852163'),
    CHECKPOINT_TEXT.replace('20852163', ''),
    CHECKPOINT_TEXT.replace('20852163', '-1'),
  ],
  ...[
    CHECKPOINT_TEXT.replace('20852163', '+1'),
    CHECKPOINT_TEXT.replace('20852163', '0x1'),
    CHECKPOINT_TEXT.replace('20852163', '1e3'),
  ],
  ...[CHECKPOINT_TEXT.replace('20852163', ' 1'), CHECKPOINT_TEXT.replace('20852163', '9007199254740992')],
  ...[
    CHECKPOINT_TEXT.replace('2I=', '2IAA'),
    CHECKPOINT_TEXT.replace('2I=', '2I'),
    `${CHECKPOINT_TEXT}\n`,
    `${CHECKPOINT_TEXT}one\n\ntwo\n`,
  ],
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
