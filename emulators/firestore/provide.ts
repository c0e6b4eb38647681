import { fetchFirestoreJar } from './fetch-jar.ts';
import { findFirestoreJar } from './find-jar.ts';
import { requireJava } from './java.ts';

/**
 * The path of the emulator's jar, which is fetched where none is found; `undefined` where the environment names an
 * emulator that runs. Checks first that there is a Java to run it. Throws {@link StartError} without one, or when the jar
 * cannot be fetched.
 */
export async function provideFirestore(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (env.FIRESTORE_EMULATOR_HOST) return undefined;
  const javaMajor = await requireJava();
  return findFirestoreJar(env) ?? (await fetchFirestoreJar(env, javaMajor));
}
