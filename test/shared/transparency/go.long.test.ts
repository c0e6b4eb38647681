import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { encodeEntry } from '../../../shared/transparency/entry.ts';
import { formatVerifierKey } from '../../../shared/transparency/verifier-key.ts';
import { makeLog } from './a-log.ts';

/** Whether Go is installed and can fetch the module golang.org/x/mod. */
const hasGo = spawnSync('go', ['list', '-m', 'golang.org/x/mod@latest'], { cwd: tmpdir() }).status === 0;
const page = readFileSync(new URL('../../../docs/audit-format.md', import.meta.url), 'utf8');
const [, program = ''] = /```go\n(.*?)```/s.exec(page) ?? [];

/** Exports a log as `--export` does, and builds the program in docs/audit-format.md in the same folder. */
const exportLog = async () => {
  const directory = mkdtempSync(join(tmpdir(), 'verify-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const { log, signer } = await makeLog([1, 60, 7, 32]);
  const lines = log.flatMap(({ entries }) => entries).map((entry) => Buffer.from(encodeEntry(entry ?? {})).toString());
  const write = (name: string, text: string) => writeFileSync(join(directory, name), text);
  write('main.go', program);
  write('key.txt', formatVerifierKey(signer.key));
  write('checkpoint.txt', log.at(-1)?.seal.checkpoint ?? '');
  write('entries.jsonl', `${lines.join('\n')}\n`);
  const run = (command: string, ...args: string[]) => spawnSync(command, args, { cwd: directory, encoding: 'utf8' });
  for (const args of [
    ['mod', 'init', 'verify'],
    ['mod', 'tidy'],
    ['build', '-o', 'verify'],
  ]) {
    const { status, stderr } = run('go', ...args);
    if (status !== 0) throw new Error(`go ${args.join(' ')}: ${stderr}`);
  }
  return { lines, write, verify: () => run('./verify') };
};

describe.runIf(hasGo)('the program in docs/audit-format.md, with Go’s sumdb/note and sumdb/tlog', () => {
  test('the program verifies a log, and refuses the log with an entry altered, removed or added', async () => {
    const { lines, write, verify } = await exportLog();
    expect(verify()).toMatchObject({ status: 0, stdout: expect.stringContaining('example.com/log\n100\n') });
    const altered = lines.with(50, lines[50]?.replace('encrypt', 'decrypt') ?? '');
    for (const tampered of [altered, lines.slice(1), [...lines, lines[0]]]) {
      write('entries.jsonl', `${tampered.join('\n')}\n`);
      expect(verify()).toMatchObject({ status: 1, stderr: expect.stringContaining('its entries are') });
    }
  });
});
