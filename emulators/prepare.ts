/*
 * npm run setup:stack: fetches what npm does not install, once, so that no test that starts a stack has to. Prints one
 * line that says what is missing where it cannot.
 */

import { StartError } from './base/start-error.ts';
import { provideFirestore } from './firestore/provide.ts';

try {
  if (!process.env.FIRESTORE_EMULATOR_HOST) await provideFirestore(process.env);
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
