import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';

const stack = inject('stack');
const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
const [, tour = ''] = /^## A five-minute tour$(.*?)^## /ms.exec(readme) ?? [];

/** The lines to paste, with the addresses of the test's stack. */
const lines = [...tour.matchAll(/^```sh\n(.*?)^```$/gms)]
  .flatMap(([, block = '']) => block.trimEnd().split('\n'))
  .map((line) =>
    line.replace('http://127.0.0.1:8080', stack.baseUrl).replace('http://127.0.0.1:8089', stack.controlUrl),
  );

const MARK = '#=> ';

test('the tour answers what the README says, pasted as it is', async () => {
  const promised = lines.filter((line) => line.startsWith(MARK)).map((line) => line.slice(MARK.length));
  const script = lines.map((line) => (line.startsWith(MARK) ? `echo '${MARK}'` : line)).join('\n');
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { encoding: 'utf8' });
  const answers = stdout.split(`${MARK}\n`);
  expect(promised.length).toBeGreaterThan(15);
  for (const [at, promise] of promised.entries()) expect(answers[at]).toContain(promise);
  expect(stdout.match(/"error":/g) ?? []).toHaveLength(promised.filter((one) => one.includes('"error":')).length);
});
