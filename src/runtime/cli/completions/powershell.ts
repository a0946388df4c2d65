import type { CompletedCommand, CompletedFlag } from './completed-commands.ts'

/** Completions for PowerShell 5 and newer. */
export function powershellCompletions(commands: readonly CompletedCommand[]): string {
  return `# Completions of csp for PowerShell, made by: csp completions powershell
Register-ArgumentCompleter -Native -CommandName csp, claude-search-proxy -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $commands = [ordered]@{
${commands.map(entryOf).join('\n')}
  }
  $typed = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($wordToComplete -and $typed.Count -gt 0) { $typed = @($typed | Select-Object -SkipLast 1) }
  if ($typed -contains '--') { return }
  $given = @($typed | Where-Object { -not $_.StartsWith('-') })
  $name = $given | Where-Object { $commands.Contains($_) } | Select-Object -First 1
  if (-not $name) {
    $found = @($commands.Keys) + '--help', '--version'
  } else {
    $command = $commands[$name]
    $rest = @($given | Select-Object -Skip ([array]::IndexOf($given, $name) + 1))
    $last = if ($typed.Count -gt 0) { $typed[-1] } else { '' }
    if ($command.Values.Contains($last)) { $found = @($command.Values[$last]) }
    elseif ($wordToComplete.StartsWith('-')) { $found = @($command.Flags) }
    elseif ($rest.Count -eq 0) { $found = @($command.Words.Keys) }
    elseif ($rest.Count -eq 1 -and $command.Words.Contains($rest[0])) { $found = @($command.Words[$rest[0]]) }
    else { $found = @() }
  }
  $found | Where-Object { $_ -and $_.StartsWith($wordToComplete) } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`
}

function entryOf({ name, flags, words }: CompletedCommand): string {
  const values = flags.flatMap(({ names, value }) =>
    value === undefined ? [] : names.map((flag) => [flag, value] as const),
  )
  return [
    `    ${text(name)} = @{`,
    `      Flags = ${list(flags.flatMap(({ names }) => names))}`,
    `      Values = [ordered]@{ ${pairs(values)} }`,
    `      Words = [ordered]@{ ${pairs(Object.entries(words))} }`,
    `    }`,
  ].join('\n')
}

function pairs(entries: readonly (readonly [string, NonNullable<CompletedFlag['value']>])[]): string {
  return entries.map(([name, value]) => `${text(name)} = ${list(value === 'file' ? [] : value)}`).join('; ')
}

function list(words: readonly string[]): string {
  return `@(${words.map(text).join(', ')})`
}

function text(word: string): string {
  return `'${word.replaceAll("'", "''")}'`
}
