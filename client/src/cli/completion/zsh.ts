import { LISTS, pathsOf, type Word, type Words } from './words.ts';

/** Returns the completion script for zsh, which completes file names if nothing else matches. */
export function zsh(words: Words): string {
  const paths = pathsOf(words).map((path) => `'${path}'`);
  const values = [...words.values].map(([option, texts]) => `    ${option}) compadd -- ${texts.join(' ')}; return ;;`);
  const commands = [...words.commands].map(([path, after]) => `    '${path}') items=(${after.map(item).join(' ')}) ;;`);
  return `#compdef esk
# Completion of esk for zsh: source <(esk completion zsh)
_esk() {
  local at='' next word option="\${words[CURRENT-1]}"
  local -a items
  for word in "\${(@)words[2,CURRENT-1]}"; do
    next="\${at:+$at }$word"
    case "$next" in
      (${paths.join('|')}) at=$next ;;
    esac
  done
  if [[ "\${words[CURRENT]}" == --*=* ]]; then
    option="\${words[CURRENT]%%=*}"
    compset -P '*='
  fi
  case "$option" in
    (${LISTS.join('|')}) compset -P '*,' ;;
  esac
  case "$option" in
${values.join('\n')}
  esac
  case "$at" in
${commands.join('\n')}
  esac
  if [[ "\${words[CURRENT]}" == -* || -z $at || \${#\${(M)items:#[^-]*}} -gt 0 ]]; then
    _describe esk items
  else
    _files
  fi
}
compdef _esk esk
# If zsh loads this script from fpath, it does so for the first completion, which the script must then answer.
if [[ "\${funcstack[1]}" == _esk ]]; then _esk; fi
`;
}

/** An item for `_describe`: text and description, separated by a colon. */
function item({ text, description }: Word): string {
  return `'${[text.replaceAll(':', '\\:'), description.replaceAll("'", "'\\''")].join(':')}'`;
}
