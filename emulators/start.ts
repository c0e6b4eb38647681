import { join } from 'node:path';
import { REPOSITORY_ROOT } from './base/repository.ts';
import { StartError } from './base/start-error.ts';
import { banner } from './stack/banner.ts';
import { parseFlags, USAGE, UsageError } from './stack/flags.ts';
import type { Stack, StackOptions } from './stack/stack.ts';
import { startStack } from './stack/start-stack.ts';

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function printError(line: string): void {
  process.stderr.write(`${line}\n`);
}

// Writing to a terminal that was closed fails. Ignore this error, so that the process can still save its state.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

async function run(options: StackOptions): Promise<void> {
  let stack: Stack | undefined;
  let stopping = false;
  const stop = async (): Promise<void> => {
    // Ctrl-C sends the signal twice: the terminal and npm each send it.
    if (stopping) return;
    stopping = true;
    try {
      await stack?.stop();
      print('Stopped.');
      process.exit(0);
    } catch (error) {
      printError(`Stopped, but ${error instanceof Error ? error.message : error}`);
      process.exit(1);
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  stack = await startStack({ ...options, log: print });
  print(banner(stack, options.closed ?? false));
}

try {
  const options = parseFlags(process.argv.slice(2), join(REPOSITORY_ROOT, '.local'));
  if (options === undefined) print(USAGE);
  else await run(options);
} catch (error) {
  const isUserError = error instanceof UsageError || error instanceof StartError;
  printError(isUserError ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exit(error instanceof UsageError ? 2 : 1);
}
