import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A fault that a test must notice. */
export interface SeededFault {
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
export function seed({ file, text, faulty }: SeededFault, folder: string): void {
  const path = join(folder, file);
  const [before = '', ...after] = readFileSync(path, 'utf8').split(text);
  if (after.length !== 1) throw new Error(`${file} must contain this text once, not ${after.length} times: ${text}`);
  writeFileSync(path, [before, ...after].join(faulty));
}
