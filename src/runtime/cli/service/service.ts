import { existsSync } from 'node:fs'
import { addressesOf, type RunningServerRecord, runningServers } from '../../background/running-servers.ts'
import { ownServiceManager } from '../../background/service/own-manager.ts'
import type { ServiceManager } from '../../background/service/service-manager.ts'
import { keptFlags, keptVariables, omittedSecrets, planService } from '../../background/service/service-plan.ts'
import { serverOf, untilServing } from '../../background/service/service-server.ts'
import { readKeyFile } from '../../bun/key-file.ts'
import { refuseOpenAddress } from '../../bun/server.ts'
import { type Flags, loadConfig } from '../../config/config.ts'
import { UsageError } from '../../config/usage-error.ts'
import { csp } from '../../shell/program.ts'
import { safe } from '../../shell/terminal.ts'
import { defineCommand, exitCodes, flagArguments, type Invocation, type OptionDefinitions } from '../command.ts'

const definitions = { json: { help: 'With status: print JSON' } } satisfies OptionDefinitions

/** `csp service`: csp as a service of the user. */
export const service = defineCommand({
  name: 'service',
  usage: 'install|uninstall|status|restart [FLAGS]',
  details: `By systemd, launchd or Task Scheduler, as a service of this user. install takes the flags of ${csp} serve; again, it replaces the service. It contains no secrets: they belong in the configuration file.`,
  examples: [`${csp} service install`, `${csp} service install --port 8080 --model haiku`, `${csp} service status`],
  options: definitions,
  words: { install: [], uninstall: [], status: [], restart: [] },
  arguments: { minimum: 1, maximum: 1 },
  run: runService,
})

type ServiceCall = Invocation<typeof definitions>

async function runService(call: ServiceCall): Promise<number> {
  const { shell, loaded, flags, options } = call
  const [action = ''] = call.arguments
  const run = actions[action]
  if (!run) throw new UsageError(`Usage: ${csp} service install|uninstall|status|restart`)
  if (options.json && action !== 'status') throw new UsageError(`--json goes with ${csp} service status only.`)
  const stray = Object.keys(flags).find((flag) => !['config', 'state-dir'].includes(flag))
  if (stray && action !== 'install') throw new UsageError(`--${stray} goes with ${csp} service install only.`)
  const manager = ownServiceManager(shell.environment, loaded.config.stateDir)
  if (!manager)
    throw new UsageError(`${csp} service needs systemd, launchd or Task Scheduler; ${csp} start needs none.`)
  return run(manager, call)
}

type Action = (manager: ServiceManager, call: ServiceCall) => Promise<number>

const actions: Readonly<Record<string, Action | undefined>> = { install, uninstall, status, restart }

async function install(manager: ServiceManager, call: ServiceCall): Promise<number> {
  const { shell, loaded, flags } = call
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
      `csp runs already at ${other.url} (process ${other.pid}). ${csp} stop ends it; then: ${csp} service install`,
    )
    return exitCodes.failed
  }
  const before = await serverOf(manager, stateDir)
  await manager.install(plan)
  say(call, `The service is written to ${manager.file}.`)
  return reportStart(manager, call, before)
}

/** The settings that csp will find as a service. Throws a `UsageError` where it would not start with them. */
async function settingsOfService(flags: Flags, { shell: { environment, directory } }: ServiceCall) {
  const { HOME, USERPROFILE } = environment
  const { config } = loadConfig(flags, { HOME, USERPROFILE, ...keptVariables(environment, directory) }, directory)
  refuseOpenAddress(config, await readKeyFile(config.keyFile))
  return config
}

async function restart(manager: ServiceManager, call: ServiceCall): Promise<number> {
  if (!existsSync(manager.file)) {
    complain(call, notInstalled)
    return exitCodes.failed
  }
  const before = await serverOf(manager, call.loaded.config.stateDir)
  await manager.restart()
  return reportStart(manager, call, before)
}

/** Waits for the start of the service, and says how it went. */
async function reportStart(
  manager: ServiceManager,
  call: ServiceCall,
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

async function uninstall(manager: ServiceManager, call: ServiceCall): Promise<number> {
  const { stateDir } = call.loaded.config
  const server = await serverOf(manager, stateDir)
  const removed = await manager.uninstall()
  if (removed.length === 0) {
    say(call, notInstalled)
    return exitCodes.done
  }
  for (const file of removed) say(call, `Removed ${file}.`)
  if (!server) return exitCodes.done
  const isGone = (await serverOf(manager, stateDir)) === undefined
  if (isGone) say(call, `csp at ${server.url} has stopped.`)
  else complain(call, `csp at ${server.url} (process ${server.pid}) still runs. ${csp} stop ends it.`)
  return isGone ? exitCodes.done : exitCodes.failed
}

async function status(manager: ServiceManager, call: ServiceCall): Promise<number> {
  const isInstalled = existsSync(manager.file)
  const server = await serverOf(manager, call.loaded.config.stateDir)
  const { isEnabled, state } = isInstalled ? await manager.state() : { isEnabled: false, state: undefined }
  if (call.options.json) {
    const running = server && { url: server.url, pid: server.pid, version: server.version, since: server.startedAt }
    const about = { manager: manager.name, file: manager.file, installed: isInstalled, enabled: isEnabled }
    const text = JSON.stringify({ ...about, state: state ?? null, running: running ?? null }, null, 2)
    call.shell.output.write(`${text}\n`)
  } else if (isInstalled) {
    const words = [isEnabled ? 'starts at login' : 'does not start at login', ...(state ? [state] : [])].join(', ')
    say(call, `csp is a service of ${manager.name}: ${safe(words)} (${manager.file}).`)
    const { url, version, pid } = server ?? {}
    say(call, url ? `csp ${version} listens on ${url} (process ${pid}). ${csp} status shows how it is.` : notListening)
  } else {
    say(call, notInstalled)
  }
  return isInstalled && server ? exitCodes.done : exitCodes.failed
}

const noClaude = `The Claude Code CLI was not found, and the service needs it: ${csp} doctor says where it is looked for.`
const notInstalled = `csp is not installed as a service. Install it with: ${csp} service install`
const notListening = `It does not listen. ${csp} logs shows why, ${csp} service restart starts it.`

function say({ shell }: ServiceCall, text: string): void {
  shell.output.write(`${text}\n`)
}

function complain({ shell }: ServiceCall, text: string): void {
  shell.errors.write(`${text}\n`)
}
