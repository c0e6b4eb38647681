import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from './sources.ts';
import { isInstalled } from './support/programs.ts';

const pages = globSync('**/*.md', { cwd: ROOT, exclude: ['**/node_modules', 'dist', '.*'] }).sort();
const read = (page: string) => readFileSync(join(ROOT, page), 'utf8');

/** Returns the shell blocks of a page as one script, because later blocks use variables of earlier ones. */
function scriptOf(page: string): string {
  const blocks = [...read(page).matchAll(/^( *)```sh\n(.*?)^\1```/gms)];
  return blocks.map(([, indent = '', code = '']) => code.replaceAll(new RegExp(`^${indent}`, 'gm'), '')).join('\n');
}

/**
 * Warnings that do not apply to commands that people paste: variables that a person sets (2154) or uses later (2034),
 * unquoted variables without spaces (2086, 2046), `export` that hides a failure (2155), and `cd` without a check (2164).
 */
const EXCEPT = '2034,2046,2086,2154,2155,2164';

describe.skipIf(!isInstalled('shellcheck'))('the shell blocks of the docs', () => {
  test.for(pages.filter((page) => scriptOf(page) !== ''))('shellcheck finds nothing in %s', (page) => {
    const { stdout } = spawnSync('shellcheck', ['--shell=bash', `--exclude=${EXCEPT}`, '--format=gcc', '-'], {
      input: scriptOf(page),
      encoding: 'utf8',
    });
    expect(stdout).toBe('');
  });
});

test('every command of Firebase in the docs sets the quota project, without which Google refuses a person’s call', () => {
  const commands = pages.flatMap((page) =>
    [...read(page).matchAll(/[^`\n]*\bnpx firebase [^`\n]*/g)].map(([line]) => line),
  );
  expect(commands.length).toBeGreaterThan(0);
  expect(commands.filter((line) => !line.includes('GOOGLE_CLOUD_QUOTA_PROJECT='))).toEqual([]);
});
