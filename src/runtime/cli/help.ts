import { flagOf, type Setting, settingsOf } from '../config/settings.ts'
import { csp } from '../shell/program.ts'
import { wrap } from '../shell/terminal.ts'
import type { Command } from './command.ts'

/** The page of `csp --help`, with lines of at most `width` columns. */
export function helpForAll(groups: readonly (readonly [string, readonly Command[]])[], width: number): string {
  const widest = Math.max(...groups.flatMap(([, commands]) => commands.map(({ name }) => name.length)))
  return sections([
    ['', wrap('csp turns the Claude Code CLI on this machine into a search API that existing clients speak.', width)],
    ['Usage', `  ${csp} [COMMAND] [FLAGS]      without a command: ${csp} init at first, then ${csp} serve`],
    ...groups.map(([title, commands]) => {
      const rows = commands.map(({ name, summary }) => [name, summary] as const)
      return [title, table(rows, width, widest)] as const
    }),
    [
      'Examples',
      examples([
        `${csp} demo                                    every kind of search, without an account`,
        `${csp} search "bun 1.4 release notes" -n 5     a list of pages`,
        `${csp} ask "who maintains hono?"               an answer with its sources`,
        `${csp} start                                   the search API for other programs, in the background`,
      ]),
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

/** What people set most, for commands that take every setting. */
const usual: ReadonlySet<string> = new Set(
  'host port api-keys sandbox backends model auth pages daily-searches cache-ttl log-level'.split(' '),
)

/** The page of `csp COMMAND --help`; `isWhole`: of `--help-all`. */
export function helpFor(command: Command, width: number, isWhole = false): string {
  const own = Object.entries(command.options).map(([name, option]) => ({ ...option, flag: flagOf(name) }))
  const all = settingsOf(command.name).filter(({ flag }) => !own.some((option) => option.flag === flag))
  const isShort = !isWhole && all.length > maxShown
  const shared = isShort ? all.filter(({ flag }) => usual.has(flag)) : all
  const grouped = Map.groupBy(shared, ({ group }) => (isShort ? 'Most used settings' : group))
  const rows = [
    ...own.map(({ flag, hint, help, short }) => [flagText(flag, hint, short), help] as const),
    ['    --config FILE', 'Use this configuration file'] as const,
    ['-h, --help', 'Show this page'] as const,
    ...(isShort ? [['    --help-all', `Also the other ${all.length - shared.length} settings`] as const] : []),
  ]
  const settingRows = [...grouped].map(
    ([group, members]) =>
      [group, members.map((setting) => [flagText(setting.flag, setting.hint), describe(setting)] as const)] as const,
  )
  // One width for all groups, so that their columns line up.
  const lengths = [rows, ...settingRows.map(([, inner]) => inner)].flat().map(([name]) => name.length)
  const widest = Math.min(maxFirstColumn, Math.max(...lengths))
  return sections([
    ['', wrap(command.summary, width)],
    ['Usage', `  ${csp} ${command.name} ${command.usage}`.trimEnd()],
    ['', wrap(command.details ?? '', width)],
    ['Flags', table(rows, width, widest)],
    ...settingRows.map(([group, inner]) => [group, table(inner, width, widest)] as const),
    ['Examples', examples(command.examples)],
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

/** More flags make a page that nobody reads. */
const maxShown = 15

const minTextColumns = 24

/** Wider ones leave too little room for what they mean. */
const maxFirstColumn = 40

function flagText(flag: string, hint: string | undefined, short?: string): string {
  return `${short ? `-${short},` : '   '} --${flag}${hint ? ` ${hint}` : ''}`
}

function describe({ help, variable, default: value }: Setting): string {
  const empty = value === undefined || value === false || (Array.isArray(value) && value.length === 0)
  return `${help}${empty ? '' : ` (${value})`} [${variable}]`
}

function examples(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}`).join('\n')
}

function table(
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

function sections(parts: readonly (readonly [string, string])[]): string {
  const filled = parts.filter(([, body]) => body.trim())
  return `${filled.map(([title, body]) => (title ? `${title}:\n${body}` : body)).join('\n\n')}\n`
}
