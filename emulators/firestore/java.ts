import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { StartError } from '../stack/start-error.ts';

const run = promisify(execFile);
const oldestMajor = 17;

/** Throws {@link StartError} unless the `java` on the PATH runs and is new enough for the emulator. */
export async function requireJava(): Promise<void> {
  const found = await javaVersion();
  if (found !== undefined && Number(/"(\d+)/.exec(found)?.[1]) >= oldestMajor) return;
  throw new StartError(
    `Java ${oldestMajor} or newer is needed for the Firestore emulator (${found ?? 'no java on the PATH that runs'})`,
  );
}

async function javaVersion(): Promise<string | undefined> {
  try {
    // The version goes to standard error: openjdk version "17.0.15" 2025-04-15
    const { stderr } = await run('java', ['-version']);
    return stderr.split('\n').find((line) => line.includes(' version '));
  } catch {
    return undefined;
  }
}
