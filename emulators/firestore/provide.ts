import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  accessSync,
  constants,
  createReadStream,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isRunning, takeLock } from '../base/lock-file.ts';
import { resolvePackage } from '../base/repository.ts';
import { StartError } from '../base/start-error.ts';

/**
 * Returns the path of the emulator's jar, after a download if necessary. Returns `undefined` if FIRESTORE_EMULATOR_HOST
 * is set. Throws {@link StartError} if there is no usable Java or the download fails.
 */
export async function provideFirestore(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (env.FIRESTORE_EMULATOR_HOST) return undefined;
  const javaMajor = await requireJava();
  return findFirestoreJar(env, javaMajor) ?? (await fetchFirestoreJar(env, javaMajor));
}

const run = promisify(execFile);
const OLDEST_MAJOR = 17;

/** Returns the major version of Java, such as 21. Throws {@link StartError} if Java is missing or too old. */
async function requireJava(): Promise<number> {
  const found = await javaVersion();
  const major = Number(/"(\d+)/.exec(found ?? '')?.[1]);
  if (major >= OLDEST_MAJOR) return major;
  throw new StartError(javaNeeded(OLDEST_MAJOR, found ?? 'found no java on the PATH'));
}

/** Returns a message that tells the user to install or update Java. `found` describes the installed Java. */
export function javaNeeded(major: number, found: string): string {
  return `The Firestore emulator needs Java ${major} or newer (${found}). Install it, for example with \`${install(major)}\``;
}

function install(major: number): string {
  return process.platform === 'darwin'
    ? 'brew install --cask temurin'
    : `apt-get install openjdk-${major}-jre-headless`;
}

async function javaVersion(): Promise<string | undefined> {
  try {
    // Java prints its version to standard error, for example: openjdk version "17.0.15" 2025-04-15
    const { stderr } = await run('java', ['-version']);
    return stderr.split('\n').find((line) => line.includes(' version '));
  } catch {
    return undefined;
  }
}

const JAR_IN_SDK = join('platform', 'cloud-firestore-emulator', 'cloud-firestore-emulator.jar');
const USUAL_SDK_ROOTS = [
  '/usr/lib/google-cloud-sdk',
  '/usr/share/google-cloud-sdk',
  '/opt/google-cloud-sdk',
  '/opt/homebrew/share/google-cloud-sdk',
  '/usr/local/share/google-cloud-sdk',
  '/snap/google-cloud-cli/current',
];

/**
 * Returns the newest jar in the cache of `firebase-tools` that this version of Java is known to run, or else the newest
 * jar. If the cache has no jar, returns the jar of an installed Google Cloud SDK, if any.
 */
export function findFirestoreJar(env: NodeJS.ProcessEnv, javaMajor = NEWEST_NEEDS_JAVA): string | undefined {
  const cached = jarsIn(cacheOf(env));
  const runnable = cached.filter(
    (jar) => javaMajor >= NEWEST_NEEDS_JAVA || byVersion.compare(basename(jar), NEWEST_FOR_OLDER_JAVA) <= 0,
  );
  const candidates = [...runnable, ...cached, ...sdkRoots(env).map((root) => join(root, JAR_IN_SDK))];
  return candidates.find((path) => existsSync(path));
}

/**
 * Returns the folder where `firebase-tools` keeps its downloads. Without a home in which it can be created, it is in the
 * folder for temporary files.
 */
function cacheOf(env: NodeJS.ProcessEnv): string {
  if (env.FIREBASE_EMULATORS_PATH) return resolve(env.FIREBASE_EMULATORS_PATH);
  const person = home();
  const usual = person && resolve(person, CACHE);
  return usual && (jarsIn(usual).length > 0 || canCreateIn(usual)) ? usual : join(ownFolder(tmpdir()), CACHE);
}

const CACHE = join('.cache', 'firebase', 'emulators');

/** Returns whether files can be created in a folder, which is created if it does not exist. */
function canCreateIn(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

const byVersion = new Intl.Collator('en', { numeric: true });

/** Returns the emulator jars in a folder, newest first. */
function jarsIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => /^cloud-firestore-emulator-v.*\.jar$/.test(name))
    .sort((a, b) => byVersion.compare(b, a))
    .map((name) => join(folder, name));
}

function sdkRoots(env: NodeJS.ProcessEnv): string[] {
  if (env.CLOUDSDK_ROOT_DIR) return [env.CLOUDSDK_ROOT_DIR];
  const gcloud = findOnPath('gcloud', env.PATH ?? '');
  const person = home();
  return [
    // The path of the command `gcloud` is `<root>/bin/gcloud`, or is a link to that path.
    ...(gcloud === undefined ? [] : [dirname(dirname(realpathSync(gcloud)))]),
    ...(person === undefined ? [] : [join(person, 'google-cloud-sdk')]),
    ...USUAL_SDK_ROOTS,
  ];
}

/** Returns the person's home, if any. In a container, a user can have none. */
function home(): string | undefined {
  try {
    return homedir() || undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns a folder in `parent` that only this user can use. Creates it if it does not exist. Throws {@link StartError} if
 * others can use it, because they could put another program there.
 */
export function ownFolder(parent: string): string {
  const uid = process.getuid?.();
  const folder = join(parent, `local-stack-${uid}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  if (found.isDirectory() && found.uid === uid && (found.mode & 0o077) === 0) return folder;
  throw new StartError(
    `Other users can write to ${folder}. Delete it, or set FIREBASE_EMULATORS_PATH to another folder.`,
  );
}

function findOnPath(command: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .map((dir) => join(dir, command))
    .find((file) => isExecutable(file));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

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
const NEWEST_FOR_OLDER_JAVA = `cloud-firestore-emulator-v${FOR_OLDER_JAVA.version}.jar`;

/** Downloads the emulator and returns the jar's path. Throws {@link StartError} if the download fails. */
async function fetchFirestoreJar(env: NodeJS.ProcessEnv, javaMajor: number): Promise<string> {
  const cache = cacheOf(env);
  if (!canCreateIn(cache)) {
    throw new StartError(`Nothing can be written to ${cache}. Set FIREBASE_EMULATORS_PATH to another folder.`);
  }
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
