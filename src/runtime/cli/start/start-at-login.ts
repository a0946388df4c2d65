import { addressesOf, type RunningServerRecord, runningServers } from '../../background/running-servers.ts'
import { ownServiceManager } from '../../background/service/own-manager.ts'
import type { ServiceManager } from '../../background/service/service-manager.ts'
import { keptFlags, keptVariables, omittedSecrets, planService } from '../../background/service/service-plan.ts'
import { serverOf, untilServing } from '../../background/service/service-server.ts'
import { type Flags, loadConfig } from '../../config/config.ts'
import { UsageError } from '../../config/usage-error.ts'
import { readKeyFile } from '../../server/key-file.ts'
import { refuseOpenAddress } from '../../server/server.ts'
import { csp } from '../../shell/program.ts'
import { wrapped } from '../../shell/wrapped-text.ts'
import { type Call, exitCodes, flagArguments } from '../command.ts'

/** `csp start --at-login`: csp as a service of the user. Again, it replaces the service. */
export async function startAtLogin(call: Call): Promise<number> {
  const { shell, loaded, flags } = call
  const manager = ownServiceManager(shell.environment)
  if (!manager) throw new UsageError(process.platform === 'win32' ? inWsl : noManager)

  const { environment, directory } = shell
  const { stateDir } = loaded.config
  const origin = { environment, directory, loaded, flags }
  const kept = keptFlags(flags, directory)
  const plan = planService(origin, ['serve', ...flagArguments(kept)], manager.name)
  for (const line of [...loaded.warnings, ...omittedSecrets(origin)]) complain(call, line)
  const { port, backends } = await settingsOfService(kept, call)
  if (backends.includes('claude') && !plan.environment['CSP_CLAUDE_BIN']) complain(call, noClaude)
  const other = (await runningServers(stateDir)).find(
    (server) => server.port === port && server.manager !== manager.name,
  )
  if (other) {
    complain(
      call,
      `csp runs already at ${other.url} (process ${other.pid}). ${csp} stop ends it; then: ${csp} start --at-login`,
    )
    return exitCodes.failed
  }
  const before = await serverOf(manager, stateDir)
  await manager.install(plan)
  say(call, `The service is written to ${manager.file}.`)
  return reportStart(manager, call, before)
}

/** The settings that csp will find as a service. Throws a `UsageError` where it would not start with them. */
async function settingsOfService(flags: Flags, { shell: { environment, directory } }: Call) {
  const { HOME, USERPROFILE } = environment
  const { config } = loadConfig(flags, { HOME, USERPROFILE, ...keptVariables(environment, directory) }, directory)
  refuseOpenAddress(config, await readKeyFile(config.keyFile))
  return config
}

/** Waits for the start of the service, and says how it went. `before`: the csp whose place it takes. */
export async function reportStart(
  manager: ServiceManager,
  call: Call,
  before: RunningServerRecord | undefined,
): Promise<number> {
  const server = await untilServing(manager, call.loaded.config.stateDir, before)
  if (!server) {
    complain(call, `It was started, but csp does not listen. ${csp} logs shows why.`)
    return exitCodes.failed
  }
  const { version, pid } = server
  say(
    call,
    `csp ${version} listens on ${addressesOf(server)} (process ${pid}), and again after each login. ${csp} logs shows its log.`,
  )
  const hint = await manager.hint()
  if (hint) say(call, hint)
  return exitCodes.done
}

const inWsl = `On Windows csp runs in WSL: install it there, then run ${csp} start --at-login in it.`
const noManager = `${csp} start --at-login needs systemd or launchd; ${csp} start needs none.`
const noClaude = `The Claude Code CLI was not found, and the service needs it: ${csp} doctor says where it is looked for.`

function say({ shell }: Call, text: string): void {
  shell.output.write(wrapped(`${text}\n`, shell.output))
}

function complain({ shell }: Call, text: string): void {
  shell.errors.write(wrapped(`${text}\n`, shell.errors))
}
