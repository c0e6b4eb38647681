/*
 * npm run setup:stack: what npm does not install. Says what is missing in one line, or fetches it; once, and not in every
 * test that starts a stack.
 */
import { provideFirestore } from './firestore/provide.ts';
import { StartError } from './stack/start-error.ts';

try {
  if (!process.env.FIRESTORE_EMULATOR_HOST) await provideFirestore(process.env);
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
