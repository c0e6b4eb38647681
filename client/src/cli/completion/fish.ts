import { LISTS, pathsOf, type Words } from './words.ts';

/** Returns the completion script for fish. The script also completes file names. */
export function fish(words: Words): string {
  const paths = pathsOf(words).map((path) => `'${path}'`);
  const commands = [...words.commands].flatMap(([path, after]) =>
    after.map(({ text, description }) => {
      const word = text.startsWith('--') ? `-l ${text.slice(2)}` : `-a ${text}`;
      return `complete -c esk -n "__esk_at '${path}'" ${word} -d ${quote(description)}`;
    }),
  );
  const values = [...words.values].map(
    ([option, texts]) => `complete -c esk -l ${option.slice(2)} -x -a '${valuesOf(option, texts)}'`,
  );
  return `# Completion of esk for fish: esk completion fish > ~/.config/fish/completions/esk.fish
function __esk_at
    set -l at ''
    for word in (commandline -opc)[2..]
        set -l next (string trim "$at $word")
        contains -- "$next" ${paths.join(' ')}; and set at "$next"
    end
    test "$at" = "$argv[1]"
end
${commands.join('\n')}
${values.join('\n')}
`;
}

/** Returns the values. For a list, fish appends each value to the values before the last comma. */
function valuesOf(option: string, texts: readonly string[]): string {
  return LISTS.includes(option) ? `(__fish_append , ${texts.join(' ')})` : texts.join(' ');
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
