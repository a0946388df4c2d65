import { pause, whenAborted, withTimeout } from '@csp/lib/abort'
import { messageOf } from '@csp/lib/errors'
import { writeAnswerSettings } from '../../background/answer-settings.ts'
import { Demand } from '../../background/demand.ts'
import { logFile, rotatedErrors } from '../../background/log-file.ts'
import { type Announcement, announceServer, createLocalToken, managerSchema } from '../../background/running-servers.ts'
import { takeOver } from '../../background/take-over.ts'
import type { LoadedConfig } from '../../config/config.ts'
import { unusedBackendsHint } from '../../config/unused-backends.ts'
import { reportHealth } from '../../log/health-log.ts'
import { createLog, type Log } from '../../log/log.ts'
import { type Composition, openComposition } from '../../server/composition.ts'
import type { createConfiguredApp } from '../../server/create-app.ts'
import { isGatewayAlone } from '../../server/gateway-alone.ts'
import { type ListeningServer, listen } from '../../server/listen.ts'
import { type RunningServer, refuseOpenAddress } from '../../server/server.ts'
import type { HomeLink, LinkState } from '../../server/tunnel/connect-home.ts'
import { csp } from '../../shell/program.ts'
import type { Shell } from '../../shell/shell.ts'
import { drainMs, type Interruption, interruption } from '../../shell/shell.ts'
import { withoutOwnBaseUrl } from '../../upstream-plans.ts'
import { version } from '../../version.ts'
import { type Call, defineCommand, exitCodes, flagArguments } from '../command.ts'
import { banner, loginLines } from './serve-banner.ts'

/** `csp serve`: serves the search API until a stop signal. */
export const serve = defineCommand({
  name: 'serve',
  usage: '[FLAGS]',
  details:
    'Clients of Brave Search, Perplexity and OpenAI work with the printed address as their base URL, bare or with /v1. After Ctrl-C, running searches have 5 seconds to finish; a second Ctrl-C ends at once. -s is --log-format simple, -d is --log-level debug.',
  examples: [`${csp} serve --port 8080`, `${csp} serve --sandbox`, `CSP_MODEL=haiku ${csp}`],
  options: {},
  arguments: { minimum: 0, maximum: 0 },
  run: runServe,
})

async function runServe({ shell: given, loaded, flags }: Call): Promise<number> {
  const { config } = loaded
  const shell = { ...given, errors: rotatedErrors(given.errors, logFile(config.stateDir)) }
  const log = createLog(config.logLevel, shell.errors, config.logFormat)
  for (const warning of loaded.warnings) log('warning', warning)
  const stop = interruption(shell)
  const unneeded = new AbortController()
  const handover = new AbortController()
  const endHandover = shell.onHandover(() => handover.abort())
  const composition = openComposition(config, withoutOwnBaseUrl(shell.environment, config), log)
  const unused = unusedBackendsHint(loaded)
  if (unused) log('info', unused)
  const localToken = createLocalToken()
  let announcement: Announcement | undefined
  let link: HomeLink | undefined
  try {
    const named = await composition.accounts.keyRing.keys()
    refuseOpenAddress(config, named)
    link = config.connectUrl ? await connectToo({ shell, loaded }, composition, log) : undefined
    const createApp = await appFactory(composition, log, { link, localToken })
    const app = createApp(config)
    // The edge needs a csp that is linked to it.
    const need = isForPrograms(shell) && !link ? new Demand(config) : undefined
    const server = await openServer({ shell, loaded }, composition, (request, connection) => {
      need?.note(request)
      return app(request, connection)
    })
    const announceAgain = async () => {
      announcement = await announce(server, { shell, loaded, flags }, localToken, log)
    }
    await announceAgain()
    const record = { announce: announceAgain, withdraw: async () => announcement?.end() }
    const ends = AbortSignal.any([stop.first, handover.signal])
    void need?.untilNone(ends, record).then((isNone) => isNone && unneeded.abort(noProgramLeft))
    if (shell.output.isTerminal) shell.output.write(banner(server, loaded, shell, named.length > 0))
    else
      log(
        'info',
        `listening on ${server.urls.join(' and ')}${config.sandbox ? ', on the SANDBOX: all pages are samples' : ''}`,
      )
    void warmUp(composition, config, shell, log, stop.first)
    const first = AbortSignal.any([stop.first, unneeded.signal])
    return await untilStopped(server, link, { ...stop, first, handover: handover.signal }, composition, log)
  } finally {
    await announcement?.end()
    endHandover()
    await link?.stop(AbortSignal.abort())
    await Promise.race([composition.close(), whenAborted(stop.again)])
    stop.end()
  }
}

/** True if it runs only as long as other programs do. */
function isForPrograms({ environment }: Shell): boolean {
  return managerSchema.parse(environment['CSP_MANAGER']) === 'programs'
}

const noProgramLeft = 'the end of the programs that it was started for'

interface LocalAccess {
  readonly link: HomeLink | undefined
  readonly localToken: string
}

type App = ReturnType<typeof createConfiguredApp>

/** Creates the application over the same parts, for the settings that hold. */
async function appFactory(
  composition: Composition,
  log: Log,
  { link, localToken }: LocalAccess,
): Promise<(config: LoadedConfig['config']) => App> {
  const { executor } = composition
  const { createConfiguredApp: create } = await import('../../server/create-app.ts')
  const gateway = await composition.gateway()
  for (const { name } of gateway?.upstreams ?? []) log('info', `the gateway serves /v1/messages by ${name}`)
  const parts = { ...composition, tunnel: link?.status, localToken, gateway }
  return (settings) => create(settings, executor, log, parts)
}

async function openServer(
  { shell, loaded: { config } }: Pick<Call, 'shell' | 'loaded'>,
  composition: Composition,
  app: App,
): Promise<ListeningServer> {
  const start = (besides = false) => listen(app, config.host, config.port, besides)
  const old = shell.environment['CSP_TAKES_OVER']
  if (!old) return start()
  return takeOver(
    Number(old),
    () => settled(composition),
    () => start(true),
  )
}

/** Loads everything that a first search needs. */
async function settled({ settle }: Composition): Promise<void> {
  const { loadRoutes } = await import('../../../api/vendors.ts')
  await Promise.all([loadRoutes(), settle()])
}

/** Writes down where this csp is, for the other commands of this user. Without that it serves all the same. */
async function announce(
  { url, urls, port }: ListeningServer,
  { shell, loaded: { config }, flags }: Pick<Call, 'shell' | 'loaded' | 'flags'>,
  token: string,
  log: Log,
): Promise<Announcement | undefined> {
  const manager = managerSchema.parse(shell.environment['CSP_MANAGER'])
  const about = {
    url,
    urls: [...urls],
    port,
    version,
    token,
    settings: writeAnswerSettings({ config, environment: shell.environment, token }),
    flags: flagArguments(flags),
    manager,
    ...(config.sandbox && { sandbox: true as const }),
  }
  try {
    return await announceServer(config.stateDir, about)
  } catch (error) {
    log('warning', `${csp} stop and ${csp} status will not find this csp: ${messageOf(error)}`)
    return undefined
  }
}

/** Also answers the requests of an edge. */
async function connectToo(
  { shell, loaded: { config } }: Pick<Call, 'shell' | 'loaded'>,
  { executor }: Composition,
  log: Log,
): Promise<HomeLink> {
  const { describeState, isTrouble, linkSettings, openLink } = await import('../../server/tunnel/link.ts')
  const place = linkSettings(config, shell)
  const report = (state: LinkState) => log(isTrouble(state) ? 'warning' : 'info', describeState(state, place))
  return openLink(place, config, executor, log, report)
}

/** Starts the engine, so that the first search finds it ready, and reports its health. */
async function warmUp(
  composition: Composition,
  config: LoadedConfig['config'],
  shell: Shell,
  log: Log,
  stopped: AbortSignal,
): Promise<void> {
  await Bun.sleep(warmUpDelayMs)
  if (isGatewayAlone(config, shell.environment)) return composition.settle()
  await settled(composition)
  const health = await composition.executor.health()
  if (stopped.aborted) return
  if (shell.output.isTerminal) shell.output.write(loginLines(health))
  else reportHealth(log, health)
}

async function untilStopped(
  server: RunningServer,
  link: HomeLink | undefined,
  { first, again, handover }: Pick<Interruption, 'first' | 'again'> & { readonly handover: AbortSignal },
  composition: Composition,
  log: Log,
): Promise<number> {
  await whenAborted(AbortSignal.any([first, handover]))
  const isHandedOver = !first.aborted
  log('info', isHandedOver ? 'another csp takes over; running searches finish here' : `stopping on ${first.reason}`)
  const limit = isHandedOver
    ? AbortSignal.any([first, again, AbortSignal.timeout(handoverMs)])
    : AbortSignal.any([again, AbortSignal.timeout(drainMs)])
  // They go on in the next csp.
  void composition.jobs?.close()
  const cut = new AbortController()
  void whenAborted(limit).then(async () => {
    // Searches that still run fail now, so that their callers get a reply or an error event, not a broken connection.
    const stopped = composition.executor.close().catch(() => {})
    if (!again.aborted) await withTimeout(Promise.race([stopped, whenAborted(again)]), farewellMs)
    if (!again.aborted) await pause(flushMs, again)
    cut.abort()
  })
  await Promise.all([server.stop(cut.signal), link?.stop(limit)])
  return again.aborted ? exitCodes.interrupted : exitCodes.done
}

/** How long searches may take to finish when another csp has taken over. */
const handoverMs = 600_000

/** How long searches may take to fail when csp stops, and their callers to be told. */
const farewellMs = 2000
const flushMs = 200

/** Loading keeps the processor busy for a moment: first requests go first. */
const warmUpDelayMs = 50
