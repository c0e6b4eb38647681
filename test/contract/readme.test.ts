import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { ROOT } from '../sources.ts';
import { isInstalled } from '../support/programs.ts';
import { removeTemporaryFolders, temporaryFolder } from '../support/temporary-folder.ts';

const stack = inject('stack');
afterAll(removeTemporaryFolders);

/** A line that does nothing in any shell, and shows part of the answer to the line above it. */
const ANSWER = /^: '(.*)'$/;
const MARK = '#answered#';

/** Returns the lines of the shell blocks in a part of the README, with the addresses of the test's stack. */
function linesOf(part: RegExp): string[] {
  const [text = ''] = part.exec(readFileSync(join(ROOT, 'README.md'), 'utf8')) ?? [];
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)]
    .flatMap(([, block = '']) => block.trimEnd().split('\n'))
    .map((line) =>
      line.replace('http://127.0.0.1:8080', stack.baseUrl).replace('http://127.0.0.1:8089', stack.controlUrl),
    );
}

/** Pastes lines into an interactive shell without settings, in the checkout. Returns its output. */
async function paste(shell: readonly string[], lines: readonly string[]): Promise<string> {
  const [program = '', ...args] = shell;
  const env = { ...process.env, HOME: temporaryFolder('pasted'), HISTFILE: '' };
  const child = spawn(program, args, { cwd: ROOT, env, stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.end(`${lines.join('\n')}\n`);
  return text(child.stdout);
}

/** The options keep the user's own settings out. */
const SHELLS = [['bash', '--norc', '--noprofile', '-i'], ['zsh', '-f', '-i'], ['sh']].filter(
  ([program = '']) => process.env.CI !== undefined || isInstalled(program),
);

describe.each(SHELLS.map((shell) => ({ program: shell[0], shell })))('pasted into $program', ({ shell }) => {
  test('the lines under “Try it” in the README print what the page shows', async () => {
    const lines = linesOf(/^## Try it$.*?^## /ms);
    const shown = lines.flatMap((line) => ANSWER.exec(line)?.[1] ?? []);
    const pasted = lines.flatMap((line) => (ANSWER.test(line) ? [line, `echo '${MARK}'`] : line));
    const answers = (await paste(shell, pasted)).split(MARK);
    expect(shown).toHaveLength(3);
    for (const [at, expected] of shown.entries()) expect(answers[at]).toContain(expected);
    expect(lines.filter((line) => !ANSWER.test(line))).toHaveLength(5);
  });
});
