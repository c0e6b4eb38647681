import { type ParseArgsConfig, parseArgs } from 'node:util';

/** Returns the program's arguments. Exits with code 2 if an option is wrong. */
export function readArguments<const Config extends ParseArgsConfig>(program: string, config: Config) {
  try {
    return parseArgs(config);
  } catch (error) {
    return refuseUsage(program, error instanceof Error ? error.message : String(error));
  }
}

/** Prints the problem on one line, and exits with code 2. */
export function refuseUsage(program: string, problem: string): never {
  process.stderr.write(`${program}: ${problem.replaceAll('\n', ' ')}\n`);
  process.exit(2);
}
