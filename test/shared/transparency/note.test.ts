import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openNote, parseNote, signNote } from '../../../shared/transparency/note.ts';
import {
  formatVerifierKey,
  makeVerifierKey,
  parseVerifierKey,
  type VerifierKey,
} from '../../../shared/transparency/verifier-key.ts';
import { makeSigner, privateKeyOf } from './notes.ts';

const parseKey = (text: string): VerifierKey => parseVerifierKey(text) ?? makeVerifierKey('none', Buffer.alloc(32));

/** Keys, text and signatures of the tests of Go's sumdb/note. */
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

describe('the examples', () => {
  test('of C2SP signed-note opens with its key', () => {
    const key = parseKey('example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k');
    const text = 'This is an example message.\n';
    const signature = 'Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=';
    expect(openNote(`${text}\n— example.com/foo ${signature}\n`, key)).toEqual({ text });
  });

  test('of Go are signed to the same bytes, and opened by each of their keys', async () => {
    const peter = makeSigner('PeterNeumann', privateKeyOf(PETERS_SEED));
    expect(formatVerifierKey(peter.key)).toBe(formatVerifierKey(PETER));
    expect(await signNote(TEXT, PETER, peter.sign)).toBe(`${TEXT}\n${PETERS}`);
    for (const key of [PETER, ENOCH]) expect(openNote(`${TEXT}\n${PETERS}${ENOCHS}`, key)).toEqual({ text: TEXT });
  });
});

describe('a note', () => {
  test('shows who say that they signed it', () => {
    expect(parseNote(`${TEXT}\n${PETERS}${ENOCHS}`)).toMatchObject({
      text: TEXT,
      signatures: [
        { name: 'PeterNeumann', keyId: 'c74f20a3' },
        { name: 'EnochRoot', keyId: 'af0cfe78' },
      ],
    });
  });

  test('of any text that a note can have opens with its key and with no other', async () => {
    const [own, other] = [makeSigner('example.com/log'), makeSigner('example.com/log')];
    const line = fc.string({ unit: 'binary' }).filter((text) => !/\p{Cc}/u.test(text));
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1 }), async (lines) => {
        const text = `${lines.join('\n')}\n`;
        const note = await signNote(text, own.key, own.sign);
        expect(openNote(note, own.key)).toEqual({ text });
        expect(openNote(note, other.key)).toEqual(unsigned);
      }),
    );
  });

  test('may have empty lines in its text, also at its end', async () => {
    const { key, sign } = makeSigner('a');
    for (const text of ['\n', '\n\n', 'one\n\n\ntwo\n\n']) {
      expect(openNote(await signNote(text, key, sign), key)).toEqual({ text });
    }
  });

  test('is refused with any one bit of text or signature changed', async () => {
    const { key, sign } = makeSigner('a');
    const note = Buffer.from(await signNote('a text\n', key, sign));
    for (let bit = 0; bit < note.length * 8; bit++) {
      const spoiled = Buffer.from(note);
      spoiled[bit >> 3] = (spoiled[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(openNote(spoiled.toString(), key)).toHaveProperty('refused');
    }
  });
});

describe('only the signatures of the key open a note', () => {
  test('another key with the same name, or the same name with another id, is ignored', async () => {
    const [own, other] = [makeSigner('a'), makeSigner('a')];
    const note = await signNote(TEXT, own.key, own.sign);
    const line = (await signNote(TEXT, other.key, other.sign)).slice(TEXT.length + 1);
    expect(openNote(note + line, own.key)).toEqual({ text: TEXT });
    expect(openNote(`${TEXT}\n${line}`, own.key)).toEqual(unsigned);
  });

  test('a right signature under another name is not the key’s', () => {
    expect(openNote(`${TEXT}\n${PETERS.replace('PeterNeumann', 'CarmenSandiego')}`, PETER)).toEqual(unsigned);
    expect(openNote(`${TEXT}\n${PETERS.replace('x08g', 'xxxx')}`, PETER)).toEqual(unsigned);
  });

  test('one wrong signature of the key spoils the note, whatever else signs it', () => {
    const spoiled = PETERS.replace('BS9UG', 'BS9UH');
    expect(openNote(`${TEXT}\n${spoiled}`, PETER)).toEqual(wrong);
    expect(openNote(`${TEXT}\n${PETERS}${spoiled}`, PETER)).toEqual(wrong);
    expect(openNote(`${TEXT}\n${spoiled}${PETERS}`, PETER)).toEqual(wrong);
    expect(openNote(`${TEXT}\n${PETERS.slice(0, 60)}ABCD${PETERS.slice(60)}`, PETER)).toEqual(wrong);
    expect(openNote(`${TEXT}\n${spoiled}${ENOCHS}`, ENOCH)).toEqual({ text: TEXT });
  });

  test('a signature repeated is one signature', () => {
    expect(openNote(`${TEXT}\n${PETERS}${PETERS}`, PETER)).toEqual({ text: TEXT });
  });

  test('a hundred signatures are read, one more is malformed', () => {
    expect(openNote(`${TEXT}\n${ENOCHS.repeat(99)}${PETERS}`, PETER)).toEqual({ text: TEXT });
    expect(openNote(`${TEXT}\n${ENOCHS.repeat(100)}${PETERS}`, PETER)).toEqual(malformed);
  });
});

describe('what is malformed', () => {
  test.each([
    ['nothing', ''],
    ['only a text', TEXT],
    ['no signature', `${TEXT}\n`],
    ['no line feed at the end', `${TEXT}\n${PETERS.slice(0, -1)}`],
    ['no empty line before the signatures', `${TEXT}${PETERS}`],
    ['no text', `\n${PETERS}`],
    ['a control character in the text', `\x01${TEXT}\n${PETERS}`],
    ['a carriage return in the text', `a\r\n\n${PETERS}`],
    ['a tab in the text', `a\tb\n\n${PETERS}`],
    ['half a character in the text', `\ud800${TEXT}\n${PETERS}`],
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
    ['a hyphen in place of the dash', `${TEXT}\n${PETERS.replace('—', '-')}`],
    ['an en dash in place of the dash', `${TEXT}\n${PETERS.replace('—', '–')}`],
    ['something before the dash', `${TEXT}\nx${PETERS}`],
    ['another line after the signatures', `${TEXT}\n${PETERS}Unexpected line.\n`],
    ['another line between the signatures', `${TEXT}\n${PETERS}Unexpected line.\n${ENOCHS}`],
    ['a signature line that is malformed beside a right one', `${TEXT}\n${PETERS}— a b\n`],
    ['an empty line after the signatures', `${TEXT}\n${PETERS}\n`],
  ])('%s', (_, message) => {
    expect(parseNote(message)).toBeUndefined();
    expect(openNote(message, PETER)).toEqual(malformed);
  });
});

describe('signing', () => {
  test('signs the text as it is in UTF-8, its last line feed included', async () => {
    const { key, sign } = makeSigner('a');
    const signed: string[] = [];
    await signNote('köy\n', key, (bytes) => {
      signed.push(Buffer.from(bytes).toString('hex'));
      return sign(bytes);
    });
    expect(signed).toEqual(['6bc3b6790a']);
  });

  test.each(['', 'no line feed', 'a\tb\n', 'a\r\n', '\u0000\n', '\ud800\n'])(
    'refuses the text %j unsigned',
    async (text) => {
      const { key } = makeSigner('a');
      const never = () => Promise.reject(new Error('was asked to sign'));
      await expect(signNote(text, key, never)).rejects.toThrow(RangeError);
    },
  );

  test('makes no note of what is not the key’s signature', async () => {
    const [own, other] = [makeSigner('a'), makeSigner('a')];
    for (const sign of [other.sign, async () => Buffer.alloc(64), async () => Buffer.of()]) {
      await expect(signNote('a\n', own.key, sign)).rejects.toThrow('does not verify with the key a');
    }
  });

  test('fails as the signer fails', async () => {
    const failing = () => Promise.reject(new Error('the KMS does not answer'));
    await expect(signNote('a\n', makeSigner('a').key, failing)).rejects.toThrow('the KMS does not answer');
  });
});
