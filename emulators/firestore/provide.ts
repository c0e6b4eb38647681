import { fetchFirestoreJar } from './fetch-jar.ts';
import { findFirestoreJar } from './find-jar.ts';
import { requireJava } from './java.ts';

/**
 * The emulator's jar, fetched where none is found. Throws {@link StartError} without Java to run it, which is looked for
 * first, or when it is not to be had.
 */
export async function provideFirestore(env: NodeJS.ProcessEnv): Promise<string> {
  const javaMajor = await requireJava();
  return findFirestoreJar(env) ?? (await fetchFirestoreJar(env, javaMajor));
}
