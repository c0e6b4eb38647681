import { accessSync, constants, existsSync, readdirSync, realpathSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

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
  return env.FIREBASE_EMULATORS_PATH || join(home(), '.cache', 'firebase', 'emulators');
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
  return [
    // The path of the command `gcloud` is `<root>/bin/gcloud`, or is a link to that path.
    ...(gcloud === undefined ? [] : [dirname(dirname(realpathSync(gcloud)))]),
    join(home(), 'google-cloud-sdk'),
    ...USUAL_SDK_ROOTS,
  ];
}

/** Returns the person's home. In a container, a user can have none; then a temporary folder takes its place. */
function home(): string {
  try {
    return homedir();
  } catch {
    return tmpdir();
  }
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
