import { expect } from 'vitest';
import type { Ended } from './esk.ts';

/** Checks a failed run of `esk`: its exit code, an empty standard output, and one line that gives the reason. */
export function expectFailure({ code, stdout, stderr }: Ended, exitCode: number, line: RegExp): void {
  expect(stderr).toMatch(line);
  expect(stderr).toMatch(/^esk: [a-z_]+: .+\n$/);
  expect(code).toBe(exitCode);
  expect(stdout.toString()).toBe('');
}

/** The end of the error line, if the service received the request. */
export const REQUEST = String.raw`\(request [0-9a-f-]{36}\)\n$`;
