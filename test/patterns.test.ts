import { stripTypeScriptTypes } from 'node:module';
import { checkSync } from 'recheck';
import { describe, expect, test } from 'vitest';
import { parseAst } from 'vitest/node';
import { sources } from './sources.ts';

/** A regular expression in the source, and its file. */
interface Pattern {
  readonly file: string;
  readonly source: string;
  readonly flags: string;
}

const deployed = [...sources].filter(([file]) => /^(shared|functions|operator|client\/src)\//.test(file));
const patterns = deployed.flatMap(([file, text]) =>
  literalsOf(parseAst(stripTypeScriptTypes(text))).map((one) => ({ file, ...one })),
);

/** Returns the regular expressions in a syntax tree. */
function literalsOf(node: unknown): Omit<Pattern, 'file'>[] {
  if (typeof node !== 'object' || node === null) return [];
  if ('regex' in node && typeof node.regex === 'object' && node.regex !== null) {
    const { pattern, flags } = Object(node.regex);
    return [{ source: String(pattern), flags: String(flags) }];
  }
  return Object.values(node).flatMap(literalsOf);
}

test('the check finds the regular expressions in the source code, and reports an expression that can take non-linear time', () => {
  expect(patterns.length).toBeGreaterThan(20);
  expect(patterns.map(({ source }) => source)).toContain('^Bearer +([^\\s,]+)$');
  expect(checkSync('=+$', '').status).toBe('vulnerable');
});

test('no regular expression is built at run time', () => {
  expect(deployed.filter(([, text]) => /\bRegExp\(/.test(text)).map(([file]) => file)).toEqual([]);
});

describe('the running time of patterns', () => {
  test.each(patterns)('the regular expression in $file takes linear time: $source', ({ source, flags }) => {
    expect(checkSync(source, flags)).toMatchObject({ status: 'safe' });
  });
});
