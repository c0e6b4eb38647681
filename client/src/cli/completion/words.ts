import type { Command } from 'commander';
import { ACTIONS, TIERS } from '../../api/generated.ts';

/**
 * The words that can follow each command. The key is the command's path, such as `keys list`, or empty for the program.
 */
export interface Words {
  readonly commands: ReadonlyMap<string, readonly Word[]>;
  /** The possible values of an option. */
  readonly values: ReadonlyMap<string, readonly string[]>;
}

/** Options whose value is a comma-separated list. */
export const LISTS: readonly string[] = ['--actions'];

export interface Word {
  readonly text: string;
  readonly description: string;
}

export function wordsOf(program: Command): Words {
  const commands = new Map<string, readonly Word[]>();
  const values = new Map<string, readonly string[]>([
    ['--tier', TIERS],
    ['--actions', ACTIONS],
  ]);
  const visit = (command: Command, path: readonly string[]) => {
    const help = command.createHelp();
    const options = help.visibleOptions(command);
    const subcommands = help.visibleCommands(command).filter((one) => one.name() !== 'help');
    commands.set(path.join(' '), [
      ...subcommands.map((one) => ({ text: one.name(), description: one.description() })),
      ...(command.registeredArguments[0]?.argChoices ?? []).map((text) => ({ text, description: '' })),
      ...options.map((one) => ({ text: one.long ?? one.flags, description: one.description })),
    ]);
    for (const { long, argChoices } of options) if (long && argChoices) values.set(long, argChoices);
    for (const one of subcommands) visit(one, [...path, one.name()]);
  };
  visit(program, []);
  return { commands, values };
}

export function pathsOf({ commands }: Words): string[] {
  return [...commands.keys()].filter((path) => path !== '');
}
