import { expect, test } from 'bun:test'
import {
  describeHealth,
  type FoundHealth,
  gatewayStatus,
  needsLogin,
  statusOf,
} from '../../../src/api/endpoints/health-rows.ts'
import type { BackendHealth, ExecutorHealth } from '../../../src/domain/health.ts'

const now = new Date('2026-11-22T15:00:00Z')
const later = '2026-11-22T16:06:00.000Z'
const rows = (executor: ExecutorHealth) =>
  describeHealth({ executor, upstreams: [], version: '1.2.3', uptimeSeconds: 120, now })
const rowsOf = (backend: Partial<BackendHealth>) =>
  rows({ ready: true, backends: [{ name: 'claude', ready: true, ...backend }] })

test('a state of all is not confused with how long csp has been running', () => {
  const [down] = rows({ ready: false, backends: [] })
  expect(down).toEqual({
    name: 'csp',
    level: 'bad',
    text: 'Searches cannot work now. Version 1.2.3, running for 2 min.',
  })
})

test('a failed last search is no working state, although the backend is ready', () => {
  const lastError = { code: 'failed', message: 'It broke.', at: now.toISOString() } as const
  const backend = { name: 'claude', ready: true, lastError }
  const failing = { ready: true, backends: [{ ...backend, lastSearchFailed: true }] }
  expect(statusOf({ executor: failing, upstreams: [] })).toBe('degraded')
  expect(rows(failing).map(({ name, level, text }) => [name, level, text])).toEqual([
    ['csp', 'warning', 'The last search failed. Version 1.2.3, running for 2 min.'],
    ['claude', 'ok', 'Ready.'],
    ['claude last error', 'warning', 'It broke.'],
  ])
  const recovered = { ready: true, backends: [{ ...backend, lastSearchFailed: false }] }
  expect(statusOf({ executor: recovered, upstreams: [] })).toBe('ok')
  expect(rows(recovered).every(({ level }) => level === 'ok')).toBe(true)
  expect(rows(recovered).at(-1)?.text).toBe('It broke. Searches have worked since.')
  // Only the start of the CLI has failed: no search was tried.
  expect(rows({ ready: true, backends: [backend] }).at(-1)).toMatchObject({ level: 'warning', text: 'It broke.' })
})

test('who writes is said in a word', () => {
  expect(rowsOf({ writes: true, engines: { agent: '1 worker' } })[1]?.details).toEqual(['agent: 1 worker', 'writer'])
  expect(rowsOf({})[1]?.details).toEqual([])
})

test('an error that is the problem itself is told once', () => {
  const lastError = { code: 'unavailable', message: 'No CLI.', at: now.toISOString() } as const
  const found = rowsOf({ ready: false, problem: 'No CLI.', lastError })
  expect(found.filter(({ text }) => text.includes('No CLI.')).map(({ name }) => name)).toEqual(['claude'])
})

const up = { name: 'local', ready: true }
const gone = { name: 'other', ready: false, problem: 'It fails.' }
test.each([
  [true, [up], 'ok', 'Searches work. The gateway works.'],
  [false, [up], 'degraded', 'Searches cannot work now. The gateway works.'],
  [false, [gone, up], 'degraded', 'Searches cannot work now. The gateway works, but not with every upstream.'],
  [true, [gone], 'degraded', 'Searches work. The gateway cannot work now.'],
  [false, [gone], 'down', 'Searches cannot work now. The gateway cannot work now.'],
] as const)('with searches %p and upstreams %j csp is %s', (ready, upstreams, status, text) => {
  const found = { executor: { ready, backends: [{ name: 'claude', ready }] }, upstreams }
  expect(statusOf(found)).toBe(status)
  const [whole] = describeHealth({ ...found, version: '1.2.3', uptimeSeconds: 120, now })
  const level = { ok: 'ok', degraded: 'warning', down: 'bad' } as const
  expect(whole).toMatchObject({ level: level[status], text: expect.stringContaining(text) })
})

/** The rows behind the first one, as name, level and text. */
const said = (more: Partial<FoundHealth>) =>
  describeHealth({
    executor: { ready: true, backends: [] },
    upstreams: [],
    version: '1',
    uptimeSeconds: 1,
    now,
    ...more,
  })
    .slice(1)
    .map(({ name, level, text }) => [name, level, text])
const ofExecutor = (executor: Partial<ExecutorHealth>) => said({ executor: { ready: true, backends: [], ...executor } })
const ofBackend = (backend: Partial<BackendHealth>) =>
  ofExecutor({ backends: [{ name: 'claude', ready: true, ...backend }] })

test.each([
  [{ ready: true }, 'ok', 'Ready.'],
  [{ ready: true, version: '2.1' }, 'ok', 'Ready, version 2.1.'],
  [{ ready: true, problem: 'Old.' }, 'warning', 'Old.'],
  [{ ready: false }, 'bad', 'Not ready.'],
  [{ ready: false, breaker: { state: 'open', failures: 3 } }, 'bad', 'Not ready. Not asked after failures in a row.'],
  [{ ready: false, breaker: { state: 'open', failures: 0 } }, 'bad', 'Not ready.'],
  [{ ready: false, breaker: { state: 'half-open', failures: 3 } }, 'bad', 'Not ready.'],
] as const)('the backend %j has the row %s: %s', (backend, level, text) => {
  expect(ofBackend(backend)).toEqual([['claude', level, text]])
})

test.each([
  [{ signedIn: true, subscription: 'max', authMethod: 'claude.ai' }, 'ok', 'Signed in (max, claude.ai).'],
  [{ signedIn: true }, 'ok', 'Signed in.'],
  [{ signedIn: true, authMethod: 'api_key' }, 'ok', 'Signed in (api_key).'],
  [{ signedIn: false, authMethod: 'api_key' }, 'bad', 'Signed out. Run `csp login` on that machine.'],
] as const)('a login is told: %j', (backend, level, text) => {
  expect(ofBackend(backend)[1]).toEqual(['claude login', level, text])
})

test('a refused login is one that needs another, and the page offers it where it can', () => {
  const lastError = { code: 'signed-out', message: 'Refused.', at: later } as const
  const refused = { name: 'claude', ready: true, signedIn: true, lastSearchFailed: true, lastError, authMethod: 'key' }
  expect(ofBackend(refused)[1]?.[2]).toBe('Claude refused the login (key). Run `csp login` on that machine.')
  const found = { executor: { ready: true, backends: [refused] }, upstreams: [], version: '1', uptimeSeconds: 1, now }
  expect<unknown>([{ canSignIn: true }, {}].map((page) => describeHealth({ ...found, ...page })[2]?.action)).toEqual([
    ...['sign-in', undefined],
  ])
  expect(needsLogin(refused)).toBe(true)
  for (const more of [
    { lastSearchFailed: false },
    { lastError: { ...lastError, code: 'failed' } },
    { signedIn: undefined },
  ])
    expect(needsLogin({ ...refused, ...more } as BackendHealth)).toBe(false)
})

const queue = { running: 1, waiting: 0, concurrency: 2, capacity: 3 }

test.each([
  [queue, 'ok', '1 of 2 running, 0 waiting.'],
  [{ ...queue, waiting: 1 }, 'warning', '1 of 2 running, 1 waiting.'],
  [
    { ...queue, waiting: 3, estimatedWaitSeconds: 4.6 },
    'bad',
    '1 of 2 running, 3 waiting. A new search waits about 5 s.',
  ],
] as const)('a queue is told: %j', (found, level, text) => {
  expect(ofExecutor({ queue: found })).toEqual([['Queue', level, text]])
  // With one backend its queue is this one.
  expect(ofExecutor({ queue: found, backends: [{ name: 'claude', ready: true, queue: found }] }).slice(1)).toEqual([
    ['claude queue', level, text],
  ])
})

test.each([
  [{ cache: { hits: 2, stale: 0, misses: 3 } }, ['Cache', 'ok', '2 of 5 from the cache.']],
  [{ cache: { hits: 2, stale: 1, misses: 3 } }, ['Cache', 'ok', '3 of 6 from the cache, 1 of them older.']],
  [{ cache: { hits: 2, stale: 1, misses: 3, problem: 'Full.' } }, ['Cache', 'warning', 'Full.']],
  [{ receipts: { problem: 'Full.' } }, ['Receipts', 'warning', 'Full.']],
  [{ receipts: {} }, undefined],
  [{ memory: { problem: 'Full.' } as never }, ['Memory', 'warning', 'Full.']],
  [{ budget: { limits: [], warning: 'Nearly.' } }, ['Budget', 'warning', 'Nearly.']],
  [{ budget: { limits: [], warning: 'Nearly.', problem: 'Full.' } }, ['Budget', 'warning', 'Full.']],
  [{ budget: { limits: [] } }, undefined],
] as const)('a part of the executor is told: %j', (executor, row) => {
  expect<unknown>(ofExecutor(executor)).toEqual(row ? [row] : [])
})

test.each([
  [{ used: 79, left: 21 }, 'ok', 0.79],
  [{ used: 80, left: 20 }, 'warning', 0.8],
  [{ used: 120, left: 0 }, 'bad', 1],
  [{ used: 0, left: 0, limit: 0 }, 'bad', 1],
] as const)('a limit of csp is told with its use: %j', (found, level, used) => {
  const limit = { kind: 'searches', window: 'day', limit: 100, resetsAt: later, ...found } as const
  const budget = { limits: [limit], warning: 'It is told by the limits.' }
  const advice = ' (--daily-searches sets another limit, 0 lifts it)'
  expect(rows({ ready: true, backends: [], budget }).slice(1)).toEqual([
    {
      ...{ name: 'Budget: searches a day', level, text: `${limit.used} of ${limit.limit}${advice}.`, used },
      when: { label: 'Resets', at: later },
    },
  ])
  for (const other of [{ caller: 'phone' }, { kind: 'tokens' }, { window: 'minute' }] as const) {
    const [, row] = rows({ ready: true, backends: [], budget: { limits: [{ ...limit, ...other }] } })
    expect([row?.name.startsWith('phone: '), row?.text]).toEqual([
      'caller' in other,
      `${limit.used} of ${limit.limit}.`,
    ])
  }
})

test.each([
  [{ jobs: { queued: 0, running: 0 } }, []],
  [{ jobs: { queued: 1, running: 0 } }, [['Jobs', 'ok', '0 running, 1 waiting.']]],
  [{ jobs: { queued: 0, running: 2 } }, [['Jobs', 'ok', '2 running, 0 waiting.']]],
])('what happens in the background is told: %j', (background, told) => {
  expect(said({ background: background as never })).toEqual(told)
})

const tunnel = { url: 'https://e.example', home: 'desk', connected: true, running: 1, served: 2 }

test.each([
  [tunnel, 'ok', 'Connected to https://e.example as desk; 1 running, 2 served.'],
  [{ ...tunnel, roundTripMs: 0 }, 'ok', 'Connected to https://e.example as desk, 0 ms away; 1 running, 2 served.'],
  [{ ...tunnel, connected: false }, 'bad', 'Not connected to https://e.example: no reason given. It keeps trying.'],
  [{ ...tunnel, connected: false, lastError: 'No' }, 'bad', 'Not connected to https://e.example: No. It keeps trying.'],
] as const)('the tunnel is told: %j', (found, level, text) => {
  expect(said({ tunnel: found })).toEqual([['Tunnel', level, text]])
  const executor = { ready: true, backends: [] }
  const all = { executor, upstreams: [], version: '1', uptimeSeconds: 1, now }
  const when = [undefined, later].map(
    (connectedSince) => describeHealth({ ...all, tunnel: { ...found, connectedSince } })[1]?.when,
  )
  expect(when).toEqual([undefined, found.connected ? { label: 'Connected', at: later } : undefined])
})

test.each([
  [{ ready: true }, 'ok', 'Ready.'],
  [{ ready: false }, 'bad', 'Not ready.'],
  [{ ready: false, problem: 'It fails.', cachedShare: 0.456 }, 'bad', 'It fails. 46% of input tokens from its cache.'],
] as const)('an upstream is told: %j', (upstream, level, text) => {
  expect(said({ upstreams: [{ name: 'local', ...upstream }] })).toEqual([['Upstream local', level, text]])
})

test('an upstream is told with its keys that rest', () => {
  const restingKeys = [{ name: '…x7Qd', why: 'quota', secondsLeft: 3000 } as const]
  const executor = { ready: true, backends: [] }
  const upstreams = [{ name: 'local', ready: true, restingKeys }]
  const [, row] = describeHealth({ executor, upstreams, version: '1', uptimeSeconds: 1, now })
  expect(row).toMatchObject({ level: 'warning', details: [expect.stringMatching(/…x7Qd rests for 50 .*quota/)] })
})

test('csp without the CLI is a gateway alone, and a proxy that was refused has the second row', () => {
  const executor = { ready: false, backends: [{ name: 'claude', ready: false, isMissing: true }] }
  const found = { executor, upstreams: [up], version: '1', uptimeSeconds: 1, now, notice: 'Invented.' }
  expect(statusOf(found)).toBe('ok')
  const refusedProxy = { at: later, problem: 'It came through a proxy.' }
  expect(describeHealth({ ...found, refusedProxy })).toMatchObject([
    {
      text: 'Invented. A gateway alone, without searches. The gateway works. Version 1, running for 1 s.',
    },
    { name: 'Refused proxy', level: 'warning', text: refusedProxy.problem, when: { label: 'Refused', at: later } },
    { name: 'Upstream local' },
  ])
  expect(statusOf({ ...found, upstreams: [] })).toBe('down')
  expect(describeHealth({ ...found, upstreams: [] })[1]?.name).toBe('claude')
  expect(statusOf({ executor: { ready: false, backends: [] }, upstreams: [up] })).toBe('degraded')
  const signedOut = { name: 'claude', ready: false, signedIn: false }
  expect(statusOf({ executor: { ready: false, backends: [signedOut] }, upstreams: [] })).toBe('down')
  expect([[], [up], [gone], [up, gone]].map(gatewayStatus)).toEqual([undefined, 'ok', 'down', 'degraded'])
})
