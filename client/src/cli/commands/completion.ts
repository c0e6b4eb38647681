import { Argument } from 'commander';
import type { Command } from '../command.ts';
import { completionScript, SHELLS, type Shell } from '../completion/shells.ts';
import { writeOut } from '../standard-output.ts';

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
