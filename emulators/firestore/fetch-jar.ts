import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning, takeLock } from '../base/lock-file.ts';
import { resolvePackage } from '../base/repository.ts';
import { StartError } from '../base/start-error.ts';
import { cacheOf, jarsIn } from './find-jar.ts';

const COMMAND = 'firebase setup:emulators:firestore';
const POLL_MS = 200;

/**
 * The Java version that the default emulator of `firebase-tools` 15 needs. With an older Java, the stack uses an older
 * emulator.
 */
const NEWEST_NEEDS_JAVA = 21;
const FOR_OLDER_JAVA = {
  version: '1.19.8',
  sha256: '9d43599ed6151199e8d604dc87fac51218e49e5f3a48519b1ae560bbe5e3382d',
};

/** Downloads the emulator and returns the jar's path. Throws {@link StartError} if the download fails. */
export async function fetchFirestoreJar(env: NodeJS.ProcessEnv, javaMajor: number): Promise<string> {
  const cache = cacheOf(env);
  mkdirSync(cache, { recursive: true });
  for (;;) {
    const lock = takeLock(join(cache, 'fetching.lock'));
    if ('holder' in lock) {
      await sleep(POLL_MS);
      continue;
    }
    try {
      return jarsIn(cache)[0] ?? (await fetchInto(cache, env, javaMajor));
    } finally {
      lock.release();
    }
  }
}

/**
 * Downloads the jar into a separate folder, and moves it into the cache when it is complete. `firebase-tools` writes
 * directly to the final path, so a crash would leave a partial jar in the cache.
 */
async function fetchInto(cache: string, env: NodeJS.ProcessEnv, javaMajor: number): Promise<string> {
  removeLeftovers(cache);
  const folder = join(cache, `fetching-${process.pid}`);
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    const chosen = env.FIRESTORE_EMULATOR_VERSION || javaMajor >= NEWEST_NEEDS_JAVA ? undefined : FOR_OLDER_JAVA;
    const how = await runFirebase(folder, { ...env, ...(chosen && { FIRESTORE_EMULATOR_VERSION: chosen.version }) });
    const [jar] = jarsIn(folder);
    if (how !== 'exit code 0' || jar === undefined) throw new StartError(missing(cache, `the command failed: ${how}`));
    // `firebase-tools` verifies the download itself, unless the stack chose the version.
    if (chosen !== undefined && (await sha256Of(jar)) !== chosen.sha256) {
      throw new StartError(missing(cache, `the downloaded file is not version ${chosen.version}`));
    }
    const found = join(cache, basename(jar));
    renameSync(jar, found);
    return found;
  } finally {
    process.off('exit', remove);
    remove();
  }
}

/** Runs the download. Returns how it ended: `exit code N` or the name of a signal. */
async function runFirebase(folder: string, env: NodeJS.ProcessEnv): Promise<string> {
  mkdirSync(folder);
  process.stdout.write(`No Firestore emulator found. Downloading one with ${COMMAND}; later starts reuse it\n`);
  const program = resolvePackage('firebase-tools/lib/bin/firebase.js');
  const child = spawn(process.execPath, [program, 'setup:emulators:firestore'], {
    cwd: folder,
    env: { ...env, FIREBASE_EMULATORS_PATH: folder, NO_UPDATE_NOTIFIER: '1' },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  const [code, signal] = await once(child, 'exit');
  process.off('exit', kill);
  return signal === null ? `exit code ${code}` : String(signal);
}

function missing(cache: string, why: string): string {
  return (
    `The Firestore emulator is missing, and \`${COMMAND}\` could not download it: ${why}. See the output above. ` +
    'Allow access to storage.googleapis.com and start again, or run `gcloud components install cloud-firestore-emulator`. ' +
    `You can also put the emulator's jar into ${cache}, or set FIRESTORE_EMULATOR_HOST to the address of a running emulator.`
  );
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** Removes the folders of earlier downloads whose process was killed. */
function removeLeftovers(cache: string): void {
  for (const name of readdirSync(cache)) {
    const [, pid] = /^fetching-(\d+)$/.exec(name) ?? [];
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(cache, name), { recursive: true, force: true });
  }
}
