import type { UpstreamHealth } from '@csp/gateway/layers/stack'
import { spanOf } from '@csp/lib/times'
import type {
  BackendHealth,
  BackgroundHealth,
  BudgetHealth,
  CacheHealth,
  ExecutorHealth,
  HealthRow,
  LimitHealth,
  QueueHealth,
} from '../../domain/health.ts'
import { searchState } from '../../domain/search-state.ts'
import { planRows } from './plan-rows.ts'

/** The state of the link to an edge. */
export interface TunnelHealth {
  readonly url: string
  /** The name of this csp at the edge. */
  readonly home: string
  readonly connected: boolean
  /** ISO 8601. */
  readonly connectedSince?: string | undefined
  readonly roundTripMs?: number | undefined
  /** Requests in progress, and since the start. */
  readonly running: number
  readonly served: number
  readonly lastError?: string | undefined
}

export type HealthStatus = 'ok' | 'degraded' | 'down'

/** All that is known of this csp. */
export interface FoundHealth {
  readonly version: string
  readonly uptimeSeconds: number
  readonly executor: ExecutorHealth
  readonly upstreams: readonly UpstreamHealth[]
  readonly tunnel?: TunnelHealth | undefined
  readonly refusedProxy?: { readonly at: string; readonly problem: string } | undefined
  readonly background?: BackgroundHealth | undefined
  readonly now: Date
  /** Whether the sandbox answers. */
  readonly notice?: string | undefined
  /** Whether the page can sign the CLI in. */
  readonly canSignIn?: boolean | undefined
}

/** `down`: neither searches nor the gateway work. `degraded`: something of them does not. */
export function statusOf({ executor, upstreams }: Pick<FoundHealth, 'executor' | 'upstreams'>): HealthStatus {
  const [searches, gateway] = [searchStatus(executor), gatewayStatus(upstreams)]
  if (gateway !== undefined && lacksPrograms(executor)) return gateway
  if (gateway === undefined || searches === gateway) return searches
  return 'degraded'
}

/** Whether no backend has the program that it needs. With upstreams, csp is a gateway alone then, which lacks nothing. */
export function lacksPrograms({ backends }: ExecutorHealth): boolean {
  return backends.length > 0 && backends.every(({ isMissing }) => isMissing)
}

/** `degraded`: a backend is not ready, its last search failed, or a limit of csp's own is reached. */
function searchStatus(executor: ExecutorHealth): HealthStatus {
  const { status } = searchState(executor)
  if (status === 'signed-out') return 'down'
  if (status !== 'limited') return status
  return executor.ready ? 'degraded' : 'down'
}

/** `undefined` without a gateway. */
export function gatewayStatus(upstreams: readonly UpstreamHealth[]): HealthStatus | undefined {
  if (upstreams.length === 0) return undefined
  if (upstreams.every(({ ready }) => ready)) return 'ok'
  return upstreams.some(({ ready }) => ready) ? 'degraded' : 'down'
}

/** Describes the state of every part, for `/health`, the page and `csp status`. The first row is about csp as a whole. */
export function describeHealth(found: FoundHealth): readonly HealthRow[] {
  const { executor, upstreams, tunnel, refusedProxy: proxy, now, canSignIn = false, background } = found
  const { queue, cache, budget, receipts, memory } = executor
  const backends = upstreams.length > 0 && lacksPrograms(executor) ? [] : executor.backends
  return [
    wholeRow(found),
    ...(proxy
      ? [
          {
            name: 'Refused proxy',
            level: 'warning',
            text: proxy.problem,
            when: { label: 'Refused', at: proxy.at },
          } as const,
        ]
      : []),
    ...backends.flatMap((backend) => backendRows(backend, now, canSignIn)),
    ...upstreams.map(upstreamRow),
    // With one backend its queue is this one.
    ...(queue && !backends.some((backend) => backend.queue) ? [queueRow('Queue', queue)] : []),
    ...(cache ? [cacheRow(cache)] : []),
    ...budgetRows(budget),
    ...(receipts?.problem ? [{ name: 'Receipts', level: 'warning', text: receipts.problem } as const] : []),
    ...(memory?.problem ? [{ name: 'Memory', level: 'warning', text: memory.problem } as const] : []),
    ...backgroundRows(background),
    ...(tunnel ? [tunnelRow(tunnel)] : []),
  ]
}

/** None where nothing happens there. */
function backgroundRows({ jobs }: BackgroundHealth = {}): readonly HealthRow[] {
  if (!jobs || jobs.queued + jobs.running === 0) return []
  return [{ name: 'Jobs', level: 'ok', text: `${jobs.running} running, ${jobs.queued} waiting.` }]
}

function wholeRow({ executor, upstreams, version, uptimeSeconds, notice }: FoundHealth): HealthRow {
  const models = {
    ok: 'The gateway works.',
    degraded: 'The gateway works, but not with every upstream.',
    down: 'The gateway cannot work now.',
  }
  const levels = { ok: 'ok', degraded: 'warning', down: 'bad' } as const
  const gateway = gatewayStatus(upstreams)
  const isAlone = gateway !== undefined && lacksPrograms(executor)
  const searches = isAlone ? 'A gateway alone, without searches.' : searchState(executor).text
  const state = [...(notice ? [notice] : []), searches, ...(gateway ? [models[gateway]] : [])].join(' ')
  const text = `${state} Version ${version}, running for ${spanOf(uptimeSeconds)}.`
  return { name: 'csp', level: levels[statusOf({ executor, upstreams })], text }
}

function backendRows(backend: BackendHealth, now: Date, canSignIn: boolean): readonly HealthRow[] {
  const { name, ready, problem, version, signedIn, authMethod, subscription } = backend
  const { lastError, lastSearchFailed: failed, breaker, queue, engines = {}, isAskedLast, writes } = backend
  const isOpen = breaker?.state === 'open'
  const state = problem ?? (ready ? `Ready${version ? `, version ${version}` : ''}.` : 'Not ready.')
  const how = [subscription, authMethod].filter(Boolean).join(', ')
  const last = isAskedLast ? ['asked last, since it found nothing three times in a row'] : []
  return [
    {
      name,
      level: ready ? (problem ? 'warning' : 'ok') : 'bad',
      text: isOpen && breaker.failures > 0 ? `${state} Not asked after failures in a row.` : state,
      details: [...Object.entries(engines).map((one) => one.join(': ')), ...(writes ? ['writer'] : []), ...last],
      ...(breaker?.retryAt && { when: { label: 'Next try', at: breaker.retryAt } }),
    },
    ...(signedIn === undefined
      ? []
      : [loginRow(name, how, { isOut: !signedIn, isRefused: needsLogin(backend) }, canSignIn)]),
    ...planRows(backend, now),
    ...(queue ? [queueRow(`${name} queue`, queue)] : []),
    ...(lastError && lastError.message !== problem ? [errorRow(name, lastError, failed)] : []),
  ]
}

/** Whether a backend cannot search before somebody signs in: it is signed out, or its login was refused. */
export function needsLogin({ signedIn, lastSearchFailed, lastError }: BackendHealth): boolean {
  return signedIn === false || (signedIn === true && lastSearchFailed === true && lastError?.code === 'signed-out')
}

function loginRow(
  backend: string,
  how: string,
  { isOut, isRefused }: { readonly isOut: boolean; readonly isRefused: boolean },
  canSignIn: boolean,
): HealthRow {
  const name = `${backend} login`
  const kind = how ? ` (${how})` : ''
  if (!isRefused) return { name, level: 'ok', text: `Signed in${kind}.` }
  const state = isOut ? 'Signed out.' : `Claude refused the login${kind}.`
  const text = `${state} Run \`csp login\` on that machine.`
  return { name, level: 'bad', text, ...(canSignIn && { action: 'sign-in' as const }) }
}

function errorRow(
  backend: string,
  { message, at }: { message: string; at: string },
  failed: boolean | undefined,
): HealthRow {
  const isOver = failed === false
  const text = isOver ? `${message} Searches have worked since.` : message
  return { name: `${backend} last error`, level: isOver ? 'ok' : 'warning', text, when: { label: 'Failed', at } }
}

function upstreamRow({ name, ready, problem, cachedShare, restingKeys = [] }: UpstreamHealth): HealthRow {
  const rests = restingKeys.map(
    (key) => `The key ${key.name} rests for ${spanOf(key.secondsLeft)}: ${reasons[key.why]}.`,
  )
  const share = cachedShare === undefined ? '' : ` ${Math.round(cachedShare * 100)}% of input tokens from its cache.`
  const text = `${problem ?? (ready ? 'Ready.' : 'Not ready.')}${share}`
  const level = !ready ? 'bad' : rests.length > 0 ? 'warning' : 'ok'
  return { name: `Upstream ${name}`, level, text, ...(rests.length > 0 && { details: rests }) }
}

const reasons = {
  quota: 'its quota is spent',
  'rate limit': 'its rate is limited',
  rejected: 'it is rejected',
} as const

function queueRow(
  name: string,
  { running, waiting, concurrency, capacity, estimatedWaitSeconds }: QueueHealth,
): HealthRow {
  const wait = estimatedWaitSeconds ? ` A new search waits about ${Math.round(estimatedWaitSeconds)} s.` : ''
  const level = waiting >= capacity ? 'bad' : waiting > 0 ? 'warning' : 'ok'
  return { name, level, text: `${running} of ${concurrency} running, ${waiting} waiting.${wait}` }
}

function cacheRow({ hits, stale, misses, problem }: CacheHealth): HealthRow {
  if (problem) return { name: 'Cache', level: 'warning', text: problem }
  const old = stale ? `, ${stale} of them older` : ''
  return { name: 'Cache', level: 'ok', text: `${hits + stale} of ${hits + stale + misses} from the cache${old}.` }
}

function budgetRows(budget: BudgetHealth | undefined): readonly HealthRow[] {
  if (!budget) return []
  const { limits, warning, problem } = budget
  const trouble = problem ?? (limits.length === 0 ? warning : undefined)
  return [...limits.map(limitRow), ...(trouble ? [{ name: 'Budget', level: 'warning', text: trouble } as const] : [])]
}

/** A limit of our own. */
function limitRow({ caller, kind, window, limit, used, left, resetsAt }: LimitHealth): HealthRow {
  const isUsual = caller === undefined && kind === 'searches' && window === 'day'
  return {
    name: `${caller ?? 'Budget'}: ${kind} a ${window}`,
    level: left === 0 ? 'bad' : used >= limit * 0.8 ? 'warning' : 'ok',
    text: `${used} of ${limit}${isUsual ? ' (--daily-searches sets another limit, 0 lifts it)' : ''}.`,
    used: limit > 0 ? Math.min(1, used / limit) : 1,
    when: { label: 'Resets', at: resetsAt },
  }
}

function tunnelRow({
  url,
  home,
  connected,
  connectedSince,
  roundTripMs,
  running,
  served,
  lastError,
}: TunnelHealth): HealthRow {
  if (!connected) {
    const text = `Not connected to ${url}: ${lastError ?? 'no reason given'}. It keeps trying.`
    return { name: 'Tunnel', level: 'bad', text }
  }
  const trip = roundTripMs === undefined ? '' : `, ${roundTripMs} ms away`
  return {
    name: 'Tunnel',
    level: 'ok',
    text: `Connected to ${url} as ${home}${trip}; ${running} running, ${served} served.`,
    ...(connectedSince && { when: { label: 'Connected', at: connectedSince } }),
  }
}
