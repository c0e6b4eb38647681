import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { bash } from '../../src/cli/completion/bash.ts';
import { fish } from '../../src/cli/completion/fish.ts';
import { wordsOf } from '../../src/cli/completion/words.ts';
import { zsh } from '../../src/cli/completion/zsh.ts';
import { makeProgram } from '../../src/cli/program.ts';

const words = wordsOf(makeProgram());
const run = promisify(execFile);

async function isThere(shell: string): Promise<boolean> {
  return run(shell, ['-c', 'true']).then(
    () => true,
    () => false,
  );
}
const hasBash = await isThere('bash');
const hasZsh = await isThere('zsh');
const hasFish = await isThere('fish');

/** What bash completes the last of these words to. */
async function completed(...line: string[]): Promise<string[]> {
  const array = line.map((word) => `'${word}'`).join(' ');
  const script = `${bash(words)}COMP_WORDS=(${array}); COMP_CWORD=${line.length - 1}; _esk; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script]);
  return stdout.split('\n').filter((word) => word !== '');
}

describe.skipIf(!hasBash)('bash completes (skipped where it is missing)', () => {
  test.each([
    [['esk', 'ke'], ['keys']],
    [
      ['esk', 'keys', 're'],
      ['rename', 'restore', 'recipient'],
    ],
    [
      ['esk', 'keys', 'rotate', '--'],
      ['--container', '--dry-run', '--yes', '--json', '--help'],
    ],
    [['esk', 'keys', 'rotate', 'orders', '--y'], ['--yes']],
    [['esk', 'keys', 'create', 'orders', '--tier', 's'], ['software']],
    [
      ['esk', 'audit', '--result', ''],
      ['success', 'error'],
    ],
    [
      ['esk', 'completion', ''],
      ['bash', 'zsh', 'fish', '--help'],
    ],
    [
      ['esk', 'members', 're'],
      ['remove', 'revoke'],
    ],
    [
      ['esk', 'members', 'invite', '--role', ''],
      ['owner', 'admin', 'auditor'],
    ],
    [['esk', 'audit', '--operation', 'invite'], ['invite_member']],
    [['esk', 'encrypt', 'Doc'], []],
  ])('%j to %j', async (line, expected) => {
    expect((await completed(...line)).sort()).toEqual([...expected].sort());
  });
});

test.skipIf(!hasZsh)('zsh reads its script (skipped where it is missing)', async () => {
  await run('zsh', ['-n', '-c', zsh(words)]);
});

test.skipIf(!hasFish)('fish completes (skipped where it is missing)', async () => {
  const { stdout } = await run('fish', ['-c', `${fish(words)}complete -C 'esk keys rec'`]);
  expect(stdout).toMatch(/^recipient\t/);
});

test('the scripts of zsh and fish have every command and option', () => {
  for (const [path, after] of words.commands) {
    for (const { text } of after) {
      expect(zsh(words)).toContain(`'${text}`);
      expect(fish(words)).toContain(`'${path}'" ${text.startsWith('--') ? `-l ${text.slice(2)}` : `-a ${text}`}`);
    }
  }
});
