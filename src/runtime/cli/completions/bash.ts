import type { CompletedCommand } from './completed-commands.ts'

/** Completions for bash 3.2 and newer. Where nothing is known, bash offers files. */
export function bashCompletions(commands: readonly CompletedCommand[]): string {
  const names = commands.map(({ name }) => name)
  return `# Completions of csp for bash, made by: csp completions bash
_csp() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} command= argument= words= flags= count=0 i
  COMPREPLY=()
  # bash takes --flag=value for three words.
  if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in
      --) return ;;
      -*) ;;
      ${names.join('|')}) if [[ -z $command ]]; then command=\${COMP_WORDS[i]}; else argument=\${argument:-\${COMP_WORDS[i]}} count=$((count + 1)); fi ;;
      *) if [[ -n $command ]]; then argument=\${argument:-\${COMP_WORDS[i]}} count=$((count + 1)); fi ;;
    esac
  done
  case $command in
    '') words='${names.join(' ')}' flags='--help --version' ;;
${commands.map(commandCase).join('\n')}
  esac
  if [[ $cur == -* ]]; then words=$flags; fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _csp csp claude-search-proxy
`
}

function commandCase({ name, flags, words }: CompletedCommand): string {
  const withValue = flags.filter(({ value }) => value !== undefined)
  const known = withValue.filter(({ value }) => typeof value === 'object' && value.length > 0)
  const unknown = withValue.filter((flag) => !known.includes(flag)).flatMap(({ names }) => names)
  const values = known.map(
    ({ names, value }) =>
      `        ${names.join('|')}) COMPREPLY=($(compgen -W '${[value ?? []].flat().join(' ')}' -- "$cur")); return ;;`,
  )
  const next = Object.entries(words).filter(([, after]) => after.length > 0)
  return [
    `    ${name})`,
    `      case $prev in`,
    ...values,
    ...(unknown.length > 0 ? [`        ${unknown.join('|')}) return ;;`] : []),
    `      esac`,
    `      flags='${flags.flatMap(({ names }) => names).join(' ')}'`,
    ...(Object.keys(words).length > 0
      ? [
          `      case $count$argument in`,
          `        0) words='${Object.keys(words).join(' ')}' ;;`,
          ...next.map(([word, after]) => `        1${word}) words='${after.join(' ')}' ;;`),
          `      esac`,
        ]
      : []),
    `      ;;`,
  ].join('\n')
}
