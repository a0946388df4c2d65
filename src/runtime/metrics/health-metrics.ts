import type { TunnelHealth } from '../../api/endpoints/health-rows.ts'
import { limitWindows } from '../../api/endpoints/plan-rows.ts'
import type { BackendHealth, ExecutorHealth, LimitHealth, LimitWindowHealth, QueueHealth } from '../../domain/health.ts'
import type { UpstreamHealth } from '../../gateway/layers/stack.ts'
import { type Family, gauge, type Labels, type Sample } from './families.ts'
import { other } from './series.ts'

/** How everything stands. */
export interface FoundHealth {
  readonly executor: ExecutorHealth
  readonly upstreams: readonly UpstreamHealth[]
  readonly tunnel: TunnelHealth | undefined
  readonly now: Date
}

export function healthFamilies({ executor, upstreams, tunnel, now }: FoundHealth): readonly Family[] {
  const { ready, backends, queue, cache, budget } = executor
  const queues = [...backends.flatMap(({ name, queue: own }) => (own ? [named(name, own)] : []))]
  const problems = { cache: cache && cache.problem !== undefined, ledger: budget && budget.problem !== undefined }
  return [
    gauge('csp_ready', 'Whether a search made now may be expected to work.', [flag(ready)]),
    ...backendFamilies(backends),
    ...usageLimitFamilies(backends, now),
    ...planFamilies(backends),
    ...queueFamilies(queues.length > 0 || !queue ? queues : [named('', queue)]),
    ...budgetFamilies(budget?.limits ?? []),
    gauge(
      'csp_storage_failing',
      'Whether the last write or read of the cache or the ledger failed.',
      Object.entries(problems).map(([store, fails]) => flag(fails, { store })),
    ),
    ...upstreamFamilies(upstreams),
    gauge('csp_tunnel_connected', 'Whether the link to the edge stands.', [flag(tunnel?.connected)]),
    gauge('csp_tunnel_round_trip_seconds', 'From here to the edge and back.', [
      sample(tunnel?.roundTripMs === undefined ? undefined : tunnel.roundTripMs / 1000),
    ]),
  ]
}

function backendFamilies(backends: readonly BackendHealth[]): readonly Family[] {
  const states = ['closed', 'half-open', 'open'] as const
  return [
    gauge(
      'csp_backend_ready',
      'Whether a backend is in working order.',
      backends.map(({ name, ready }) => flag(ready, { backend: name })),
    ),
    gauge(
      'csp_backend_last_search_failed',
      'Whether the last search of a backend failed, and none has succeeded since.',
      backends.map(({ name, lastSearchFailed }) => flag(lastSearchFailed ?? false, { backend: name })),
    ),
    gauge(
      'csp_backend_signed_in',
      'Whether a backend is signed in; absent where it has no login.',
      backends.map(({ name, signedIn }) => flag(signedIn, { backend: name })),
    ),
    gauge(
      'csp_breaker_state',
      'Circuit breaker of a backend: 1 for the state it is in.',
      backends.flatMap(({ name, breaker }) =>
        states.map((state) => flag(breaker && breaker.state === state, { backend: name, state })),
      ),
    ),
    gauge(
      'csp_breaker_failures',
      'Failures of a backend in a row, so far.',
      backends.map(({ name, breaker }) => sample(breaker?.failures, { backend: name })),
    ),
  ]
}

function usageLimitFamilies(backends: readonly BackendHealth[], now: Date): readonly Family[] {
  const all = backends.flatMap(({ name, rateLimit }) =>
    limitWindows(rateLimit, now).map((window): { labels: Labels; window: LimitWindowHealth } => ({
      labels: { backend: name, window: windowName(window.window) },
      window,
    })),
  )
  return [
    gauge(
      'csp_usage_limit_used_ratio',
      "The used part of a window of the subscription's usage limit, 0 to 1.",
      all.map(({ labels, window }) => sample(window.utilization, labels)),
    ),
    gauge(
      'csp_usage_limit_reached',
      'Whether a window of the usage limit is used up.',
      all.map(({ labels, window }) => flag(window.status === 'rejected', labels)),
    ),
    gauge(
      'csp_usage_limit_reset_timestamp_seconds',
      'When a window of the usage limit ends.',
      all.map(({ labels, window }) =>
        sample(window.resetsAt === undefined ? undefined : Date.parse(window.resetsAt) / 1000, labels),
      ),
    ),
  ]
}

function planFamilies(backends: readonly BackendHealth[]): readonly Family[] {
  const plans = backends.flatMap(({ name, plan, rateLimit }) =>
    plan ? [{ name, plan, overage: rateLimit?.overage }] : [],
  )
  const kinds = ['deep', 'answers', 'lists'] as const
  return [
    gauge(
      'csp_plan_reserve_ratio',
      'The part of each window that is kept for the owner of the plan, 0 to 1.',
      plans.map(({ name, plan }) => sample(plan.reserve, { backend: name })),
    ),
    gauge(
      'csp_plan_paused',
      'Whether searches of a kind wait, so that the plan keeps its reserve.',
      plans.flatMap(({ name, plan }) =>
        kinds.map((kind) => flag(plan.paused?.kinds.includes(kind) ?? false, { backend: name, kind })),
      ),
    ),
    gauge(
      'csp_plan_extra_usage',
      'Whether searches are paid beyond the plan now.',
      plans.map(({ name, overage }) => flag(overage?.inUse, { backend: name })),
    ),
  ]
}

/** In the words of the CLI, which may find new ones. */
function windowName(name: string | undefined): string {
  return name !== undefined && /^[a-z0-9_]{1,40}$/.test(name) ? name : other
}

interface NamedQueue extends QueueHealth {
  readonly labels: Labels
}

function named(backend: string, queue: QueueHealth): NamedQueue {
  return { ...queue, labels: { backend } }
}

function queueFamilies(queues: readonly NamedQueue[]): readonly Family[] {
  const of = (name: string, help: string, value: (queue: QueueHealth) => number | undefined) =>
    gauge(
      name,
      help,
      queues.map((queue) => sample(value(queue), queue.labels)),
    )
  return [
    of('csp_queue_running', 'Searches at work.', ({ running }) => running),
    of('csp_queue_waiting', 'Searches that wait for a place.', ({ waiting }) => waiting),
    of('csp_queue_concurrency', 'Searches that may be at work at once.', ({ concurrency }) => concurrency),
    of('csp_queue_capacity', 'Searches that may wait.', ({ capacity }) => capacity),
    of('csp_queue_oldest_wait_seconds', 'The longest wait now.', ({ oldestWaitSeconds }) => oldestWaitSeconds),
    of('csp_queue_estimated_wait_seconds', 'The wait of one more search.', (queue) => queue.estimatedWaitSeconds),
  ]
}

function budgetFamilies(limits: readonly LimitHealth[]): readonly Family[] {
  const labelsOf = ({ kind, window }: LimitHealth) => ({ kind, window })
  return [
    gauge(
      'csp_budget_limit',
      'Limits of your own for all callers together.',
      limits.map((limit) => sample(limit.limit, labelsOf(limit))),
    ),
    gauge(
      'csp_budget_used',
      'Configured budget used.',
      limits.map((limit) => sample(limit.used, labelsOf(limit))),
    ),
  ]
}

function upstreamFamilies(upstreams: readonly UpstreamHealth[]): readonly Family[] {
  return [
    gauge('csp_gateway_ready', 'Whether a request to the gateway made now may be expected to work.', [
      flag(upstreams.length > 0 ? upstreams.some(({ ready }) => ready) : undefined),
    ]),
    gauge(
      'csp_upstream_ready',
      'Whether a request would be sent to an upstream of the gateway.',
      upstreams.map(({ name, ready }) => flag(ready, { upstream: name })),
    ),
    gauge(
      'csp_upstream_cached_input_ratio',
      "The part of an upstream's input tokens that its cache held, 0 to 1.",
      upstreams.map(({ name, cachedShare }) => sample(cachedShare, { upstream: name })),
    ),
  ]
}

function flag(value: boolean | undefined, labels?: Labels): Sample | undefined {
  return sample(value === undefined ? undefined : Number(value), labels)
}

function sample(value: number | undefined, labels?: Labels): Sample | undefined {
  return value === undefined || Number.isNaN(value) ? undefined : { value, labels }
}
