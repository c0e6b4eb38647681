import { cleanUpOnSignals } from './atomic-file.ts';
import { run } from './run.ts';
import { reportClosedPipe } from './standard-output.ts';

export async function main(args: readonly string[]): Promise<never> {
  reportClosedPipe();
  cleanUpOnSignals();
  // Open handles, such as a pipe that nobody reads, must not delay the exit.
  process.exit(await run(args));
}
