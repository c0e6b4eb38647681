import type { Child } from '../stack/child-process.ts';
import { startChildServer } from '../stack/child-server.ts';
import type { ProcessLog } from '../stack/process-log.ts';
import { StartError } from '../stack/start-error.ts';
import { findFirestoreJar } from './find-jar.ts';
import { requireJava } from './java.ts';

const missingJar =
  'the Firestore emulator is missing; install it with `npx firebase setup:emulators:firestore` ' +
  'or `gcloud components install cloud-firestore-emulator`';

/**
 * Starts Google's Firestore emulator and waits until it answers.
 * Throws {@link StartError} without Java or the emulator's jar, or when the emulator does not come up.
 */
export async function startFirestore(options: {
  port: number;
  seed: string | undefined;
  log: ProcessLog;
}): Promise<Child> {
  const jar = findFirestoreJar(process.env);
  if (jar === undefined) throw new StartError(missingJar);
  await requireJava();
  return startChildServer({
    name: 'Firestore emulator',
    // With few cores a serial collector starts sooner and leaves the other parts their share.
    command: [
      'java',
      '-XX:+UseSerialGC',
      '-cp',
      jar,
      'com.google.cloud.datastore.emulator.firestore.CloudFirestore',
      '--host=127.0.0.1',
      `--port=${options.port}`,
      '--rules=firestore.rules',
      ...(options.seed === undefined ? [] : [`--seed_from_export=${options.seed}`]),
    ],
    log: options.log,
    readyUrl: `http://127.0.0.1:${options.port}/`,
  });
}
