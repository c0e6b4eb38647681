import { Firestore } from '@google-cloud/firestore';
import { type Child, type ProcessLog, startChildServer } from '../base/child-process.ts';
import { PROJECT_ID } from '../base/repository.ts';
import { StartError } from '../base/start-error.ts';
import { javaNeeded } from './provide.ts';

/** Returns a client for the emulator at `host:port`. Security rules do not apply to the client. */
export function makeFirestoreClient(emulator: string, projectId: string = PROJECT_ID): Firestore {
  return new Firestore({
    projectId,
    host: emulator,
    ssl: false,
    // The emulator treats this token as a server's credential.
    customHeaders: { Authorization: 'Bearer owner' },
  });
}

/**
 * Matches part of the error that Java prints for a class that needs a newer version of Java. Class file version 65
 * belongs to Java 21 (JVMS §4.1).
 */
const CLASS_VERSION = /class file version (\d+)/;
const CLASS_VERSION_OF_JAVA_0 = 44;

export interface FirestoreOptions {
  readonly jar: string;
  readonly port: number;
  /** The export that the emulator imports. Without it, the database is empty at first. */
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
    // The serial garbage collector starts faster on a machine with few cores, and leaves more CPU time to the other
    // parts.
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
    // In the locale C, Java refuses folders whose names are not ASCII.
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
    log,
    readyUrl: `http://127.0.0.1:${port}/`,
  });
}
