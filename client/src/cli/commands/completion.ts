import { Argument, type Command } from 'commander';
import { bash } from '../completion/bash.ts';
import { fish } from '../completion/fish.ts';
import { wordsOf } from '../completion/words.ts';
import { zsh } from '../completion/zsh.ts';
import { examples } from '../examples.ts';
import { writeOut } from '../standard-output.ts';

const SHELLS = { bash, zsh, fish } as const;

/** `esk completion`. */
export function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('print a script that completes command lines of esk')
    .addArgument(new Argument('<shell>').choices(Object.keys(SHELLS)))
    .addHelpText(
      'after',
      examples(
        ['bash, in ~/.bashrc', 'source <(esk completion bash)'],
        ['zsh, in ~/.zshrc, after compinit', 'source <(esk completion zsh)'],
        ['fish', 'esk completion fish > ~/.config/fish/completions/esk.fish'],
      ),
    )
    .action((shell: keyof typeof SHELLS) => writeOut(SHELLS[shell](wordsOf(program))));
}
