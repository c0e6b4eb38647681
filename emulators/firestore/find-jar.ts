import { accessSync, constants, existsSync, readdirSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

const jarInSdk = join('platform', 'cloud-firestore-emulator', 'cloud-firestore-emulator.jar');
const usualSdkRoots = [
  '/usr/lib/google-cloud-sdk',
  '/usr/share/google-cloud-sdk',
  '/opt/google-cloud-sdk',
  '/opt/homebrew/share/google-cloud-sdk',
  '/usr/local/share/google-cloud-sdk',
  '/snap/google-cloud-cli/current',
];

/**
 * Finds the jar of Google's Firestore emulator: the newest in the cache of `firebase-tools`, or the component of a
 * Google Cloud SDK. Undefined when there is none.
 */
export function findFirestoreJar(env: NodeJS.ProcessEnv): string | undefined {
  const candidates = [...jarsIn(cacheOf(env)), ...sdkRoots(env).map((root) => join(root, jarInSdk))];
  return candidates.find((path) => existsSync(path));
}

/** Where `firebase-tools` keeps the emulators that it has fetched. */
export function cacheOf(env: NodeJS.ProcessEnv): string {
  return env.FIREBASE_EMULATORS_PATH || join(homedir(), '.cache', 'firebase', 'emulators');
}

/** The emulator's jars in a folder of `firebase-tools`, the newest first; none where there is no such folder. */
export function jarsIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const newestFirst = new Intl.Collator('en', { numeric: true });
  return readdirSync(folder)
    .filter((name) => /^cloud-firestore-emulator-v.*\.jar$/.test(name))
    .sort((a, b) => newestFirst.compare(b, a))
    .map((name) => join(folder, name));
}

/** The one that the environment names, or else the usual places. */
function sdkRoots(env: NodeJS.ProcessEnv): string[] {
  if (env.CLOUDSDK_ROOT_DIR) return [env.CLOUDSDK_ROOT_DIR];
  const gcloud = findOnPath('gcloud', env.PATH ?? '');
  return [
    // The command is <root>/bin/gcloud, or a link to it.
    ...(gcloud === undefined ? [] : [dirname(dirname(realpathSync(gcloud)))]),
    join(homedir(), 'google-cloud-sdk'),
    ...usualSdkRoots,
  ];
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
