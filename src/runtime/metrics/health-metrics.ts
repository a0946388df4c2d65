import type { UpstreamHealth } from '@csp/gateway/layers/stack'
import type { TunnelHealth } from '../../api/endpoints/health-rows.ts'
import { limitWindows } from '../../api/endpoints/plan-rows.ts'
import {
  type BackendHealth,
  type BackgroundHealth,
  type ExecutorHealth,
  type LimitHealth,
  type QueueHealth,
  searchKinds,
} from '../../domain/health.ts'
import { type Family, gauge, type Labels } from './families.ts'
import { other } from './series.ts'

/** How everything stands. */
export interface FoundHealth {
  readonly executor: ExecutorHealth
  readonly upstreams: readonly UpstreamHealth[]
  readonly tunnel: TunnelHealth | undefined
  readonly background?: BackgroundHealth | undefined
  readonly now: Date
}

export function healthFamilies({ executor, upstreams, tunnel, background, now }: FoundHealth): readonly Family[] {
  const { ready, backends, queue, cache, budget, receipts, memory } = executor
  const queues = backends.flatMap(({ name, queue: own }) => (own ? [{ ...own, backend: name }] : []))
  const problems = {
    cache: cache && cache.problem !== undefined,
    ledger: budget && budget.problem !== undefined,
    receipts: receipts && receipts.problem !== undefined,
    memory: memory && memory.problem !== undefined,
  }
  const whole = ofEach([executor], () => undefined)
  const link = ofEach(tunnel ? [tunnel] : [], () => undefined)
  return [
    whole('csp_ready', 'Whether a search made now may be expected to work.', () => ready),
    ...backendFamilies(backends),
    ...usageLimitFamilies(backends, now),
    ...planFamilies(backends),
    ...queueFamilies(queues.length > 0 || !queue ? queues : [{ ...queue, backend: '' }]),
    ...budgetFamilies(budget?.limits ?? []),
    ofEach(Object.entries(problems), ([store]) => ({ store }))(
      'csp_storage_failing',
      'Whether the last write or read of the cache, the ledger, a receipt or the memory failed.',
      ([, fails]) => fails,
    ),
    ...backgroundFamilies(background),
    ...upstreamFamilies(upstreams),
    link('csp_tunnel_connected', 'Whether the link to the edge stands.', ({ connected }) => connected),
    link(
      'csp_tunnel_round_trip_seconds',
      'From here to the edge and back.',
      ({ roundTripMs = Number.NaN }) => roundTripMs / 1000,
    ),
  ]
}

function backgroundFamilies({ jobs = { queued: 0, running: 0 } }: BackgroundHealth = {}): readonly Family[] {
  return [
    ofEach(Object.entries(jobs), ([state]) => ({ state }))(
      'csp_jobs',
      'Jobs in the background that have not ended.',
      ([, count]) => count,
    ),
  ]
}

function backendFamilies(backends: readonly BackendHealth[]): readonly Family[] {
  const of = ofEach(backends, ({ name }) => ({ backend: name }))
  const states = backends.flatMap(({ name: backend, breaker }) =>
    breaker ? (['closed', 'half-open', 'open'] as const).map((state) => ({ backend, state, is: breaker.state })) : [],
  )
  return [
    of('csp_backend_ready', 'Whether a backend is in working order.', ({ ready }) => ready),
    of(
      'csp_backend_last_search_failed',
      'Whether the last search of a backend failed, and none has succeeded since.',
      ({ lastSearchFailed = false }) => lastSearchFailed,
    ),
    of(
      'csp_backend_signed_in',
      'Whether a backend is signed in; absent where it has no login.',
      ({ signedIn }) => signedIn,
    ),
    ofEach(states, ({ backend, state }) => ({ backend, state }))(
      'csp_breaker_state',
      'Circuit breaker of a backend: 1 for the state it is in.',
      ({ state, is }) => state === is,
    ),
    of('csp_breaker_failures', 'Failures of a backend in a row, so far.', ({ breaker }) => breaker?.failures),
  ]
}

function usageLimitFamilies(backends: readonly BackendHealth[], now: Date): readonly Family[] {
  const windows = backends.flatMap(({ name: backend, rateLimit }) =>
    limitWindows(rateLimit, now).map((window) => ({ ...window, backend })),
  )
  const of = ofEach(windows, ({ backend, window }) => ({ backend, window: windowName(window) }))
  return [
    of(
      'csp_usage_limit_used_ratio',
      "The used part of a window of the subscription's usage limit, 0 to 1.",
      ({ utilization }) => utilization,
    ),
    of('csp_usage_limit_reached', 'Whether a window of the usage limit is used up.', (w) => w.status === 'rejected'),
    of(
      'csp_usage_limit_reset_timestamp_seconds',
      'When a window of the usage limit ends.',
      ({ resetsAt = '' }) => Date.parse(resetsAt) / 1000,
    ),
  ]
}

function planFamilies(backends: readonly BackendHealth[]): readonly Family[] {
  const plans = backends.flatMap(({ name, plan, rateLimit }) =>
    plan ? [{ name, plan, overage: rateLimit?.overage }] : [],
  )
  const kinds = plans.flatMap(({ name: backend, plan }) =>
    searchKinds.map((kind) => ({ backend, kind, paused: plan.paused?.kinds })),
  )
  const of = ofEach(plans, ({ name }) => ({ backend: name }))
  return [
    of(
      'csp_plan_reserve_ratio',
      'The part of each window that is kept for the owner of the plan, 0 to 1.',
      ({ plan }) => plan.reserve,
    ),
    ofEach(kinds, ({ backend, kind }) => ({ backend, kind }))(
      'csp_plan_paused',
      'Whether searches of a kind wait, so that the plan keeps its reserve.',
      ({ kind, paused }) => paused?.includes(kind) ?? false,
    ),
    of('csp_plan_extra_usage', 'Whether searches are paid beyond the plan now.', ({ overage }) => overage?.inUse),
  ]
}

/** In the words of the CLI, which may find new ones. */
function windowName(name: string | undefined): string {
  return name !== undefined && /^[a-z0-9_]{1,40}$/.test(name) ? name : other
}

function queueFamilies(queues: readonly (QueueHealth & { readonly backend: string })[]): readonly Family[] {
  const of = ofEach(queues, ({ backend }) => ({ backend }))
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
  const of = ofEach(limits, ({ kind, window }) => ({ kind, window }))
  return [
    of('csp_budget_limit', 'Limits of your own for all callers together.', ({ limit }) => limit),
    of('csp_budget_used', 'Configured budget used.', ({ used }) => used),
  ]
}

function upstreamFamilies(upstreams: readonly UpstreamHealth[]): readonly Family[] {
  const of = ofEach(upstreams, ({ name }) => ({ upstream: name }))
  return [
    ofEach(upstreams.length > 0 ? [upstreams] : [], () => undefined)(
      'csp_gateway_ready',
      'Whether a request to the gateway made now may be expected to work.',
      (all) => all.some(({ ready }) => ready),
    ),
    of('csp_upstream_ready', 'Whether a request would be sent to an upstream of the gateway.', ({ ready }) => ready),
    of(
      'csp_upstream_cached_input_ratio',
      "The part of an upstream's input tokens that its cache held, 0 to 1.",
      ({ cachedShare }) => cachedShare,
    ),
  ]
}

/** Metrics with a sample for each item whose value is known; yes is 1, no is 0. */
function ofEach<Item>(items: readonly Item[], labelsOf: (item: Item) => Labels | undefined) {
  return (name: string, help: string, valueIn: (item: Item) => number | boolean | undefined): Family => {
    const samples = items.map((item) => ({ labels: labelsOf(item), value: Number(valueIn(item) ?? Number.NaN) }))
    return gauge(
      name,
      help,
      samples.filter(({ value }) => !Number.isNaN(value)),
    )
  }
}
