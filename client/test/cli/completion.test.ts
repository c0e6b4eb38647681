import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { isInstalled } from '../../../test/support/programs.ts';
import { bash } from '../../src/cli/completion/bash.ts';
import { fish } from '../../src/cli/completion/fish.ts';
import { wordsOf } from '../../src/cli/completion/words.ts';
import { zsh } from '../../src/cli/completion/zsh.ts';
import { makeProgram } from '../../src/cli/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();

const words = wordsOf(makeProgram());
const run = promisify(execFile);

/** Command lines, and the words that complete their last word. */
const COMPLETED = `
esk ke → keys
esk keys re → rename restore recipient
esk keys rotate -- → --container --dry-run --yes --json --help
esk keys rotate orders --y → --yes
esk keys create orders --tier s → software
esk audit --result  → success error
esk completion  → bash zsh fish --help
esk members re → remove revoke
esk members invite --role  → owner admin auditor
esk audit --operation invite → invite_member
esk help keys cr → create
esk encrypt Doc →
esk keys create orders --tier = s → software
esk keys create orders --tier=s → --tier=software
esk api-keys create ci --actions encrypt,de → encrypt,decrypt encrypt,delete
esk api-keys create ci --actions = encrypt,unw → encrypt,unwrap
esk audit --result = → success error
`
  .trim()
  .split('\n')
  .map((row) => row.split(' →'))
  .map(([line = '', offered = '']) => [line.split(' '), offered.split(' ').filter(Boolean)] as const);

describe.skipIf(!isInstalled('bash'))('completion in bash (skipped if bash is missing)', () => {
  let offered: string[][];
  beforeAll(async () => {
    const complete = COMPLETED.map(([line]) => {
      const array = line.map((word) => `'${word}'`).join(' ');
      return `COMPREPLY=(); COMP_WORDS=(${array}); COMP_CWORD=${line.length - 1}; _esk; echo "\${COMPREPLY[@]}"`;
    });
    const script = `${bash(words)}${complete.join('\n')}`;
    const { stdout } = await run('bash', ['--norc', '-euo', 'pipefail', '-c', script]);
    offered = stdout.split('\n').map((line) => line.split(' ').filter((word) => word !== ''));
  });

  test.each([...COMPLETED.entries()])('bash completes line %i: %j', (at, [, expected]) => {
    expect(offered[at]?.toSorted()).toEqual(expected.toSorted());
  });
});

describe.skipIf(!isInstalled('zsh'))('completion in zsh (skipped if zsh is missing)', () => {
  /** Completes a command line in zsh. The `stubs` replace functions of its completion system. */
  async function completed(line: readonly string[], ...stubs: string[]): Promise<string[]> {
    const array = line.map((word) => `'${word}'`).join(' ');
    const script = `compdef() { }; ${stubs.join('; ')}\n${zsh(words)}words=(${array}); CURRENT=${line.length}; _esk`;
    const { stdout } = await run('zsh', ['-f', '-c', script]);
    return stdout.trimEnd().split('\n');
  }

  test('zsh offers the possible words with their descriptions, which can contain quotation marks', async () => {
    const stubs = [`_describe() { print -rl -- "\${(@P)2}" }`, '_files() { }'];
    const keys = await completed(['esk', 'keys', ''], ...stubs);
    expect(keys).toContain("audit:Show a key's audit events, newest first");
    expect(await completed(['esk', 'encrypt', '--'], ...stubs)).toContain('--key:Key to encrypt with: ID or name');
  });

  test.each([
    [['--tier', 's'], []],
    [['--tier=s'], ['compset -P *=']],
    [['--actions', 'encrypt,de'], ['compset -P *,']],
    [['--actions=encrypt,de'], ['compset -P *=', 'compset -P *,']],
  ])('zsh completes the part of an option’s value after = and after the last comma: %j', async (last, expected) => {
    const stubs = ['compset() { print -r -- "compset $*" }', 'compadd() { print -r -- "compadd $*" }'];
    const lines = await completed(['esk', 'keys', 'create', 'orders', ...last], ...stubs);
    expect(lines.slice(0, -1)).toEqual(expected);
    expect(lines.at(-1)).toContain(last[0]?.startsWith('--tier') ? 'compadd -- free wrapped' : 'decrypt');
  });

  test('an autoloaded zsh script offers completions at its first use and at the next one', async () => {
    const autoload = `compdef() { }; _describe() { print described }; fpath=(${folder.path}); autoload -Uz _esk`;
    await writeFile(join(folder.path, '_esk'), zsh(words));
    const { stdout } = await run('zsh', ['-f', '-c', `${autoload}; words=(esk ''); CURRENT=2; _esk; _esk`]);
    expect(stdout).toBe('described\ndescribed\n');
  });
});

test.skipIf(!isInstalled('fish'))(
  'fish offers the possible words with their descriptions (skipped if fish is missing)',
  async () => {
    const { stdout } = await run('fish', ['-c', `${fish(words)}complete -C 'esk keys rec'`]);
    expect(stdout).toMatch(/^recipient\t/);
  },
);

test('the completion scripts for zsh and fish contain every command and option', () => {
  for (const [path, after] of words.commands) {
    for (const { text } of after) {
      expect(zsh(words)).toContain(`'${text}`);
      expect(fish(words)).toContain(`'${path}'" ${text.startsWith('--') ? `-l ${text.slice(2)}` : `-a ${text}`}`);
    }
  }
});
