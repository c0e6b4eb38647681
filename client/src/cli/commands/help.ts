import type { Command as AnyCommand } from 'commander';
import type { Command } from '../command.ts';
import { wrongUsage } from '../failure.ts';

/** Adds `esk help`. It replaces commander's help command, which ignores the names of nested commands. */
export function addHelp(program: Command): void {
  program
    .helpCommand(false)
    .command('help')
    .description('Show help for a command')
    .argument('[command...]', 'Command, such as: keys create')
    .action((names: readonly string[]) => find(program, names).outputHelp());
}

/** Returns the command at a path such as `keys`, `create`. Throws a `Failure` if there is no such command. */
function find(program: AnyCommand, names: readonly string[]): AnyCommand {
  let command = program;
  for (const [depth, name] of names.entries()) {
    const next = command.commands.find((one) => one.name() === name);
    if (next === undefined) {
      const known = ['esk help', ...names.slice(0, depth)].join(' ');
      throw wrongUsage(`unknown command '${names.slice(0, depth + 1).join(' ')}'; see ${known}`);
    }
    command = next;
  }
  return command;
}
