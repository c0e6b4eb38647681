import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { isRunning } from '../../emulators/base/lock-file.ts';
import { ROOT } from '../sources.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Run {
  readonly runner: ChildProcess;
  /** Resolves with the run’s exit code and error output, once no process can write to the output any more. */
  readonly ended: Promise<{ readonly code: number | null; readonly errorOutput: string }>;
  /** Returns the ids of the processes that the test file has noted. */
  noted(): number[];
}

/** Runs a test file of this folder with Vitest. */
function run(file: string, silenceMs: number): Run {
  const NOTED = join(temporaryFolder('runner'), 'noted');
  const args = ['run', '--config=test/runner/vitest.config.ts', `test/runner/${file}`];
  const runner = spawn(process.execPath, [join(ROOT, 'node_modules/vitest/vitest.mjs'), ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, NOTED, SILENCE_MS: String(silenceMs) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = Promise.all([once(runner, 'close'), text(runner.stderr)]);
  return {
    runner,
    ended: ended.then(([[code], errorOutput]) => ({ code, errorOutput })),
    noted: () => (existsSync(NOTED) ? z.array(z.int()).parse(JSON.parse(readFileSync(NOTED, 'utf8'))) : []),
  };
}

async function areGone(ids: readonly number[]): Promise<void> {
  await vi.waitUntil(() => !ids.some(isRunning), { timeout: 30_000 });
}

describe.concurrent('a run of Vitest', () => {
  test('a test run ends even if a test leaves its child process running, and the child process ends too', async () => {
    const { ended, noted } = run('leaves-child.ts', 60_000);
    const { code, errorOutput } = await ended;
    expect(code).toBe(1);
    expect(errorOutput).not.toContain('the run hangs');
    expect(noted()).toHaveLength(1);
    await areGone(noted());
  });

  test('a test run with a hanging worker fails with the name of the test file, and ends the worker and its child processes', async () => {
    const { ended, noted } = run('hangs.ts', 4_000);
    const { code, errorOutput } = await ended;
    expect(code).toBe(1);
    expect(errorOutput).toMatch(/the run hangs: nothing has begun or ended for \d s: test\/runner\/hangs\.ts/);
    // On a busy machine, the test might not have started. Then the list of noted processes is empty.
    await areGone(noted());
  });

  test('when a test run is killed, all its workers and their child processes end', async () => {
    const { runner, noted } = run('hangs.ts', 60_000);
    await vi.waitUntil(() => noted().length > 0, { timeout: 50_000 });
    runner.kill('SIGKILL');
    await areGone(noted());
  });
});
