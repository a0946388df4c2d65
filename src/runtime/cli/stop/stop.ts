import { stopServer } from '../../background/background.ts'
import { holdersOf, removeHolder } from '../../background/holders.ts'
import { isOfService, nothingRuns, type RunningServerRecord, serversHere } from '../../background/running-servers.ts'
import { ownServiceManager } from '../../background/service/own-manager.ts'
import { linesText } from '../../shell/printed.ts'
import { csp } from '../../shell/program.ts'
import type { Environment, Shell } from '../../shell/shell.ts'
import { wrapped } from '../../shell/wrapped-text.ts'
import { defineCommand, exitCodes, type Invocation, type OptionDefinitions, wholeNumber } from '../command.ts'

const definitions = {
  all: { help: 'Stop every csp of this user, not only the one at --port' },
  atLogin: { help: `Also stop starting it at login; undoes ${csp} start --at-login` },
  force: { help: 'Stop it at once, without waiting for running searches' },
  for: {
    hint: 'PID',
    help: `Only report that this process no longer needs csp, after ${csp} start --for`,
    parse: wholeNumber(1),
  },
} satisfies OptionDefinitions

/** `csp stop`: ends a csp of this user, wherever it was started. */
export const stop = defineCommand({
  name: 'stop',
  usage: '[FLAGS]',
  details: 'Running searches have 5 seconds to finish. Only a csp of this user is stopped, never another program.',
  examples: [`${csp} stop`, `${csp} stop --port 8080`, `${csp} stop --all`, `${csp} stop --at-login`],
  options: definitions,
  arguments: { minimum: 0, maximum: 0 },
  mendsConfig: true,
  run: runStop,
})

async function runStop(call: Invocation<typeof definitions>): Promise<number> {
  const { shell, loaded, options } = call
  const say = (text: string) => shell.output.write(wrapped(`${text}\n`, shell.output))
  const { stateDir, port } = loaded.config
  if (options.atLogin) return (await import('./stop-at-login.ts')).stopAtLogin(call)
  const { servers, chosen: meant } = await serversHere(loaded)
  if (options.for !== undefined) {
    await removeHolder(stateDir, port, options.for)
    const held = servers.find((server) => server.port === port && server.manager === 'programs')
    say(held ? await freed(held, stateDir) : `No csp at port ${port} was started for other programs.`)
    return exitCodes.done
  }
  const isOpen = servers.length > 1 && loaded.origins.port === 'default'
  const chosen = options.all ? servers : isOpen ? await ask(servers, shell) : meant
  if (!chosen) return exitCodes.usage
  if (chosen.length === 0) {
    say(nothingRuns(servers, loaded))
    return exitCodes.done
  }
  const outcomes = await Promise.all(
    chosen.map(async (server) => {
      const byManager = stopService(server, shell.environment)
      if (!options.force) await byManager
      const [outcome] = await Promise.all([stopServer(server, options.force), byManager])
      return { server, outcome }
    }),
  )
  for (const { server, outcome } of outcomes) say(lineFor(server, outcome === 'stopped'))
  return outcomes.every(({ outcome }) => outcome === 'stopped') ? exitCodes.done : exitCodes.failed
}

/** Which of several is meant. `undefined` where nobody says. */
async function ask(servers: readonly RunningServerRecord[], shell: Shell) {
  const all = servers.map(({ url, pid }, index) => `  ${index + 1}  ${url} (process ${pid})`)
  shell.errors.write(linesText([`${servers.length} csps of this user run:`, ...all]))
  const reply = (await shell.ask('Which one? Its number, or all: '))?.trim().toLowerCase()
  if (reply === 'all') return servers
  const one = servers[Number(reply) - 1]
  if (one) return [one]
  shell.errors.write(
    wrapped(`Stop one of them: ${csp} stop --port ${servers[0]?.port}. Or all: ${csp} stop --all.\n`, shell.errors),
  )
  return undefined
}

async function freed({ url, port }: RunningServerRecord, stateDir: string): Promise<string> {
  const others = await holdersOf(stateDir, port)
  if (others.length > 0)
    return `csp at ${url} runs on for ${others.length === 1 ? 'process' : 'processes'} ${others.join(', ')}.`
  return `csp at ${url} ends in a moment, unless another program has searched with it in the last 5 minutes.`
}

/** Has a service stopped by its manager, which would take another end for a failure, and start it again. */
async function stopService({ manager }: RunningServerRecord, environment: Environment) {
  if (!isOfService({ manager })) return
  const own = ownServiceManager(environment)
  if (own?.name === manager) await own.stop()
}

function lineFor({ url, pid, manager }: RunningServerRecord, isStopped: boolean): string {
  if (!isStopped) return `csp at ${url} (process ${pid}) still runs. ${csp} stop --force ends it.`
  const again = isOfService({ manager }) ? ` It starts again at the next login; ${csp} stop --at-login ends that.` : ''
  return `csp at ${url} has stopped.${again}`
}
