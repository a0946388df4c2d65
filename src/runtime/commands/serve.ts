import { banner, loginLines } from '../banner.ts'
import { type Command, exitCodes, type Invocation } from '../command.ts'
import { type Composition, compose } from '../compose.ts'
import { type Interruption, interruption } from '../interruption.ts'
import { type Log, openLog } from '../log.ts'
import { ListenError, type RunningServer, refuseOpenDoor, startServer } from '../server.ts'
import { settings } from '../settings.ts'
import type { Shell } from '../shell.ts'
import { whenAborted } from '../when-aborted.ts'

/** `csp serve`: the search API, until it is told to stop. */
export const serve: Command = {
  name: 'serve',
  usage: '[FLAGS]',
  summary: 'Serve the search API on this machine',
  details:
    'Clients of Brave Search, Perplexity and OpenAI work with the printed address as their base URL, bare or with /v1. Ctrl-C lets running searches finish for 5 seconds; a second one ends at once.',
  examples: ['csp serve --port 8080', 'csp serve --sandbox', 'CSP_MODEL=haiku csp'],
  settings: settings.map(({ name }) => name),
  options: [],
  arguments: { minimum: 0, maximum: 0 },
  run: runServe,
}

async function runServe({ shell, loaded }: Invocation): Promise<number> {
  const { config } = loaded
  const log = openLog(config.logLevel, shell.errors)
  for (const warning of loaded.warnings) log('warning', warning)
  const stop = interruption(shell)
  const composition = compose(config, shell.environment, log)
  try {
    const named = await composition.accounts.keyRing.keys()
    refuseOpenDoor(config, named)
    const server = await openServer({ shell, loaded }, composition, log)
    if (!server) return exitCodes.failed
    if (shell.output.isTerminal) shell.output.write(banner(server.url, loaded, shell, named.length > 0))
    else log('info', `listening on ${server.url}${config.sandbox ? ', on the SANDBOX: every result is invented' : ''}`)
    void warmUp(composition, shell, log, stop.first)
    return await untilStopped(server, stop, log)
  } finally {
    await Promise.race([composition.close(), whenAborted(stop.again)])
    stop.end()
  }
}

async function openServer(
  { shell, loaded: { config } }: Pick<Invocation, 'shell' | 'loaded'>,
  { executor, accounts }: Composition,
  log: Log,
): Promise<RunningServer | undefined> {
  const { openApp } = await import('../open-app.ts')
  try {
    return await startServer(openApp(config, executor, log, accounts), config.host, config.port)
  } catch (error) {
    if (!(error instanceof ListenError)) throw error
    shell.errors.write(`${error.message}\n`)
    return undefined
  }
}

/** Starts the engine, so that the first search finds it ready, and tells how it stands. */
async function warmUp({ executor, settle }: Composition, shell: Shell, log: Log, stopped: AbortSignal): Promise<void> {
  await Bun.sleep(warmUpDelayMs)
  const { loadRoutes } = await import('../../routes.ts')
  await Promise.all([loadRoutes(), settle()])
  const health = await executor.health()
  if (stopped.aborted) return
  if (shell.output.isTerminal) shell.output.write(loginLines(health))
  else for (const { name, problem } of health.backends) if (problem) log('warning', `${name}: ${problem}`)
}

async function untilStopped(server: RunningServer, { first, again }: Interruption, log: Log): Promise<number> {
  await whenAborted(first)
  log('info', `stopping on ${first.reason}`)
  await server.stop(AbortSignal.any([again, AbortSignal.timeout(drainMs)]))
  return again.aborted ? exitCodes.interrupted : exitCodes.done
}

/** Loading takes the processor for a moment: whoever waited for the server to listen goes first. */
const warmUpDelayMs = 50

/** How long running searches may take to finish. */
const drainMs = 5000
