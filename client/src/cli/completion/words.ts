import type { Command } from 'commander';
import { ACTIONS, TIERS } from '../../api/generated.ts';

/** What may follow a command, by the command's path: `keys list`; the empty path is the program's. */
export interface Words {
  readonly commands: ReadonlyMap<string, readonly Word[]>;
  /** What may follow an option, by the option: its values. */
  readonly values: ReadonlyMap<string, readonly string[]>;
}

/** A command or an option, and what it is for. */
export interface Word {
  readonly text: string;
  readonly description: string;
}

/** The words of a program with all its commands. */
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

/** The paths of commands, but for the program's own. */
export function pathsOf({ commands }: Words): string[] {
  return [...commands.keys()].filter((path) => path !== '');
}
