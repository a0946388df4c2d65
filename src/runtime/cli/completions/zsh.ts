import type { CompletedCommand, CompletedFlag } from './completed-commands.ts'

/** Completions for zsh, to be sourced, or a file \`_csp\` in a folder of \`fpath\`. */
export function zshCompletions(commands: readonly CompletedCommand[]): string {
  return `#compdef csp claude-search-proxy
# Completions of csp for zsh, made by: csp completions zsh
_csp() {
  local command argument count=0 prev=\${words[CURRENT-1]} i
  local -a commands flags arguments
  commands=(${commands.map(({ name, summary }) => described(name, summary)).join(' ')})
  for ((i = 2; i < CURRENT; i++)); do
    case \${words[i]} in
      --) _default; return ;;
      -*) ;;
      *) if [[ -n $command ]]; then argument=\${argument:-\${words[i]}}; ((++count)); elif (( \${commands[(I)\${words[i]}:*]} )); then command=\${words[i]}; fi ;;
    esac
  done
  if [[ \${words[CURRENT]} == --*=* ]]; then prev=\${words[CURRENT]%%=*}; compset -P '*='; fi
  case $command in
    '') flags=('--help:Show help' '--version:Show the version'); arguments=($commands) ;;
${commands.map(commandCase).join('\n')}
  esac
  if [[ \${words[CURRENT]} == -* ]]; then _describe -o flag flags; return; fi
  if (( $#arguments )); then _describe argument arguments; else _default; fi
}
if [[ \${funcstack[1]} == _csp ]]; then _csp "$@"; else compdef _csp csp claude-search-proxy; fi
`
}

function commandCase({ name, flags, words }: CompletedCommand): string {
  const withValue = flags.filter(({ value }) => value !== undefined)
  const next = Object.entries(words).filter(([, after]) => after.length > 0)
  return [
    `    ${name})`,
    `      case $prev in`,
    ...withValue.map((flag) => `        ${flag.names.join('|')}) ${valuesOf(flag)}; return ;;`),
    `      esac`,
    `      flags=(${flags.flatMap(({ names, help }) => names.map((flag) => described(flag, help))).join(' ')})`,
    ...(Object.keys(words).length > 0
      ? [
          `      case $count$argument in`,
          `        0) arguments=(${Object.keys(words).join(' ')}) ;;`,
          ...next.map(([word, after]) => `        1${word}) arguments=(${after.join(' ')}) ;;`),
          `      esac`,
        ]
      : []),
    `      ;;`,
  ].join('\n')
}

function valuesOf({ value = [] }: CompletedFlag): string {
  if (value === 'file') return '_files'
  return value.length > 0 ? `compadd -- ${value.join(' ')}` : "_message 'a value'"
}

function described(word: string, help: string): string {
  return `'${word}:${help.replaceAll('\\', '\\\\').replaceAll(':', '\\:').replaceAll("'", "'\\''")}'`
}
