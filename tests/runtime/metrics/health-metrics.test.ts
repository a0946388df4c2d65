import { expect, test } from 'bun:test'
import { formatFamilies } from '../../../src/runtime/metrics/families.ts'
import { type FoundHealth, healthFamilies } from '../../../src/runtime/metrics/health-metrics.ts'

/** The samples of a state, one a line, without `csp_`. */
function samplesOf(found: Partial<FoundHealth>): readonly string[] {
  const usual = { upstreams: [], tunnel: undefined, now: new Date('2026-11-20T10:00:00Z') }
  const families = healthFamilies({ executor: { ready: true, backends: [] }, ...usual, ...found })
  return formatFamilies(families)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.replace(/^csp_/, ''))
}

test('a csp of which little is known has a sample of what it has, and no other', () => {
  const usual = [
    ...['cache', 'ledger', 'receipts', 'memory'].map((store) => `storage_failing{store="${store}"} 0`),
    ...['queued', 'running'].map((state) => `jobs{state="${state}"} 0`),
  ]
  const storage = (executor: Partial<FoundHealth['executor']>) =>
    samplesOf({ executor: { ready: true, backends: [], ...executor } })
  expect(samplesOf({})).toEqual(['ready 1', ...usual.filter((line) => line.startsWith('jobs'))])
  const whole = { receipts: {}, memory: { pages: 1 }, budget: { limits: [] }, cache: { hits: 0, stale: 0, misses: 0 } }
  expect(storage(whole as never)).toEqual(['ready 1', ...usual])
})

test.each(['cache', 'receipts', 'memory'] as const)('a store that fails is the %s', (store) => {
  const executor = { ready: true, backends: [], [store]: { problem: 'The disk is full.' } }
  expect(samplesOf({ executor })).toContain(`storage_failing{store="${store}"} 1`)
})

test('each backend has its state, its queue, its plan and the windows of its limit', () => {
  const queue = { running: 1, waiting: 2, concurrency: 3, capacity: 4, oldestWaitSeconds: 5, estimatedWaitSeconds: 6 }
  const claude = {
    ...{ name: 'claude', ready: true, signedIn: true, lastSearchFailed: true, queue },
    breaker: { state: 'half-open', failures: 2 } as const,
    plan: { reserve: 0.2, planOnly: true, paused: { kinds: ['deep'] as const, reason: 'Full.', until: '' } },
    rateLimit: { status: 'rejected', window: 'A new one', utilization: 1, overage: { inUse: true } },
  }
  const executor = {
    ready: false,
    queue: { ...queue, running: 9 },
    backends: [claude, { name: 'brave', ready: false, plan: { reserve: 0, planOnly: false } }],
  }
  const of = 'backend="claude"'
  expect(samplesOf({ executor }).filter((line) => !/^(?:ready|jobs|storage)/.test(line))).toEqual([
    `backend_ready{${of}} 1`,
    'backend_ready{backend="brave"} 0',
    `backend_last_search_failed{${of}} 1`,
    'backend_last_search_failed{backend="brave"} 0',
    `backend_signed_in{${of}} 1`,
    `breaker_state{${of},state="closed"} 0`,
    `breaker_state{${of},state="half-open"} 1`,
    `breaker_state{${of},state="open"} 0`,
    `breaker_failures{${of}} 2`,
    `usage_limit_used_ratio{${of},window="other"} 1`,
    `usage_limit_reached{${of},window="other"} 1`,
    `plan_reserve_ratio{${of}} 0.2`,
    'plan_reserve_ratio{backend="brave"} 0',
    `plan_paused{${of},kind="deep"} 1`,
    `plan_paused{${of},kind="answers"} 0`,
    `plan_paused{${of},kind="lists"} 0`,
    ...['deep', 'answers', 'lists'].map((kind) => `plan_paused{backend="brave",kind="${kind}"} 0`),
    `plan_extra_usage{${of}} 1`,
    `queue_running{${of}} 1`,
    `queue_waiting{${of}} 2`,
    `queue_concurrency{${of}} 3`,
    `queue_capacity{${of}} 4`,
    `queue_oldest_wait_seconds{${of}} 5`,
    `queue_estimated_wait_seconds{${of}} 6`,
  ])
  const alone = samplesOf({ executor: { ...executor, backends: [] } })
  expect(alone.filter((line) => line.startsWith('queue_running'))).toEqual(['queue_running{backend=""} 9'])
})

test('a gateway is ready where one of its upstreams is', () => {
  const upstreams = [
    { name: 'a', ready: false, cachedShare: 0.25 },
    { name: 'b', ready: true },
  ] as never
  expect(samplesOf({ upstreams }).filter((line) => /gateway|upstream/.test(line))).toEqual([
    'gateway_ready 1',
    'upstream_ready{upstream="a"} 0',
    'upstream_ready{upstream="b"} 1',
    'upstream_cached_input_ratio{upstream="a"} 0.25',
  ])
})
