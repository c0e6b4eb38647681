import { cleanUpOnSignals } from './atomic-file.ts';
import { run } from './run.ts';
import { heedClosedPipe } from './standard-output.ts';

export async function main(args: readonly string[]): Promise<never> {
  heedClosedPipe();
  cleanUpOnSignals();
  // Open handles, such as a pipe that nobody reads, must not delay the exit.
  process.exit(await run(args));
}
