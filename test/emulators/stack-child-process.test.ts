import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { type Child, openProcessLog, startChild } from '../../emulators/base/child-process.ts';

function start(script: string): Child {
  const child = startChild({ name: 'part', command: ['sh', '-c', script], log: openProcessLog(undefined) });
  onTestFinished(() => child.stop(0));
  return child;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('when a child process ends, its exit code and its last lines of output are reported', async () => {
  const child = start('echo working; echo failed >&2; exit 3');
  expect(await child.ended).toBe('exit code 3');
  await expect.poll(child.tail).toBe('working\nfailed');
});

test('a command that does not exist is reported as exit code 127', async () => {
  const child = startChild({ name: 'part', command: ['no-such-command'], log: openProcessLog(undefined) });
  expect(await child.ended).toBe('exit code 127');
});

test('a child process that is told to stop gets time to finish its work', async () => {
  const child = start("trap 'echo saved; exit 0' TERM; echo ready; while :; do sleep 0.01; done");
  await expect.poll(child.tail).toBe('ready');
  await child.stop(60_000);
  await expect.poll(child.tail).toBe('ready\nsaved');
  expect(await child.ended).toBe('exit code 0');
});

test('a child process that does not stop in time is killed, together with its own child processes', async () => {
  const log = openProcessLog(undefined);
  const outputs: Promise<unknown>[] = [];
  const follow = (stream: Readable): void => {
    log.follow(stream);
    outputs.push(once(stream, 'end'));
  };
  const command = ['sh', '-c', "trap '' TERM; sleep 600 & echo ready; wait"];
  const child = startChild({ name: 'part', command, log: { ...log, follow } });
  await expect.poll(child.tail).toBe('ready');
  await child.stop(10);
  expect(await child.ended).toBe('SIGKILL');
  // The output ends when the last process that can write to it ends.
  await Promise.all(outputs);
});

test('a child process ends when the stack that started it is killed', async () => {
  const stack = spawn(process.execPath, [
    '--input-type=module-typescript',
    '-e',
    `import { startChild } from '${new URL('../../emulators/base/child-process.ts', import.meta.url)}';
     const log = { follow: (stream) => stream.pipe(process.stdout), tail: () => '', close: () => undefined };
     startChild({ name: 'part', command: ['sh', '-c', 'echo $$; exec sleep 600'], log });`,
  ]);
  const [line] = await once(stack.stdout, 'data');
  const part = Number(String(line));
  expect(isRunning(part)).toBe(true);
  stack.kill('SIGKILL');
  await expect.poll(() => isRunning(part)).toBe(false);
});
