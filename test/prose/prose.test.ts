import { join } from 'node:path';
import { createLinter, loadTextlintrc } from 'textlint';
import { expect, test } from 'vitest';
import typescript from '../../prose/typescript.ts';
import { ROOT } from '../sources.ts';

const { preProcess } = new typescript.Processor().processor();
const linter = createLinter({ descriptor: await loadTextlintrc({ configFilePath: join(ROOT, '.textlintrc.json') }) });

test.each([
  ['a string', `const a = 'two words';`, ['two words']],
  ['a template between its values', 'const a = `first part $' + '{b} second part`;', ['first part ', ' second part']],
  ['text in JSX', `const a = <p class="not this">Some text</p>;`, ['not this', 'Some text']],
  [
    'each line of a comment',
    '/**\n * First {@link A} * b\n * second. */\nlet a; // third c',
    ['First {@link A} * b', 'third c'],
  ],
  [
    'a comment before any token',
    'const a = {\n  /* first part */ b: 1,\n  // second part\n};',
    ['first part', 'second part'],
  ],
  [
    'a URL as text and not as a comment',
    'const a = <p>{/* first part */}https://b.c for more</p>;',
    ['first part', 'https://b.c for more'],
  ],
  ['neither names nor single words', `const notThis = 'word'; // word`, []],
])('in TypeScript, the prose check reads %s', (_, source, prose) => {
  expect(preProcess(source, 'a.tsx').children.map(({ raw }) => raw)).toEqual(prose);
});

test('the prose check reports the position of a comment’s line in the source', () => {
  const [line] = preProcess('let a;\n/*\n * Two words.\n */', 'a.ts').children;
  expect(line?.loc.start).toEqual({ line: 3, column: 3 });
});

test.each([
  'The library imports these alone.',
  'An empty value is as good as one that is none.',
  'It waits for so many seconds.',
  'Each has a folder of its own.',
  'Whoever calls it must wait.',
  'It takes no token.',
  'Nothing is to be migrated.',
  'It works as far as it can.',
  'A key stays for a later run.',
  'That were too many requests.',
  'Only the newest version is mended.',
  'There was no answer from the actions decision.',
])('the prose check refuses: %s', async (sentence) => {
  expect((await linter.lintText(sentence, 'a.md')).messages).toHaveLength(1);
});

test.each([
  'Only the library imports these.',
  'The policy decision point did not answer.',
  'You can leave it alone or change it.',
])('the prose check accepts: %s', async (sentence) => {
  expect((await linter.lintText(sentence, 'a.md')).messages).toEqual([]);
});
