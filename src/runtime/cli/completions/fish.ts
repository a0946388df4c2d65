import type { CompletedCommand, CompletedFlag } from './completed-commands.ts'

/** Completions for fish. */
export function fishCompletions(commands: readonly CompletedCommand[]): string {
  const names = commands.map(({ name }) => name)
  return `# Completions of csp for fish, made by: csp completions fish
# The command and its arguments, without flags.
function __csp_words
    set -l found
    for word in (commandline -opc)[2..-1]
        string match -q -- '-*' $word; and continue
        if set -q found[1]; or contains -- $word ${names.join(' ')}
            set -a found $word
        end
    end
    test (count $found) -gt 0; and printf '%s\\n' $found
end
function __csp_is
    set -l found (__csp_words)
    test "$found[1]" = "$argv[1]"; or return 1
    test (count $argv) -eq 1; or test "$found[2]" = "$argv[2]"
end
function __csp_has
    test (count (__csp_words)) -eq $argv[1]
end
for program in csp claude-search-proxy
    complete -c $program -f
    complete -c $program -n '__csp_has 0' -l help -s h -d 'Show help'
    complete -c $program -n '__csp_has 0' -l version -s v -d 'Show the version'
${commands
  .flatMap(linesOf)
  .map((line) => `    complete -c $program ${line}`)
  .join('\n')}
end
`
}

function linesOf({ name, summary, flags, words }: CompletedCommand): readonly string[] {
  const next = Object.entries(words).filter(([, after]) => after.length > 0)
  return [
    `-n '__csp_has 0' -a ${name} -d ${quoted(summary)}`,
    ...flags.map((flag) => `-n '__csp_is ${name}' ${flagText(flag)} -d ${quoted(flag.help)}`),
    ...(Object.keys(words).length > 0
      ? [`-n '__csp_is ${name}; and __csp_has 1' -a '${Object.keys(words).join(' ')}'`]
      : []),
    ...next.map(([word, after]) => `-n '__csp_is ${name} ${word}; and __csp_has 2' -a '${after.join(' ')}'`),
  ]
}

function flagText({ names: [long = '', short], value }: CompletedFlag): string {
  const name = `-l ${long.slice(2)}${short ? ` -s ${short.slice(1)}` : ''}`
  if (value === undefined) return name
  if (value === 'file') return `${name} -r -F`
  return `${name} -x${value.length > 0 ? ` -a '${value.join(' ')}'` : ''}`
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
