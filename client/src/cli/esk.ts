import { cleanUpOnSignals } from './atomic-file.ts';
import { run } from './run.ts';
import { surviveBrokenStreams } from './standard-output.ts';

export async function main(args: readonly string[]): Promise<never> {
  surviveBrokenStreams();
  cleanUpOnSignals();
  // Open handles, such as a pipe that nobody reads, must not delay the exit.
  process.exit(await run(args));
}
