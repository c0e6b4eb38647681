import { Argument } from 'commander';
import type { Command } from '../command.ts';
import { bash } from '../completion/bash.ts';
import { fish } from '../completion/fish.ts';
import { wordsOf } from '../completion/words.ts';
import { zsh } from '../completion/zsh.ts';
import { writeOut } from '../standard-output.ts';

const SCRIPTS = { bash, zsh, fish } as const;

export type Shell = keyof typeof SCRIPTS;

export const SHELLS = ['bash', 'zsh', 'fish'] as const satisfies readonly Shell[];

export function completionScript(program: Command, shell: Shell): string {
  return SCRIPTS[shell](wordsOf(program));
}

export function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('Print a shell completion script')
    .addArgument(new Argument('<shell>', 'Your shell').choices(SHELLS))
    .examples(
      ['Bash: add to ~/.bashrc', 'source <(esk completion bash)'],
      ['Zsh: add to ~/.zshrc, after compinit', 'source <(esk completion zsh)'],
      ['Fish: run once', 'esk completion fish > ~/.config/fish/completions/esk.fish'],
    )
    .action((shell: Shell) => writeOut(completionScript(program, shell)));
}
