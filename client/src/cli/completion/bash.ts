import { pathsOf, type Words } from './words.ts';

/** Returns the completion script for bash, which completes file names if nothing else matches. */
export function bash(words: Words): string {
  const paths = pathsOf(words).map((path) => `'${path}'`);
  const values = [...words.values].map(([option, texts]) => `    ${option}) words='${texts.join(' ')}' ;;`);
  const commands = [...words.commands].map(
    ([path, after]) => `      '${path}') words='${after.map(({ text }) => text).join(' ')}' ;;`,
  );
  return `# Completion of esk for bash: source <(esk completion bash)
_esk() {
  local at='' next word words=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    next="\${at:+$at }$word"
    case "$next" in
      ${paths.join(' | ')}) at=$next ;;
    esac
  done
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
${values.join('\n')}
    *) case "$at" in
${commands.join('\n')}
    esac ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}")
}
complete -o default -F _esk esk
`;
}
