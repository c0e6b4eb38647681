import { cleanUpOnSignals } from './atomic-file.ts';
import { run } from './run.ts';
import { heedClosedPipe } from './standard-output.ts';

heedClosedPipe();
cleanUpOnSignals();
// Whatever still reads or listens is of no more use, as a pipe whose end nobody waits for.
process.exit(await run(process.argv.slice(2)));
