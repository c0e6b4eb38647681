import type { Child } from '../stack/child-process.ts';
import { startChildServer } from '../stack/child-server.ts';
import type { ProcessLog } from '../stack/process-log.ts';
import { StartError } from '../stack/start-error.ts';
import { javaNeeded } from './java.ts';

/** What a Java release says of a class that was made for a later one: such as 65 for Java 21 (JVMS §4.1). */
const tooNew = /class file version (\d+)/;
const classVersionOfJava = 44;

/** Starts Google's Firestore emulator and waits until it answers. Throws {@link StartError} when it does not come up. */
export async function startFirestore(options: {
  /** As {@link provideFirestore} finds it. */
  jar: string;
  port: number;
  seed: string | undefined;
  log: ProcessLog;
}): Promise<Child> {
  try {
    return await start(options);
  } catch (error) {
    const [, version] = tooNew.exec(error instanceof StartError ? error.message : '') ?? [];
    if (version === undefined) throw error;
    throw new StartError(javaNeeded(Number(version) - classVersionOfJava, `${options.jar} is made for it`));
  }
}

function start({ jar, port, seed, log }: Parameters<typeof startFirestore>[0]): Promise<Child> {
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
      `--port=${port}`,
      '--rules=firestore.rules',
      ...(seed === undefined ? [] : [`--seed_from_export=${seed}`]),
    ],
    log,
    readyUrl: `http://127.0.0.1:${port}/`,
  });
}
