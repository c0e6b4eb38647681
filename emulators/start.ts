import { join } from 'node:path';
import { banner } from './stack/banner.ts';
import { parseFlags, UsageError, usage } from './stack/flags.ts';
import { repositoryRoot } from './stack/repository.ts';
import type { Stack, StackOptions } from './stack/stack.ts';
import { StartError } from './stack/start-error.ts';
import { startStack } from './stack/start-stack.ts';

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const printError = (line: string): void => void process.stderr.write(`${line}\n`);

// A terminal that has closed takes no more lines, which is no reason to end without keeping the state.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

async function run(options: StackOptions): Promise<void> {
  let stack: Stack | undefined;
  let stopping = false;
  const stop = async (): Promise<void> => {
    // npm passes a Ctrl-C on that the terminal has sent here already, and people press it again.
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
  print(banner(stack));
}

try {
  const options = parseFlags(process.argv.slice(2), join(repositoryRoot, '.local'));
  if (options === undefined) print(usage);
  else await run(options);
} catch (error) {
  const forPeople = error instanceof UsageError || error instanceof StartError;
  printError(forPeople ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exit(error instanceof UsageError ? 2 : 1);
}
