import { UsageError } from '../../config/usage-error.ts'
import { definitionText } from './definition-text.ts'
import type { ServicePlan } from './service-manager.ts'

/** The unit file of a service of the user. Throws a `UsageError` for a text that a unit cannot hold. */
export function systemdUnit({ program, environment }: ServicePlan): string {
  const start = [programWord(program.command), ...program.args.map(argumentWord)].join(' ')
  const variables = Object.entries(environment).map(([name, value]) => `Environment=${unitWord(`${name}=${value}`)}`)
  return [
    '# csp start --at-login rewrites this file. Changes of your own: systemctl --user edit csp',
    '[Unit]',
    'Description=claude-search-proxy: web search for AI clients',
    '',
    '[Service]',
    `ExecStart=${start}`,
    ...variables,
    'Restart=on-failure',
    'RestartSec=5',
    '# Wrong settings stay wrong.',
    'RestartPreventExitStatus=2',
    '# csp is asked to stop, gives running searches 5 s, and stops its CLI itself.',
    'TimeoutStopSec=15',
    'KillMode=mixed',
    '',
    '[Install]',
    'WantedBy=default.target',
    '',
  ].join('\n')
}

/** systemd replaces variables in the arguments, and not in the program. */
function argumentWord(text: string): string {
  return unitWord(text.replaceAll('$', '$$$$'))
}

/** systemd runs no program whose path has quotes or backslashes; and `${` would be a variable in `argv[0]` alone. */
function programWord(text: string): string {
  if (/["'\\]|\$\{/.test(text)) throw new UsageError(`systemd runs no program with such a path: ${text}`)
  return unitWord(text)
}

/** One word of a unit file: `%` begins a specifier, and a backslash an escape within quotes. */
function unitWord(text: string): string {
  const escaped = definitionText(text).replaceAll('%', '%%')
  if (/^[\w@%+=:,./$-]+$/.test(escaped)) return escaped
  return `"${escaped.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}
