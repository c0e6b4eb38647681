import { LISTS, pathsOf, type Words } from './words.ts';

/** Returns the completion script for bash, which completes file names if nothing else matches. */
export function bash(words: Words): string {
  const paths = pathsOf(words).map((path) => `'${path}'`);
  const values = [...words.values].map(([option, texts]) => `    ${option}) words='${texts.join(' ')}' ;;`);
  const commands = [...words.commands].map(
    ([path, after]) => `      '${path}') words='${after.map(({ text }) => text).join(' ')}' ;;`,
  );
  return `# Completion of esk for bash: source <(esk completion bash)
_esk() {
  local at='' next word words='' start='' current="\${COMP_WORDS[COMP_CWORD]}" option="\${COMP_WORDS[COMP_CWORD-1]}"
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    next="\${at:+$at }$word"
    case "$next" in
      ${paths.join(' | ')}) at=$next ;;
    esac
  done
  # Bash splits --option=value into three words, unless the user has removed = from COMP_WORDBREAKS.
  if [[ $option == '=' ]]; then option="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  if [[ $current == '=' ]]; then current=''; fi
  if [[ $current == --*=* ]]; then option="\${current%%=*}" start="\${current%%=*}=" current="\${current#*=}"; fi
  case "$option" in
    ${LISTS.join(' | ')}) start+="\${current%"\${current##*,}"}" current="\${current##*,}" ;;
  esac
  case "$option" in
${values.join('\n')}
    *) case "$at" in
${commands.join('\n')}
    esac ;;
  esac
  mapfile -t COMPREPLY < <(compgen -P "$start" -W "$words" -- "$current")
}
complete -o default -F _esk esk
`;
}
