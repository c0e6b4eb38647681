import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { V8_FLAGS } from '../../../functions/preload/keep-heap.ts';

/** Returns the exit status of Node with these flags. Node does not start with a flag that V8 does not know. */
function statusWith(flags: readonly string[]): number | null {
  return spawnSync(process.execPath, [...flags, '--eval', '']).status;
}

test('V8 knows every flag in V8_FLAGS', () => {
  expect(statusWith(V8_FLAGS)).toBe(0);
  expect(statusWith(['--no-such-flag-of-v8'])).not.toBe(0);
});
