import { csp } from '../shell/program.ts'
import { wrap } from '../shell/terminal.ts'
import type { CommandRow } from './command.ts'

/** The page of `csp --help`, with lines of at most `width` columns. */
export function helpForAll(
  groups: readonly (readonly [string, readonly CommandRow[]])[],
  shortForms: Readonly<Record<string, readonly string[]>>,
  width: number,
): string {
  const widest = Math.max(...groups.flatMap(([, commands]) => commands.map(({ name }) => name.length)))
  const shorter = Object.entries(shortForms).map(([name, words]) => [name, `${csp} ${words.join(' ')}`] as const)
  return helpSections([
    ['', wrap('csp turns the Claude Code CLI on this machine into a search API that existing clients speak.', width)],
    [
      'Usage',
      table([[`${csp} [COMMAND] [FLAGS]`, `without a command: ${csp} init at first, then ${csp} serve`]], width),
    ],
    ...groups.map(([title, commands]) => {
      const rows = commands.map(({ name, summary }) => [name, summary] as const)
      return [title, table(rows, width, widest)] as const
    }),
    ['Short forms', table([['"QUESTION"', `${csp} ask "QUESTION"`], ...shorter], width)],
    [
      'Examples',
      table(
        [
          [`${csp} demo`, 'every kind of search, without an account'],
          [`${csp} search "bun 1.4 release notes" -n 5`, 'a list of pages'],
          [`${csp} ask "who maintains hono?"`, 'an answer with its sources'],
          [`${csp} start`, 'the search API for other programs, in the background'],
        ],
        width,
      ),
    ],
    ['Exit codes', table(codes, width)],
    [
      '',
      wrap(
        `${csp} COMMAND --help describes one command, with the variable of each flag. ${csp} config shows all settings in effect, and where the configuration file is.`,
        width,
      ),
    ],
  ])
}

const codes: readonly (readonly [string, string])[] = [
  ['0', 'done'],
  ['1', 'failed: the search, the check or the server'],
  ['2', 'used wrongly: a flag, a value or the configuration file'],
  ['3', 'the Claude Code CLI is missing or signed out'],
  ['4', 'a usage limit is reached'],
  ['130', 'interrupted'],
]

const minTextColumns = 24

export function examples(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}`).join('\n')
}

export function table(
  rows: readonly (readonly [string, string])[],
  width: number,
  widest = Math.max(...rows.map(([name]) => name.length)),
): string {
  // Beside a wide first column a narrow terminal would have room for a word or two.
  const isNarrow = width - (widest + 4) < minTextColumns
  const first = isNarrow ? 8 : widest + 4
  const indent = ' '.repeat(first)
  return rows
    .map(([name, text]) => {
      const lines = wrap(text, width, indent)
      // What is too long for its column has a line of its own.
      return name.length > widest || isNarrow ? `  ${name}\n${lines}` : `  ${name}`.padEnd(first) + lines.trimStart()
    })
    .join('\n')
}

export function helpSections(parts: readonly (readonly [string, string])[]): string {
  const filled = parts.filter(([, body]) => body.trim())
  return `${filled.map(([title, body]) => (title ? `${title}:\n${body}` : body)).join('\n\n')}\n`
}
