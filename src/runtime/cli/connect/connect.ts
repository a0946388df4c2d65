import { whenAborted } from '@csp/lib/abort'
import { reportHealth } from '../../log/health-log.ts'
import { createLog, type Log } from '../../log/log.ts'
import { type Composition, openComposition } from '../../server/composition.ts'
import type { HomeLink, LinkState } from '../../server/tunnel/connect-home.ts'
import { describeState, isTrouble, linkSettings, openLink } from '../../server/tunnel/link.ts'
import { csp } from '../../shell/program.ts'
import { drainMs, type Interruption, interruption } from '../../shell/shell.ts'
import { safeLine } from '../../shell/terminal.ts'
import { wrapped } from '../../shell/wrapped-text.ts'
import { type Call, defineCommand, exitCodes } from '../command.ts'

/** `csp connect`: answers the requests of an edge until a stop signal, without opening a port. */
export const connect = defineCommand({
  name: 'connect',
  usage: '[URL] [FLAGS]',
  details: `URL is the address of the Worker that ${csp} setup edge made. The setting connect-secret holds the secret of that Worker. A lost connection is restored automatically. After Ctrl-C, running searches have 5 seconds to finish. ${csp} serve --connect-url does the same and also serves.`,
  examples: [
    `${csp} connect https://csp-edge.example.workers.dev`,
    `${csp} connect https://csp-edge.example.workers.dev --connect-name attic`,
  ],
  options: {},
  arguments: { minimum: 0, maximum: 1 },
  run: runConnect,
})

async function runConnect({ shell, loaded, arguments: [url] }: Call): Promise<number> {
  const config = { ...loaded.config, ...(url !== undefined && { connectUrl: url }) }
  const place = linkSettings(config, shell)
  const log = createLog(config.logLevel, shell.errors, config.logFormat)
  for (const warning of loaded.warnings) log('warning', warning)
  const stop = interruption(shell)
  const composition = openComposition(config, shell.environment, log)
  const refused = Promise.withResolvers<void>()
  let hasConnected = false
  const tell = (state: LinkState): void => {
    const text = describeState(state, place)
    if (shell.output.isTerminal) shell.output.write(wrapped(`${safeLine(text)}\n`, shell.output))
    else log(isTrouble(state) ? 'warning' : 'info', text)
    if (state.name === 'connected') hasConnected = true
    // Later the secret may be changing; at first it is a mistake that no retry corrects.
    if (state.name === 'refused' && !hasConnected) refused.resolve()
  }
  const link = openLink(place, config, composition.executor, log, tell)
  try {
    void warmUp(composition, log, stop.first)
    // Without a stop it ends only when another connection replaced it.
    await Promise.race([whenAborted(stop.first), refused.promise, link.ended])
    return stop.first.aborted ? await drain(link, stop, log) : exitCodes.failed
  } finally {
    await link.stop(AbortSignal.abort())
    await Promise.race([composition.close(), whenAborted(stop.again)])
    stop.end()
  }
}

async function warmUp({ executor, settle }: Composition, log: Log, stopped: AbortSignal): Promise<void> {
  const { loadRoutes } = await import('../../../api/vendors.ts')
  await Promise.all([loadRoutes(), settle()])
  const health = await executor.health()
  if (!stopped.aborted) reportHealth(log, health)
}

async function drain(link: HomeLink, { first, again }: Interruption, log: Log): Promise<number> {
  log('info', `stopping on ${first.reason}`)
  await link.stop(AbortSignal.any([again, AbortSignal.timeout(drainMs)]))
  return again.aborted ? exitCodes.interrupted : exitCodes.done
}
