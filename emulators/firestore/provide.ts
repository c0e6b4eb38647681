import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { StartError } from '../base/start-error.ts';
import { fetchFirestoreJar } from './fetch-jar.ts';
import { findFirestoreJar } from './find-jar.ts';

/**
 * Returns the path of the emulator's jar, after a download if necessary. Returns `undefined` if FIRESTORE_EMULATOR_HOST
 * is set. Throws {@link StartError} if there is no usable Java or the download fails.
 */
export async function provideFirestore(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (env.FIRESTORE_EMULATOR_HOST) return undefined;
  const javaMajor = await requireJava();
  return findFirestoreJar(env) ?? (await fetchFirestoreJar(env, javaMajor));
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
