import {
  chmod,
  chown,
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { makeVerifierKey } from '../../../shared/transparency/verifier-key.ts';
import { UnfinishedFile, writeText } from '../../src/cli/atomic-file.ts';
import { readEnvironment } from '../../src/cli/environment.ts';
import { openInput } from '../../src/cli/input.ts';
import { withProfileLock } from '../../src/cli/profile-lock.ts';
import { LogExport } from '../../src/cli/sealed-log/export.ts';
import {
  checkpointPath,
  earlierPath,
  readAcknowledged,
  readCheckpoint,
  removeCheckpoint,
  writeAcknowledged,
  writeCheckpoint,
} from '../../src/cli/sealed-log/kept-checkpoint.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const at = (name: string) => join(folder.path, name);
const names = async () => (await readdir(folder.path)).sort();

const isRoot = process.getuid?.() === 0;

/** The home of the account. Without `HOME`, Node reads it from the system. */
const homeOfAccount = userInfo().homedir;

/** Returns the prototype of open files, for mocks. */
async function fileHandle(): Promise<FileHandle> {
  const file = await open(folder.path);
  await file.close();
  return Object.getPrototypeOf(file);
}

describe('written files', () => {
  test.each([
    ['a missing file', 'missing'],
    ['itself', 'link'],
  ])('writing through a symbolic link to %s fails and leaves the link unchanged', async (_, to) => {
    await symlink(to, at('link'));
    await expect(writeText(at('link'), 'new', 0o600)).rejects.toMatchObject({
      code: 'file_error',
      message: `${at('link')}: is a symbolic link to a file that does not exist; remove the link, or use another path`,
    });
    expect(await names()).toEqual(['link']);
    expect(await readlink(at('link'))).toBe(to);
  });

  test.skipIf(!isRoot).each([
    ['its group, if only its owner cannot be kept', -1, 4321, 0o660],
    ['no rights of another group, if its group cannot be kept either', undefined, 0, 0o600],
  ])('a replaced file keeps %s (skipped unless root)', async (_, allowedUid, gid, mode) => {
    await writeFile(at('shared'), 'old');
    await chmod(at('shared'), 0o660);
    await chown(at('shared'), 1234, 4321);
    const prototype = await fileHandle();
    const { chown: change } = prototype;
    vi.spyOn(prototype, 'chown').mockImplementation(function (this: FileHandle, uid, group) {
      return uid === allowedUid ? change.call(this, uid, group) : Promise.reject(new Error('not permitted'));
    });
    onTestFinished(() => void vi.restoreAllMocks());
    await writeText(at('shared'), 'new', 0o600);
    const found = await stat(at('shared'));
    expect([found.gid, found.mode & 0o7777]).toEqual([gid, mode]);
  });

  const failToChmod = async (code: string) => {
    vi.spyOn(await fileHandle(), 'chmod').mockRejectedValue(Object.assign(new Error(code), { code }));
    onTestFinished(() => void vi.restoreAllMocks());
  };

  test.each(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])(
    'a file is written and replaced on a file system without permissions (%s), and others get no rights',
    async (code) => {
      await failToChmod(code);
      for (const text of ['new', 'replaced']) {
        await writeText(at('file'), text, 0o666);
        expect(await readFile(at('file'), 'utf8')).toBe(text);
        expect((await stat(at('file'))).mode & 0o777).toBe(0o600);
      }
    },
  );

  test('a file is not written if its permissions cannot be set for another reason', async () => {
    await failToChmod('EIO');
    await expect(writeText(at('file'), 'new', 0o600)).rejects.toThrow('EIO');
    expect(await names()).toEqual([]);
  });

  const FILES = ['checkpoint.txt', 'entries.jsonl', 'key.txt', 'restorations.json', 'seals.json'];

  test('an export of the audit log does not follow symbolic links in its folder', async () => {
    await writeFile(at('victim'), 'untouched');
    for (const name of [...FILES, 'entries.jsonl.part']) await symlink('victim', at(name));
    const files = await LogExport.begin(folder.path);
    await files.finish(makeVerifierKey('log.example/tenant', new Uint8Array(32)), []);
    expect(await readFile(at('victim'), 'utf8')).toBe('untouched');
    expect(await readFile(at('entries.jsonl'), 'utf8')).toBe('');
  });

  test('concurrent exports use temporary files with unique names, and an abandoned export leaves no files', async () => {
    const exports = [await LogExport.begin(folder.path), await LogExport.begin(folder.path)];
    expect(new Set(await names()).size).toBe(2 * FILES.length);
    for (const one of exports) await one.giveUp();
    expect(await names()).toEqual([]);
  });

  test('an export that cannot create all its files leaves none', async () => {
    const begin = UnfinishedFile.begin;
    vi.spyOn(UnfinishedFile, 'begin').mockImplementation((path) =>
      path.endsWith('entries.jsonl') ? Promise.reject(new Error('full')) : begin(path),
    );
    onTestFinished(() => void vi.restoreAllMocks());
    await expect(LogExport.begin(folder.path)).rejects.toThrow('full');
    expect(await names()).toEqual([]);
  });

  test.each(['a'.repeat(255), '備'.repeat(85)])('a file can have a name of 255 bytes, the maximum', async (name) => {
    await writeText(at(name), 'text', 0o600);
    expect(await names()).toEqual([name]);
    expect(await readFile(at(name), 'utf8')).toBe('text');
  });

  test('a name that is not UTF-8 is refused, because Node would use another file', async () => {
    const path = at(Buffer.from([0x61, 0xff]).toString());
    const message = `${path}: is a name that is not valid UTF-8; rename the file, or use a pipe`;
    for (const use of [openInput(path), writeText(path, 'text', 0o600), LogExport.begin(path)])
      await expect(use).rejects.toMatchObject({ code: 'file_error', message });
    expect(await names()).toEqual([]);
  });
});

describe('folders of the user', () => {
  test.each([
    ['$XDG_CONFIG_HOME', { XDG_CONFIG_HOME: '/config', HOME: '/home/ada' }, '/config'],
    ['$HOME', { HOME: '/home/ada' }, '/home/ada/.config'],
    ['$HOME if $XDG_CONFIG_HOME is relative', { XDG_CONFIG_HOME: 'config', HOME: '/home/ada' }, '/home/ada/.config'],
    ['the home of the account if $HOME is empty', { HOME: '' }, `${homeOfAccount}/.config`],
    ['the home of the account if $HOME is relative', { HOME: '.' }, `${homeOfAccount}/.config`],
  ])('the profile is in %s, never in the current folder', (_, env, base) => {
    expect(readEnvironment(env).folder).toBe(`${base}/esk`);
  });

  test.each([
    [{ XDG_CONFIG_HOME: '/config', XDG_STATE_HOME: '/state', HOME: '/home/ada' }, '/config', '/state'],
    [{ HOME: '/home/ada' }, '/home/ada/.config', '/home/ada/.local/state'],
    [{ HOME: '', XDG_STATE_HOME: 'state' }, `${homeOfAccount}/.config`, `${homeOfAccount}/.local/state`],
  ])('with %j, checkpoints are in the folder of the profile, and those of esk 1.0.0 are found', (env, base, state) => {
    const file = 'esk/checkpoints/esk.example%3A8443/1.txt';
    expect(checkpointPath('https://esk.example:8443', '1', env)).toBe(`${base}/${file}`);
    expect(earlierPath('https://esk.example:8443', '1', env)).toBe(`${state}/${file}`);
  });
});

describe('kept checkpoints', () => {
  const hash = `${'A'.repeat(43)}=`;
  const checkpoint = (size: number) => `example.com/log\n${size}\n${hash}\n\n— one AAAAAAAA\n`;

  test('a checkpoint at the earlier path is read until there is one at the new path', async () => {
    const size = async () => (await readCheckpoint(at('new'), at('earlier')))?.checkpoint.size;
    expect(await size()).toBeUndefined();
    await writeCheckpoint(at('earlier'), checkpoint(4));
    expect(await size()).toBe(4);
    await writeCheckpoint(at('new'), checkpoint(9));
    expect(await size()).toBe(9);
    await removeCheckpoint(at('new'), at('earlier'));
    expect(await size()).toBeUndefined();
  });
});

describe('the lock of a profile', () => {
  /** Creates a lock, as a program that was killed at this time leaves it behind. */
  async function leaveLock(secondsAgo: number): Promise<void> {
    await mkdir(at('lock'));
    const time = new Date(Date.now() - secondsAgo * 1000);
    await utimes(at('lock'), time, time);
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

  test.each([0, 10, -20])(
    'if a lock is %i seconds old, esk says after two seconds that it waits, and gives up after a minute',
    async (age) => {
      await leaveLock(age);
      const wait = fakeWait();
      const failed = withProfileLock(folder.path, async () => 'done', wait);
      await expect(failed).rejects.toMatchObject({ code: 'locked', exitCode: 1 });
      expect(wait.said).toEqual([expect.stringMatching(/^2000: Waiting for another esk /)]);
      expect(wait.now()).toBe(60_000);
      expect(await names()).toEqual(['lock']);
    },
  );

  test.each([40, -40, 1_000_000])('if a lock is %i seconds old, esk takes it over at once', async (age) => {
    await leaveLock(age);
    const wait = fakeWait();
    expect(await withProfileLock(folder.path, async () => 'done', wait)).toBe('done');
    expect(wait.now()).toBe(0);
    expect(await names()).toEqual([]);
  });

  test('of many programs that find a stale lock, only one at a time takes it over', async () => {
    for (let round = 0; round < 10; round += 1) {
      await leaveLock(40);
      let holders = 0;
      const task = async () => {
        holders += 1;
        await new Promise(setImmediate);
        expect(holders).toBe(1);
        holders -= 1;
      };
      // A shorter pause would take the whole processor from other tests.
      const wait = { ...fakeWait(), now: () => 0, pause: () => pause(1) };
      await Promise.all(Array.from({ length: 8 }, () => withProfileLock(folder.path, task, wait)));
      expect(await names()).toEqual([]);
    }
  });

  test('a new lock is not stale if the clock of the file server differs', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
    onTestFinished(() => void vi.useRealTimers());
    await withProfileLock(folder.path, async () => {
      const another = withProfileLock(folder.path, async () => 'done', fakeWait());
      await expect(another).rejects.toMatchObject({ code: 'locked' });
    });
  });

  test('a holder renews its lock every ten seconds', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    await withProfileLock(folder.path, async () => {
      await utimes(at('lock'), 0, 0);
      vi.advanceTimersByTime(10_000);
      await expect.poll(async () => (await stat(at('lock'))).mtimeMs).toBeGreaterThan(0);
    });
  });

  test('a lock that was taken over is not removed by its earlier holder', async () => {
    // The holder was suspended, and another program takes the lock over.
    await withProfileLock(folder.path, async () => void (await mkdir(join(at('lock'), '1'))));
    expect(await names()).toEqual(['lock']);
  });

  test('a lock that another program created anew is not removed by an earlier holder', async () => {
    const release = Promise.withResolvers<void>();
    let another: Promise<void> | undefined;
    await withProfileLock(folder.path, async () => {
      // The holder was suspended. Another program took the lock over and removed it.
      await rm(at('lock'), { recursive: true });
      await new Promise<void>((locked) => {
        another = withProfileLock(folder.path, () => {
          locked();
          return release.promise;
        });
      });
    });
    expect(await names()).toEqual(['lock']);
    release.resolve();
    await another;
    expect(await names()).toEqual([]);
  });
});

describe('acknowledged statements about restores', () => {
  const [newer, older] = ['E', 'A'].map((letter) => `${letter.repeat(43)}=`);
  /** A statement with two signatures. */
  const statement = (number: number) =>
    `example.com/log/restored\n9 ${newer}\n4 ${older}\n${number}\n\n— one AAAAAAAA\n— two AAAAAAAA\n`;

  test.each([1, 2, 3])('%i acknowledged statements are read as they were written', async (count) => {
    const statements = Array.from({ length: count }, (_, at) => statement(at + 1));
    await writeAcknowledged(at('kept'), statements);
    expect(await readAcknowledged(at('kept'))).toEqual(statements);
  });

  test('statements at the earlier path are read until there are some at the new path', async () => {
    await writeAcknowledged(at('earlier'), [statement(1)]);
    expect(await readAcknowledged(at('new'), at('earlier'))).toEqual([statement(1)]);
    await writeAcknowledged(at('new'), [statement(2)]);
    expect(await readAcknowledged(at('new'), at('earlier'))).toEqual([statement(2)]);
  });

  test('a file of acknowledged statements that was cut short is refused', async () => {
    await writeAcknowledged(at('kept'), [statement(1), statement(2)]);
    const whole = await readFile(at('kept'), 'utf8');
    for (const end of [-1, -20, -100]) {
      await writeFile(at('kept'), whole.slice(0, end));
      await expect(readAcknowledged(at('kept'))).rejects.toMatchObject({ code: 'invalid_checkpoint' });
    }
  });
});
