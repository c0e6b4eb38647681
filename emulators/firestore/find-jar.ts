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
export function findFirestoreJar(env: NodeJS.ProcessEnv, home = homedir()): string | undefined {
  const candidates = [...cachedJars(home), ...sdkRoots(env, home).map((root) => join(root, jarInSdk))];
  return candidates.find((path) => existsSync(path));
}

function cachedJars(home: string): string[] {
  const cache = join(home, '.cache', 'firebase', 'emulators');
  if (!existsSync(cache)) return [];
  const newestFirst = new Intl.Collator('en', { numeric: true });
  return readdirSync(cache)
    .filter((name) => /^cloud-firestore-emulator-v.*\.jar$/.test(name))
    .sort((a, b) => newestFirst.compare(b, a))
    .map((name) => join(cache, name));
}

function sdkRoots(env: NodeJS.ProcessEnv, home: string): string[] {
  const gcloud = findOnPath('gcloud', env.PATH ?? '');
  return [
    ...(env.CLOUDSDK_ROOT_DIR === undefined ? [] : [env.CLOUDSDK_ROOT_DIR]),
    // The command is <root>/bin/gcloud, or a link to it.
    ...(gcloud === undefined ? [] : [dirname(dirname(realpathSync(gcloud)))]),
    join(home, 'google-cloud-sdk'),
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
