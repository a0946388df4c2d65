import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import { replaceFile } from '../../../storage/replace-file.ts'
import { homeFolder } from '../../config/home.ts'
import { UsageError } from '../../config/usage-error.ts'
import { csp } from '../../shell/program.ts'
import type { Environment } from '../../shell/shell.ts'
import type { CommandOutcome, CommandRunner } from './command-runner.ts'
import { definitionText, ServiceError, type ServiceManager, type ServicePlan } from './service-manager.ts'

/** The unit, without `.service`, as `systemctl` and `journalctl` take it. */
export const unitName = 'csp'

/** The manager of the user's services, on Linux. */
export function createSystemd(run: CommandRunner, environment: Environment): ServiceManager {
  const file = unitFile(environment)
  const systemctl = (...args: readonly string[]) => run('systemctl', ['--user', ...args])
  return {
    name: 'systemd',
    file,
    async install(plan) {
      await replaceFile(file, systemdUnit(plan))
      const reloaded = await systemctl('daemon-reload')
      if (reloaded.code !== 0) throw new ServiceError(noManager(file, reloaded))
      demand(await systemctl('enable', unitName), 'enable')
      // Also starts one that does not run; `enable --now` would leave a running one as it is.
      demand(await systemctl('restart', unitName), 'start')
    },
    async state() {
      const [enabled, active] = await Promise.all([systemctl('is-enabled', unitName), systemctl('is-active', unitName)])
      const isWord = active.code !== undefined && /^[\w-]+$/.test(active.said)
      return { isEnabled: enabled.code === 0, state: isWord ? active.said : undefined }
    },
    async restart() {
      demand(await systemctl('restart', unitName), 'restart')
    },
    async stop() {
      await systemctl('stop', unitName)
    },
    async uninstall() {
      await systemctl('disable', '--now', unitName)
      // `disable` does this where there is a manager.
      const link = join(dirname(file), 'default.target.wants', `${unitName}.service`)
      const removed = [file].filter((path) => existsSync(path))
      for (const path of [link, file]) await rm(path, { force: true })
      await systemctl('daemon-reload')
      await systemctl('reset-failed', unitName)
      return removed
    },
    async hint() {
      const lingering = await run('loginctl', ['show-user', String(process.getuid?.() ?? ''), '-p', 'Linger'])
      return lingering.said === 'Linger=no'
        ? 'It ends when you log out, and starts when you log in. To have it run always: loginctl enable-linger'
        : undefined
    },
  }
}

function unitFile(environment: Environment): string {
  const named = environment['XDG_CONFIG_HOME']
  const folder = named && isAbsolute(named) ? named : join(homeFolder(environment), '.config')
  return join(folder, 'systemd/user', `${unitName}.service`)
}

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

function demand({ code, said }: CommandOutcome, verb: string): void {
  if (code !== 0) throw new ServiceError(`systemd could not ${verb} the service:\n${said || `exit code ${code}`}`)
}

function noManager(file: string, { said }: CommandOutcome): string {
  return [
    `The service is written to ${file}, but systemd runs no services for this user here: ${said.split('\n')[0]}`,
    'Logged in as this user, by ssh or at the machine and not by su or sudo, this starts it:',
    `  systemctl --user daemon-reload && systemctl --user enable --now ${unitName}`,
    `In a container, let the container run ${csp} serve, and restart it on failure.`,
  ].join('\n')
}
