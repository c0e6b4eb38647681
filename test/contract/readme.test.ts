import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';

const stack = inject('stack');
const MARK = '#=> ';

/** Returns the lines of the shell blocks in part of a page. Replaces their addresses with those of the test's stack. */
function linesOf(page: string, part: RegExp): string[] {
  const [text = ''] = part.exec(readFileSync(join(import.meta.dirname, '../..', page), 'utf8')) ?? [];
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)]
    .flatMap(([, block = '']) => block.trimEnd().split('\n'))
    .map((line) =>
      line.replace('http://127.0.0.1:8080', stack.baseUrl).replace('http://127.0.0.1:8089', stack.controlUrl),
    );
}

test.each([
  ['README.md', /^## Try it$.*?^## /ms, 2],
  ['docs/tour.md', /^.*$/s, 21],
])('the shell lines in %s print the answers that the page shows', async (page, part, answered) => {
  const lines = linesOf(page, part);
  const shown = lines.filter((line) => line.startsWith(MARK)).map((line) => line.slice(MARK.length));
  const script = lines.map((line) => (line.startsWith(MARK) ? `echo '${MARK}'` : line)).join('\n');
  const { stdout } = await promisify(execFile)('bash', ['--norc', '-euo', 'pipefail', '-c', script], {
    encoding: 'utf8',
  });
  const answers = stdout.split(`${MARK}\n`);
  expect(shown).toHaveLength(answered);
  for (const [at, expected] of shown.entries()) expect(answers[at]).toContain(expected);
  expect(stdout.match(/"error":/g) ?? []).toHaveLength(shown.filter((one) => one.includes('"error":')).length);
});
