import { accessSync, constants, existsSync, lstatSync, mkdirSync, readdirSync, realpathSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { StartError } from '../base/start-error.ts';

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
 * Returns the newest jar in the cache of `firebase-tools`. If the cache has no jar, returns the jar of an installed
 * Google Cloud SDK, if any.
 */
export function findFirestoreJar(env: NodeJS.ProcessEnv): string | undefined {
  const candidates = [...jarsIn(cacheOf(env)), ...sdkRoots(env).map((root) => join(root, JAR_IN_SDK))];
  return candidates.find((path) => existsSync(path));
}

/** Returns the folder where `firebase-tools` keeps its downloads. */
export function cacheOf(env: NodeJS.ProcessEnv): string {
  return env.FIREBASE_EMULATORS_PATH || join(home() ?? ownFolder(tmpdir()), '.cache', 'firebase', 'emulators');
}

/** Returns the emulator jars in a folder, newest first. */
export function jarsIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const newestFirst = new Intl.Collator('en', { numeric: true });
  return readdirSync(folder)
    .filter((name) => /^cloud-firestore-emulator-v.*\.jar$/.test(name))
    .sort((a, b) => newestFirst.compare(b, a))
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
    return homedir();
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
