import { CommanderError } from 'commander';
import { cleanUpOnSignals } from './atomic-file.ts';
import { errorLine, explain } from './explain.ts';
import { EXIT, type ExitCode, type Failure, wrongUsage } from './failure.ts';
import { makeProgram } from './program.ts';
import { clearProgress } from './progress.ts';
import { useProxyOf } from './proxy.ts';
import { renewalsEnded } from './session.ts';
import { surviveBrokenStreams, written } from './standard-output.ts';

export async function main(args: readonly string[]): Promise<never> {
  surviveBrokenStreams();
  cleanUpOnSignals(renewalsEnded);
  // Open handles, such as a pipe that nobody reads, must not delay the exit.
  process.exit(await run(args));
}

export async function run(args: readonly string[]): Promise<ExitCode> {
  try {
    await useProxyOf();
    await parse(args);
    await written();
    return EXIT.done;
  } catch (error) {
    const failure = isHelp(error) ? wrongUsage('no command given; see esk --help') : explain(error);
    await report(failure);
    return failure.exitCode;
  } finally {
    await renewalsEnded();
  }
}

async function parse(args: readonly string[]): Promise<void> {
  try {
    await makeProgram().parseAsync([...args], { from: 'user' });
  } catch (error) {
    // After `--help` or `--version`, commander throws an error.
    if (!(error instanceof CommanderError && error.exitCode === 0)) throw error;
  }
}

/**
 * Whether commander has shown the help. It does this if no command is given, and then throws an error without a
 * message.
 */
function isHelp(error: unknown): boolean {
  return error instanceof CommanderError && error.code === 'commander.help';
}

function report(failure: Failure): Promise<void> {
  clearProgress();
  return new Promise((resolve) => {
    process.stderr.write(`${errorLine(failure)}\n`, () => resolve());
  });
}
