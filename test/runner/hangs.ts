import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'vitest';
import { note } from './note.ts';

test('this test never ends, nor does its child process', async () => {
  const child = spawn('sleep', ['600']);
  await once(child, 'spawn');
  note(process.pid, child.pid);
  for (;;);
});
