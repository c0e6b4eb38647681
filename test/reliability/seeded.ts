import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { ROOT } from '../sources.ts';
import { changeToday } from './checkouts.ts';

const REPORT = 'seeded-report.json';
const report = z.object({
  testResults: z.array(z.object({ assertionResults: z.array(z.object({ status: z.string(), title: z.string() })) })),
});

const sources = readdirSync(ROOT).filter((name) => !['.git', '.local', '.stryker', 'coverage'].includes(name));

/**
 * npm run drill -- seeded [--only WORDS]: puts one fault after the other into a copy of the sources, and runs the test
 * file that must notice it. `--only` selects faults by the rule that they break. Fails if a test file fails without a
 * fault, or if none of its tests fails with it.
 */
export async function drill(): Promise<void> {
  const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } });
  const faults = readSeededFaults().filter(({ rule }) => rule.includes(values.only));
  if (faults.length === 0) throw new Error('--only must be words of a rule');

  const clean = await runTests([...new Set(faults.map(({ test }) => test))]);
  if (clean.code !== 0) say(`The tests fail without a fault: ${clean.failed.join('; ')}`);
  for (const fault of clean.code === 0 ? faults : []) {
    const { failed } = await runTests([fault.test], fault);
    if (failed.length === 0) say(`NOT NOTICED by ${fault.test}: ${fault.rule}`);
    else process.stdout.write(`${fault.rule}\n  noticed: ${failed[0]}\n`);
  }
}

function say(flaw: string): void {
  process.stdout.write(`${flaw}\n`);
  process.exitCode = 1;
}

/** Runs test files in a copy of the sources. Returns the exit code and the names of the tests that failed. */
async function runTests(tests: readonly string[], fault?: SeededFault) {
  using checkout = changeToday((folder) => {
    symlinkSync(join(ROOT, 'client/node_modules'), join(folder, 'client/node_modules'));
    if (fault !== undefined) seed(fault, folder);
  }, sources);
  const args = ['run', '--bail=1', '--reporter=json', `--outputFile=${REPORT}`, ...tests];
  const child = spawn('vitest', args, { cwd: checkout.folder, stdio: 'ignore' });
  const [code] = await once(child, 'exit');
  const { testResults } = report.parse(JSON.parse(readFileSync(join(checkout.folder, REPORT), 'utf8')));
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  return { code, failed: results.filter(({ status }) => status === 'failed').map(({ title }) => title) };
}

/** A fault that a test must notice. */
interface SeededFault {
  /** The rule that the fault breaks. */
  readonly rule: string;
  readonly file: string;
  /** A test file that fails with the fault. */
  readonly test: string;
  /** A text that occurs exactly once in `file`. */
  readonly text: string;
  readonly faulty: string;
}

const FAULT = /^(?<rule>.+)\n(?<file>\S+) -> (?<test>\S+)\n- (?<text>.+)\n\+ ?(?<faulty>.*)$/;

/** Reads the faults of the drill. Throws an `Error` for one that is malformed. */
export function readSeededFaults(): SeededFault[] {
  const [, ...blocks] = readFileSync(join(import.meta.dirname, 'seeded-faults.txt'), 'utf8')
    .trimEnd()
    .split('\n\n');
  return blocks.map((block) => {
    const { rule = '', file = '', test = '', text = '', faulty = '' } = FAULT.exec(block)?.groups ?? {};
    if (rule === '') throw new Error(`malformed fault: ${block}`);
    return { rule, file, test, text, faulty };
  });
}

/** Puts the fault into the sources in `folder`. Throws an `Error` unless its text occurs exactly once. */
function seed({ file, text, faulty }: SeededFault, folder: string): void {
  const path = join(folder, file);
  const [before = '', ...after] = readFileSync(path, 'utf8').split(text);
  if (after.length !== 1) throw new Error(`${file} must contain this text once, not ${after.length} times: ${text}`);
  writeFileSync(path, [before, ...after].join(faulty));
}
