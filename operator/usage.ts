import { type ParseArgsConfig, parseArgs } from 'node:util';

/** Parses the command line. A wrong option ends the program, as `refuseUsage` does. */
export function readArguments<const Config extends ParseArgsConfig>(program: string, config: Config) {
  try {
    return parseArgs(config);
  } catch (error) {
    return refuseUsage(program, error instanceof Error ? error.message : String(error));
  }
}

/** Says in one line what is wrong with the command line, and exits with code 2. */
export function refuseUsage(program: string, problem: string): never {
  process.stderr.write(`${program}: ${problem.replaceAll('\n', ' ')}\n`);
  process.exit(2);
}
