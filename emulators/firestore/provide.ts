import { fetchFirestoreJar } from './fetch-jar.ts';
import { findFirestoreJar } from './find-jar.ts';
import { requireJava } from './java.ts';

/**
 * Returns the path of the emulator's jar, after a download if necessary. Returns `undefined` if FIRESTORE_EMULATOR_HOST
 * is set. Throws {@link StartError} if there is no usable Java or the download fails.
 */
export async function provideFirestore(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (env.FIRESTORE_EMULATOR_HOST) return undefined;
  const javaMajor = await requireJava();
  return findFirestoreJar(env) ?? (await fetchFirestoreJar(env, javaMajor));
}
