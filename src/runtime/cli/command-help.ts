import { flagOf, type Setting, settingsOf, settingText } from '../config/settings.ts'
import { csp } from '../shell/program.ts'
import { wrap } from '../shell/terminal.ts'
import type { Command } from './command.ts'
import { examples, helpSections, table } from './help.ts'

/** What people set most, for commands that take every setting. */
const usual: ReadonlySet<string> = new Set(
  'host port api-keys sandbox backends model auth pages daily-searches cache-ttl log-level'.split(' '),
)

/** The page of `csp COMMAND --help`; `isWhole`: of `--help-all`. */
export function helpFor(summary: string, command: Command, width: number, isWhole = false): string {
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
  return helpSections([
    ['', wrap(summary, width)],
    ['Usage', `  ${csp} ${command.name} ${command.usage}`.trimEnd()],
    ['', wrap(command.details ?? '', width)],
    ['Flags', table(rows, width, widest)],
    ...settingRows.map(([group, inner]) => [group, table(inner, width, widest)] as const),
    ['Examples', examples(command.examples)],
  ])
}

/** More flags make a page that nobody reads. */
const maxShown = 15

/** Wider ones leave too little room for what they mean. */
const maxFirstColumn = 40

function flagText(flag: string, hint: string | undefined, short?: string): string {
  return `${short ? `-${short},` : '   '} --${flag}${hint ? ` ${hint}` : ''}`
}

function describe(setting: Setting): string {
  const { help, variable, default: value, defaultText } = setting
  const usual = defaultText ?? (value === undefined || value === false ? '' : settingText(value, setting))
  return `${help}${usual && ` (${usual})`} [${variable}]`
}
