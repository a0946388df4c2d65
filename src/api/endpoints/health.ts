import type { UpstreamHealth } from '@csp/gateway/layers/stack'
import {
  type BackendHealth,
  type BackgroundHealth,
  type BreakerHealth,
  type BudgetHealth,
  type ExecutorHealth,
  type LaneHealth,
  type QueueHealth,
  sandboxNotice,
} from '../../domain/health.ts'
import type { Jobs } from '../../domain/job.ts'
import { type SearchState, searchState } from '../../domain/search-state.ts'
import { jsonReply } from '../http/json-reply.ts'
import { proxyRefusal, proxySign } from '../http/proxied.ts'
import { describeHealth, gatewayStatus, lacksPrograms, statusOf, type TunnelHealth } from './health-rows.ts'
import type { OwnEndpoint } from './own-endpoint.ts'
import { formatLimit, formatPlan, formatRateLimit } from './usage.ts'

/**
 * The header by which one csp knows another, also where the body says nothing for want of a key. Its value is the version
 * of this protocol between them, not that of csp.
 */
export const identityHeader = 'x-csp'

/** Whether a path says how csp is: supervisors and the page ask all the time. */
export function isStatusPath(path: string): boolean {
  return /^(\/v1)?\/(health(\/|$)|(usage|requests|jobs|metrics)$)/.test(path)
}

/** Answers while the process can answer at all, whatever the backends do. A supervisor that gets no 200 restarts csp. */
export const live: OwnEndpoint = {
  reference: {
    summary: 'Whether csp runs, whatever the backends do',
    isOpen: true,
    reply: { status: 'ok' },
  },
  mount(app, paths) {
    app.on('GET', paths, (context) => jsonReply(context, { status: 'ok' }, 200, { [identityHeader]: '1' }))
  },
}

/**
 * Reports whether something of what is configured is expected to work, searches or the gateway: 200, otherwise 503. Callers
 * without a key see only that.
 */
export const health: OwnEndpoint = {
  reference: {
    summary: 'Whether a search is expected to work; with a key, the state of everything',
    isOpen: true,
    reply: {
      status: 'ok',
      version: '1.0.0',
      uptime_seconds: 3600,
      ready: true,
      backends: [{ name: 'claude', ready: true, signed_in: true }],
    },
    status: { 503: 'No search is expected to work.' },
  },
  mount(app, paths, parts) {
    const { executor, gateway, checkKey, version, now, tunnel, onHealth, proxied, signIn, anonymousTtlMs = 0 } = parts
    let last: { readonly status: ReturnType<typeof statusOf>; readonly at: number } | undefined
    const startedAt = now().getTime()
    app.on('GET', paths, async (context) => {
      const { headers } = context.req.raw
      context.header(identityHeader, '1')
      const { verdict, key } = await checkKey(headers)
      const isKnown = verdict === 'accepted'
      const sign = isKnown && !key ? proxySign(headers) : undefined
      if (sign) return jsonReply(context, { status: 'down', problem: proxyRefusal(sign) }, 503)
      if (!isKnown && last && now().getTime() - last.at < anonymousTtlMs) {
        return jsonReply(context, { status: last.status }, last.status === 'down' ? 503 : 200)
      }
      const found = await executor.health()
      onHealth?.(found)
      const upstreams = gateway?.health() ?? []
      const status = statusOf({ executor: found, upstreams })
      last = { status, at: now().getTime() }
      const isAlone = upstreams.length > 0 && lacksPrograms(found)
      const uptime = Math.max(0, Math.floor((now().getTime() - startedAt) / 1000))
      if (!isKnown) return jsonReply(context, { status }, status === 'down' ? 503 : 200)
      const link = tunnel?.()
      const background = await backgroundOf(parts)
      const refusedProxy = proxied.last && { at: proxied.last.at, problem: proxyRefusal(proxied.last.sign) }
      const all = {
        version,
        uptimeSeconds: uptime,
        executor: found,
        tunnel: link,
        refusedProxy,
        canSignIn: signIn !== undefined,
        notice: executor.isSandbox ? sandboxNotice : undefined,
        background,
        now: now(),
      }
      const body = {
        status,
        version,
        uptime_seconds: uptime,
        rows: describeHealth({ ...all, upstreams }),
        ...(!isAlone && { searches: formatState(searchState(found)) }),
        sandbox: all.notice !== undefined || undefined,
        ...formatHealth(isAlone ? { ...found, backends: [] } : found),
        gateway_ready: gateway && gatewayStatus(upstreams) !== 'down',
        gateway: gateway && upstreams.map(formatUpstream),
        ...background,
        tunnel: link && formatTunnel(link),
        refused_proxy: refusedProxy,
      }
      return jsonReply(context, body, status === 'down' ? 503 : 200)
    })
  },
}

interface BackgroundParts {
  readonly jobs?: Pick<Jobs, 'counts'> | undefined
}

/** What happens in the background. `undefined` if that cannot be read. */
export async function backgroundOf({ jobs }: BackgroundParts): Promise<BackgroundHealth | undefined> {
  try {
    return { jobs: await jobs?.counts() }
  } catch {
    return undefined
  }
}

function formatState({ fromMemory, ...rest }: SearchState) {
  return { ...rest, from_memory: fromMemory }
}

function formatHealth({ ready, backends, queue, cache, budget, receipts, memory }: ExecutorHealth) {
  return {
    ready,
    backends: backends.map(formatBackend),
    queue: queue && formatQueue(queue),
    cache,
    budget: budget && formatBudget(budget),
    receipts,
    memory,
  }
}

function formatBackend(backend: BackendHealth) {
  const {
    isMissing: _,
    isAskedLast,
    signedIn,
    authMethod,
    lastError,
    lastSearchFailed,
    rateLimit,
    plan,
    breaker,
    queue,
    ...rest
  } = backend
  return {
    ...rest,
    signed_in: signedIn,
    auth_method: authMethod,
    last_error: lastError,
    last_search_failed: lastSearchFailed,
    asked_last: isAskedLast,
    rate_limit: rateLimit && formatRateLimit(rateLimit),
    plan: plan && formatPlan(plan),
    breaker: breaker && formatBreaker(breaker),
    queue: queue && formatQueue(queue),
  }
}

function formatBreaker({ state, retryAt, failures }: BreakerHealth) {
  return { state, retry_at: retryAt, failures }
}

function formatQueue({ estimatedWaitSeconds, oldestWaitSeconds, lanes, ...rest }: QueueHealth) {
  return {
    ...rest,
    estimated_wait_seconds: estimatedWaitSeconds,
    oldest_wait_seconds: oldestWaitSeconds,
    lanes: lanes && { main: formatLane(lanes.main), light: formatLane(lanes.light) },
  }
}

function formatLane({ estimatedWaitSeconds, ...rest }: LaneHealth) {
  return { ...rest, estimated_wait_seconds: estimatedWaitSeconds }
}

function formatBudget({ limits, warning, problem }: BudgetHealth) {
  return { limits: limits.map(formatLimit), warning: warning ?? null, problem: problem ?? null }
}

function formatUpstream({ cachedShare, restingKeys, ...rest }: UpstreamHealth) {
  const keys = restingKeys?.map(({ secondsLeft, ...key }) => ({ ...key, seconds_left: secondsLeft }))
  return { ...rest, cached_share: cachedShare, resting_keys: keys }
}

function formatTunnel({ connectedSince, roundTripMs, lastError, ...rest }: TunnelHealth) {
  return { ...rest, connected_since: connectedSince, round_trip_ms: roundTripMs, last_error: lastError }
}
