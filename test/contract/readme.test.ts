import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { isInstalled } from '../support/programs.ts';
import { removeTemporaryFolders, temporaryFolder } from '../support/temporary-folder.ts';

const stack = inject('stack');
afterAll(removeTemporaryFolders);

/** A line that does nothing in any shell, and shows part of the answer to the line above it. */
const ANSWER = /^: '(.*)'$/;
const MARK = '#answered#';

/** Returns the lines of the shell blocks in part of a page. Replaces their addresses with those of the test's stack. */
function linesOf(page: string, part: RegExp): string[] {
  const [text = ''] = part.exec(readFileSync(join(import.meta.dirname, '../..', page), 'utf8')) ?? [];
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)]
    .flatMap(([, block = '']) => block.trimEnd().split('\n'))
    .map((line) =>
      line.replace('http://127.0.0.1:8080', stack.baseUrl).replace('http://127.0.0.1:8089', stack.controlUrl),
    );
}

/** Pastes lines into an interactive shell without settings, in an empty folder. Returns its output and its files. */
async function paste(shell: readonly string[], lines: readonly string[]) {
  const cwd = temporaryFolder('pasted');
  const [program = '', ...args] = shell;
  const env = { ...process.env, HOME: cwd, HISTFILE: '' };
  const child = spawn(program, args, { cwd, env, stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.end(`${lines.join('\n')}\n`);
  return { stdout: await text(child.stdout), files: readdirSync(cwd) };
}

/** The options keep the user's own settings out. */
const SHELLS = [['bash', '--norc', '--noprofile', '-i'], ['zsh', '-f', '-i'], ['sh']].filter(
  ([program = '']) => process.env.CI !== undefined || isInstalled(program),
);

describe.each(SHELLS.map((shell) => ({ program: shell[0], shell })))('pasted into $program', ({ shell }) => {
  test.each([
    ['README.md', /^## Try it$.*?^## /ms, 2],
    ['docs/tour.md', /^.*$/s, 24],
  ])(
    'the shell lines in %s print the answers that the page shows, and leave no files',
    async (page, part, answered) => {
      const lines = linesOf(page, part);
      const shown = lines.flatMap((line) => ANSWER.exec(line)?.[1] ?? []);
      const pasted = lines.flatMap((line) => (ANSWER.test(line) ? [line, `echo '${MARK}'`] : line));
      const { stdout, files } = await paste(shell, pasted);
      const answers = stdout.split(MARK);
      expect(shown).toHaveLength(answered);
      for (const [at, expected] of shown.entries()) expect(answers[at]).toContain(expected);
      expect(stdout.match(/"error":/g) ?? []).toHaveLength(shown.filter((one) => one.includes('"error":')).length);
      expect(files).toEqual([]);
    },
  );
});
