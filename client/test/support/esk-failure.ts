import { expect } from 'vitest';
import type { Ended } from './esk.ts';

/** What a failed run of `esk` has to be: its exit code, nothing on standard output, and one line that says why. */
export function expectFailure({ code, stdout, stderr }: Ended, exitCode: number, line: RegExp): void {
  expect(stderr).toMatch(line);
  expect(stderr).toMatch(/^esk: [a-z_]+: .+\n$/);
  expect(code).toBe(exitCode);
  expect(stdout.toString()).toBe('');
}

/** What stands at the end of the line where the service was asked. */
export const REQUEST = String.raw`\(request [0-9a-f-]{36}\)\n$`;
