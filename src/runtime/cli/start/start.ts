import { sandboxNotice } from '../../../domain/health.ts'
import { answerSettings, readAnswerSettings } from '../../background/answer-settings.ts'
import { startInBackground } from '../../background/background.ts'
import { holdCsp, serverAt } from '../../background/hold.ts'
import { addressesOf, isOfService, type RunningServerRecord } from '../../background/running-servers.ts'
import { usedBackends } from '../../config/settings.ts'
import { UsageError } from '../../config/usage-error.ts'
import { claudeBinary } from '../../server/claude-cli.ts'
import { cspAt } from '../../server/csp-at.ts'
import { isGatewayAlone } from '../../server/gateway-alone.ts'
import { csp } from '../../shell/program.ts'
import { wrapped } from '../../shell/wrapped-text.ts'
import {
  type Call,
  defineCommand,
  exitCodes,
  flagArguments,
  type Invocation,
  type OptionDefinitions,
  wholeNumber,
} from '../command.ts'
import { askYesOrNo } from '../confirm.ts'

const definitions = {
  atLogin: { help: 'Also start it at each login and after a failure, as a service of this user' },
  for: {
    hint: 'PID',
    help: 'Stop it when this process and all others it was started for have ended',
    parse: wholeNumber(1),
  },
} satisfies OptionDefinitions

/** `csp start`: `csp serve` without a terminal. */
export const start = defineCommand({
  name: 'start',
  usage: '[FLAGS]',
  details: `Takes the flags of ${csp} serve. It runs until the machine is shut down. With --at-login, systemd or launchd starts it again at each login with the same flags; put secrets into the configuration file then. ${csp} logs shows its log. With --for, a csp that already runs is used and left as it is. A csp that --for starts ends with the processes it was started for, unless another program has searched with it in the last 5 minutes.`,
  examples: [
    `${csp} start`,
    `${csp} start --port 8080 --model haiku`,
    `${csp} start --at-login`,
    `${csp} start --for 4711`,
    `${csp} logs -f`,
  ],
  options: definitions,
  arguments: { minimum: 0, maximum: 0 },
  async run(call) {
    const { for: pid, atLogin } = call.options
    if (pid === undefined) return atLogin ? (await import('./start-at-login.ts')).startAtLogin(call) : runStart(call)
    if (atLogin) throw new UsageError('--at-login and --for cannot be combined.')
    return startFor(pid, call)
  },
})

type StartCall = Invocation<typeof definitions>

async function runStart(call: StartCall): Promise<number> {
  const { shell, loaded, flags } = call
  const { stateDir, port } = loaded.config
  return report(call, async () => {
    const running = await serverAt(stateDir, port)
    if (running) {
      const { port: _, ...others } = flags
      const own = answerSettings({ config: loaded.config, environment: shell.environment, token: running.token })
      const there = readAnswerSettings(running.settings)
      const names = flagArguments(others)
        .filter((flag) => !running.flags.includes(flag))
        .map((flag) => flag.replace(/=.*/s, ''))
        .filter(
          (flag) => there?.get(flag.slice(2)) === undefined || there.get(flag.slice(2)) !== own.get(flag.slice(2)),
        )
        .join(', ')
      const unused = names ? ` Not applied: ${names}. To apply flags, stop it first.` : ''
      return { text: `${already(running)}${unused}`, server: running }
    }
    const server = await startInBackground({ stateDir, environment: shell.environment, flags: flagArguments(flags) })
    return { text: started(server), server }
  })
}

/** Has a csp run as long as a process does. */
async function startFor(pid: number, call: StartCall): Promise<number> {
  const { shell, loaded, flags } = call
  const { stateDir, port } = loaded.config
  if (port === 0) throw new UsageError(`${csp} start --for needs a fixed port, where the other processes find it.`)
  return report(call, async () => {
    const { environment } = shell
    const held = await holdCsp({ stateDir, port, pid, environment, flags: flagArguments(flags) })
    if (!held) throw new UsageError(`--for: there is no process ${pid}.`)
    const { server } = held
    return { text: held.isNew ? started(server) : already(server), server }
  })
}

/** Says what came of a start. */
async function report(call: StartCall, begin: () => Promise<Begun>): Promise<number> {
  const { shell, loaded } = call
  for (const warning of loaded.warnings) shell.errors.write(wrapped(`${warning}\n`, shell.errors))
  const { text, server } = await begin()
  shell.output.write(wrapped(`${text}\n`, shell.output))
  const { config } = loaded
  const isMissing = usedBackends(config).includes('claude') && !claudeBinary(config, shell.environment)
  if (isMissing && !isGatewayAlone(config, shell.environment))
    shell.errors.write(
      wrapped(`Claude cannot search yet: the Claude Code CLI is missing. ${csp} login fetches it.\n`, shell.errors),
    )
  // Programs that start csp do not wait for the CLI to say so.
  else if (call.options.for === undefined) {
    const running = await cspAt(server.url, server.token, 5000)
    if (running?.isSignedOut) return offerLogin(call)
  }
  return exitCodes.done
}

interface Begun {
  readonly text: string
  readonly server: RunningServerRecord
}

/** A person at a terminal may sign in at once. */
async function offerLogin(call: Call): Promise<number> {
  const { shell } = call
  shell.errors.write(wrapped(`Claude is signed out, so no search works yet: ${csp} login\n`, shell.errors))
  if (!shell.output.isTerminal || !(await askYesOrNo(shell, 'Sign in now?', { usual: 'yes' }))) return exitCodes.done
  const { login } = await import('../login/login.ts')
  return login.run({ ...call, options: { token: false, yes: false } })
}

/** The message when a csp has started. */
export function started({ version, pid, sandbox, ...server }: RunningServerRecord): string {
  const notice = sandbox ? ` ${sandboxNotice}` : ''
  return `csp ${version} listens on ${addressesOf(server)} (process ${pid}). ${csp} status shows its state, ${csp} logs its log; ${csp} stop stops it.${notice}`
}

function already({ url, version, pid, manager }: RunningServerRecord): string {
  const runs = `csp ${version} runs already at ${url} (process ${pid}${placeOf({ manager })}).`
  if (manager === 'programs') return `${runs} ${csp} restart keeps it when they end, ${csp} stop ends it.`
  return `${runs} ${csp} restart starts it again, ${csp} stop ends it.`
}

function placeOf({ manager }: Pick<RunningServerRecord, 'manager'>): string {
  if (manager === 'programs') return ', for other programs'
  if (isOfService({ manager })) return ', as a service'
  return manager === 'terminal' ? ', on a terminal' : ''
}
