import { CommanderError } from 'commander';
import { errorLine, explain } from './explain.ts';
import { EXIT, type ExitCode, type Failure, wrongUsage } from './failure.ts';
import { makeProgram } from './program.ts';
import { clearProgress } from './progress.ts';

/** Runs a command line, given without the program's name. Resolves to what the program is to exit with; throws nothing. */
export async function run(args: readonly string[]): Promise<ExitCode> {
  try {
    await makeProgram().parseAsync([...args], { from: 'user' });
    return EXIT.done;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.done;
    const failure = isHelp(error) ? wrongUsage('no command given; see esk --help') : explain(error);
    await report(failure);
    return failure.exitCode;
  }
}

/** Commander shows the help where a command is missing, and ends with an error that says nothing. */
function isHelp(error: unknown): boolean {
  return error instanceof CommanderError && error.code === 'commander.help';
}

/** Says what went wrong, in one line on standard error. */
function report(failure: Failure): Promise<void> {
  clearProgress();
  return new Promise((resolve) => {
    process.stderr.write(`${errorLine(failure)}\n`, () => resolve());
  });
}
