import { mkdir, readdir, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { withProfileLock } from '../../src/cli/profile-lock.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();

/** Creates a lock, as a program that was killed at this time leaves it behind. */
async function leaveLock(secondsAgo: number): Promise<void> {
  const lock = join(folder.path, 'lock');
  await mkdir(lock);
  const time = new Date(Date.now() - secondsAgo * 1000);
  await utimes(lock, time, time);
}

/** A wait whose clock only the pauses move. */
function fakeWait() {
  const said: string[] = [];
  let ms = 0;
  const pause = async (milliseconds: number) => {
    ms += milliseconds;
  };
  return { now: () => ms, pause, tell: (line: string) => void said.push(`${ms}: ${line}`), said };
}

describe('a lock that another program holds', () => {
  test.each([0, 10, -20])(
    'if it is %i seconds old, esk says after two seconds that it waits, and gives up after a minute',
    async (age) => {
      await leaveLock(age);
      const wait = fakeWait();
      await expect(withProfileLock(folder.path, async () => 'done', wait)).rejects.toMatchObject({
        code: 'locked',
        exitCode: 1,
      });
      expect(wait.said).toEqual([expect.stringMatching(/^2000: Waiting for another esk /)]);
      expect(wait.now()).toBe(60_000);
      expect(await readdir(folder.path)).toEqual(['lock']);
    },
  );

  test.each([40, -40, 1_000_000])('if it is %i seconds old, esk takes it over at once', async (age) => {
    await leaveLock(age);
    const wait = fakeWait();
    expect(await withProfileLock(folder.path, async () => 'done', wait)).toBe('done');
    expect(wait.now()).toBe(0);
    expect(await readdir(folder.path)).toEqual([]);
  });
});

test('of many programs that find a stale lock, only one at a time takes it over', async () => {
  for (let round = 0; round < 20; round += 1) {
    await leaveLock(40);
    let holders = 0;
    const task = async () => {
      holders += 1;
      await new Promise(setImmediate);
      expect(holders).toBe(1);
      holders -= 1;
    };
    const wait = { ...fakeWait(), now: () => 0, pause: () => new Promise(setImmediate) };
    await Promise.all(Array.from({ length: 8 }, () => withProfileLock(folder.path, task, wait)));
    expect(await readdir(folder.path)).toEqual([]);
  }
});

test('a lock that was taken over is not removed by its earlier holder', async () => {
  const lock = join(folder.path, 'lock');
  await withProfileLock(folder.path, async () => {
    // The holder was suspended, and another program takes the lock over.
    await mkdir(join(lock, '1'));
  });
  expect(await readdir(folder.path)).toEqual(['lock']);
});

test('a lock that another program created anew is not removed by an earlier holder', async () => {
  const release = Promise.withResolvers<void>();
  let another: Promise<void> | undefined;
  await withProfileLock(folder.path, async () => {
    // The holder was suspended. Another program took the lock over and removed it.
    await rm(join(folder.path, 'lock'), { recursive: true });
    await new Promise<void>((locked) => {
      another = withProfileLock(folder.path, () => {
        locked();
        return release.promise;
      });
    });
  });
  expect(await readdir(folder.path)).toEqual(['lock']);
  release.resolve();
  await another;
  expect(await readdir(folder.path)).toEqual([]);
});
