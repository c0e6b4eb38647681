import { describe, expect, test } from 'vitest';
import { refuseName } from '../../../shared/tenancy/name.ts';

const refused = expect.objectContaining({ code: 'invalid_name' });

describe('a name', () => {
  test.each([
    ['one character', 'a'],
    ['128 characters', 'a'.repeat(128)],
    ['128 characters outside the basic plane', '😀'.repeat(128)],
    ['128 characters of three bytes', '€'.repeat(128)],
    ['spaces inside and around', ' a b '],
    ['a space and a full stop', ' .'],
    ['the last character before the second control range', '\u007e'],
    ['the first character after the second control range', 'a\u00a0'],
    ['combining characters', 'e\u0301'],
    ['right-to-left letters', 'שלום'],
    ['an emoji of several characters', '👩‍👩‍👧'],
    ['a zero-width space, which is not white space', '\u200b'],
    ['the last character of Unicode', '\u{10ffff}'],
  ])('a name is accepted: %s', (_, name) => {
    expect(() => refuseName(name)).not.toThrow();
  });

  test.each([
    ['an empty name', ''],
    ['129 characters', 'a'.repeat(129)],
    ['129 characters outside the basic plane', '😀'.repeat(129)],
    ['128 characters and a space', `${'a'.repeat(128)} `],
    ['a lone high surrogate', 'a\ud83d'],
    ['a lone low surrogate', '\ude00a'],
    ['surrogates in the wrong order', 'a\ude00\ud83d'],
  ])('a name is refused: %s', (_, name) => {
    expect(() => refuseName(name)).toThrow(refused);
  });

  test.each([
    ['U+0000', '\u0000'],
    ['U+0001', '\u0001'],
    ['U+0009, a tab', '\u0009'],
    ['U+000A, a line feed', '\u000a'],
    ['U+001F', '\u001f'],
    ['U+007F', '\u007f'],
    ['U+0080', '\u0080'],
    ['U+0085', '\u0085'],
    ['U+009F', '\u009f'],
  ])('a name with the control character %s is refused, at any position', (_, control) => {
    for (const name of [control, `a${control}b`, `${control}a`, `a${control}`]) {
      expect(() => refuseName(name), JSON.stringify(name)).toThrow(refused);
    }
  });

  test('a name may contain any character except control characters', () => {
    for (let code = 0; code <= 0x17f; code++) {
      const isControl = code <= 0x1f || (code >= 0x7f && code <= 0x9f);
      const name = `a${String.fromCodePoint(code)}a`;
      if (isControl) expect(() => refuseName(name), `U+${code.toString(16)}`).toThrow(refused);
      else expect(() => refuseName(name), `U+${code.toString(16)}`).not.toThrow();
    }
  });

  test.each([
    ['spaces', '   '],
    ['a no-break space', '\u00a0'],
    ['an ogham space', '\u1680'],
    ['an en quad', '\u2000'],
    ['a hair space', '\u200a'],
    ['a line separator', '\u2028'],
    ['a paragraph separator', '\u2029'],
    ['a narrow no-break space', '\u202f'],
    ['a mathematical space', '\u205f'],
    ['an ideographic space', '\u3000'],
    ['several kinds of white space', ' \u3000\u00a0 '],
  ])('a name of only white space is refused: %s', (_, name) => {
    expect(() => refuseName(name)).toThrow(refused);
  });

  test('the error about a refused name does not quote the name', () => {
    for (const name of ['SECRET\u0000', 'SECRET'.repeat(30)]) {
      expect(() => refuseName(name)).toThrow(
        expect.objectContaining({ message: expect.not.stringContaining('SECRET') }),
      );
    }
  });
});
