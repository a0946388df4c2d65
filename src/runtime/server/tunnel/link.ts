import { existsSync, readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { isLoopback, withoutLastSlashes } from '@csp/lib/url'
import { createHomeApp } from '../../../app.ts'
import type { ExecutorHealth } from '../../../domain/health.ts'
import { configuredModels } from '../../../domain/model.ts'
import type { Executor } from '../../../executor/executor.ts'
import { checkPlainFile } from '../../../storage/plain-file.ts'
import type { HomeState } from '../../../tunnel/home/tunnel-server.ts'
import { minSecretLength } from '../../../tunnel/login.ts'
import { maxRequestBytes } from '../../../tunnel/protocol.ts'
import type { LoadedConfig } from '../../config/config.ts'
import { plainAddress } from '../../config/setting-types.ts'
import type { Config } from '../../config/settings.ts'
import { UsageError } from '../../config/usage-error.ts'
import type { Log } from '../../log/log.ts'
import { requestLog } from '../../log/request-log.ts'
import { csp } from '../../shell/program.ts'
import type { Shell } from '../../shell/shell.ts'
import { version } from '../../version.ts'
import { listPlaces, queuePlaces } from '../places.ts'
import { connectHome, type HomeLink, type LinkState } from './connect-home.ts'
import { proxyFor } from './proxy.ts'

/** The edge that a home connects to, and its login. */
export interface LinkSettings {
  /** Without a slash at the end. */
  readonly url: string
  readonly secret: string
  readonly home: string
  /** The headers of a service token, which Cloudflare Access wants to see. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The proxy on the way there. It may hold a password. */
  readonly proxy?: string | undefined
  /** Searches that need a worker each, at once. */
  readonly workers: number
  /** Searches of any kind, running and waiting. */
  readonly capacity: number
}

type Place = Pick<Shell, 'directory' | 'environment'>

/** Reads the settings of the link. Throws a `UsageError` if one is missing or invalid. */
export function linkSettings(config: LoadedConfig['config'], { directory, environment }: Place): LinkSettings {
  const { connectUrl, connectName = nameOfMachine() } = config
  if (!connectUrl)
    throw new UsageError(`The address of the edge is missing: ${csp} connect https://YOUR-EDGE, or set --connect-url.`)
  const url = withoutLastSlashes(connectUrl)
  if (!plainAddress.test(url)) throw new UsageError(`${url} is not an address such as https://YOUR-EDGE.`)
  const { protocol, hostname: host } = new URL(url)
  if (protocol !== 'https:' && !isLoopback(host)) {
    throw new UsageError(`${url} is not encrypted. Use https.`)
  }
  const { connectSecret = secretFromSetup(config) } = config
  const secret = connectSecret?.startsWith('@') ? secretIn(connectSecret.slice(1), directory) : connectSecret
  if (!secret) {
    throw new UsageError(
      `The secret of the edge is missing: ${csp} config set connect-secret, or set CSP_CONNECT_SECRET to it or to @FILE.`,
    )
  }
  const { concurrency: workers } = config
  const capacity = workers + listPlaces + queuePlaces
  const proxy = proxyFor(url, environment)
  return { url, secret, home: connectName, headers: accessHeaders(config), proxy, workers, capacity }
}

/** Opens the link of this home to its edge. It serves searches only, with this executor. */
export function openLink(
  settings: LinkSettings,
  config: Config,
  executor: Executor,
  log: Log,
  onState: (state: LinkState) => void,
): HomeLink {
  const app = createHomeApp({
    executor,
    models: configuredModels(config),
    defaultModel: config.model,
    maximumBodyBytes: maxRequestBytes,
    version,
    ...requestLog(log, 'tunnel'),
  })
  return connectHome({
    ...settings,
    handler: (request) => app.fetch(request),
    state: async () => stateFrom(await executor.health()),
    onState: onlyNews(onState),
  })
}

/** What the edge is told of the backends here. */
function stateFrom({ ready, backends }: ExecutorHealth): HomeState {
  return ready ? { ready } : { ready, problem: backends.find((backend) => !backend.ready)?.problem }
}

/** Passes on a failure once, not each attempt, until the cause changes or a connection stands. */
export function onlyNews(report: (state: LinkState) => void): (state: LinkState) => void {
  let reported: string | undefined
  return (state) => {
    const failure = state.name === 'lost' ? state.reason : state.name === 'refused' ? state.refusal.message : undefined
    const isRepeated =
      state.name === 'connecting' ? reported !== undefined : failure !== undefined && failure === reported
    if (isRepeated) return
    reported = failure ?? (state.name === 'connecting' ? reported : '')
    report(state)
  }
}

/** Describes a state for the user. */
export function describeState(state: LinkState, { url, home }: LinkSettings): string {
  switch (state.name) {
    case 'connecting':
      return `connecting to ${url} as ${home}`
    case 'connected':
      return `connected to ${url} as ${home}`
    case 'measured':
      return `round trip to ${url}: ${state.roundTripMs} ms`
    case 'lost':
      return `${state.reason} Trying again until it works, within 30 s each time.`
    case 'refused':
      return `${url} refuses this home: ${state.refusal.message}`
    case 'replaced':
      return `Another csp has connected as ${home}. Give each home its own --connect-name.`
    case 'stopped':
      return `disconnected from ${url}`
  }
}

/** Whether the state should be logged as a warning. */
export function isTrouble({ name }: LinkState): boolean {
  return name === 'lost' || name === 'refused' || name === 'replaced'
}

/** The headers of the service token. */
function accessHeaders({ accessToken }: Config): LinkSettings['headers'] {
  if (accessToken === undefined) return undefined
  const [id = '', secret = ''] = accessToken.split(':')
  return { 'cf-access-client-id': id, 'cf-access-client-secret': secret }
}

/** Where `csp setup edge` on this machine has left it. */
function secretFromSetup({ keyFile }: LoadedConfig['config']): string | undefined {
  const path = join(dirname(keyFile), 'edge', 'connect-secret')
  return existsSync(path) ? `@${path}` : undefined
}

function secretIn(path: string, directory: string): string {
  let secret: string
  try {
    checkPlainFile(resolve(directory, path))
    secret = readFileSync(resolve(directory, path), 'utf8').trim()
  } catch {
    throw new UsageError(`Cannot read ${path} (connect-secret).`)
  }
  if (secret.length >= minSecretLength) return secret
  throw new UsageError(`The secret in ${path} must have ${minSecretLength} characters or more.`)
}

function nameOfMachine(): string {
  return (
    hostname()
      .replace(/[^A-Za-z0-9._-]/g, '-')
      .slice(0, 64) || 'home'
  )
}
