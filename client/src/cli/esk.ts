import { cleanUpOnSignals } from './atomic-file.ts';
import { run } from './run.ts';
import { heedClosedPipe } from './standard-output.ts';

/** Runs `esk` with these arguments, and ends the process. */
export async function main(args: readonly string[]): Promise<never> {
  heedClosedPipe();
  cleanUpOnSignals();
  // Whatever still reads or listens is of no more use, as a pipe whose end nobody waits for.
  process.exit(await run(args));
}
