import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { note } from './note.ts';

test('fails before it ends its child, which has this process’s error output', () => {
  note(spawn('sleep', ['600'], { stdio: ['ignore', 'ignore', 'inherit'] }).pid);
  expect('an answer').toBe('none');
});
