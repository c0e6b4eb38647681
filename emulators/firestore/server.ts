import type { Child } from '../base/child-process.ts';
import { startChildServer } from '../base/child-server.ts';
import type { ProcessLog } from '../base/process-log.ts';
import { StartError } from '../base/start-error.ts';
import { javaNeeded } from './java.ts';

/** Part of Java's error for a class of a newer release. Version 65 belongs to Java 21 (JVMS §4.1). */
const CLASS_VERSION = /class file version (\d+)/;
const CLASS_VERSION_OF_JAVA_0 = 44;

export interface FirestoreOptions {
  readonly jar: string;
  readonly port: number;
  /** The export to import. `undefined` starts with an empty database. */
  readonly seed: string | undefined;
  readonly log: ProcessLog;
}

/** Starts Google's Firestore emulator and waits until it answers. Throws {@link StartError} if it does not. */
export async function startFirestore(options: FirestoreOptions): Promise<Child> {
  try {
    return await start(options);
  } catch (error) {
    const [, version] = CLASS_VERSION.exec(error instanceof StartError ? error.message : '') ?? [];
    if (version === undefined) throw error;
    throw new StartError(javaNeeded(Number(version) - CLASS_VERSION_OF_JAVA_0, `required by ${options.jar}`));
  }
}

function start({ jar, port, seed, log }: FirestoreOptions): Promise<Child> {
  return startChildServer({
    name: 'Firestore emulator',
    // On a machine with few cores, the serial garbage collector starts faster and leaves more CPU to the other parts.
    command: [
      'java',
      '-XX:+UseSerialGC',
      '-cp',
      jar,
      'com.google.cloud.datastore.emulator.firestore.CloudFirestore',
      '--host=127.0.0.1',
      `--port=${port}`,
      '--rules=firestore.rules',
      ...(seed === undefined ? [] : [`--seed_from_export=${seed}`]),
    ],
    log,
    readyUrl: `http://127.0.0.1:${port}/`,
  });
}
