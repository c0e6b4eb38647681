import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { V8_FLAGS } from '../../../functions/preload/keep-heap.ts';

/** How a process ends that is given these flags: Node does not start with one that V8 does not know. */
function statusWith(flags: readonly string[]): number | null {
  return spawnSync(process.execPath, [...flags, '--eval', '']).status;
}

test('the flags are some that V8 knows', () => {
  expect(statusWith(V8_FLAGS)).toBe(0);
  expect(statusWith(['--no-such-flag-of-v8'])).not.toBe(0);
});
