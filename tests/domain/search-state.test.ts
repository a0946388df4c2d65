import { expect, test } from 'bun:test'
import type { BackendHealth, ExecutorHealth, LimitHealth } from '../../src/domain/health.ts'
import { searchState } from '../../src/domain/search-state.ts'

// The one line about what can be searched now.

const [soon, late] = ['2026-11-22T16:00:00.000Z', '2026-11-23T00:00:00.000Z']
const claude: BackendHealth = { name: 'claude', ready: true }
const signedOut: BackendHealth = { ...claude, ready: false, signedIn: false }
const limit = (left: number, rest: Partial<LimitHealth> = {}): LimitHealth => ({
  kind: 'searches',
  window: 'day',
  limit: 500,
  used: 500 - left,
  left,
  resetsAt: late,
  ...rest,
})
const stateOf = (health: Partial<ExecutorHealth>) => searchState({ ready: true, backends: [claude], ...health })
const kept = { pages: 3 }
const paused = (kinds: ('deep' | 'answers' | 'lists')[]): BackendHealth => ({
  ...claude,
  ready: !kinds.includes('lists'),
  plan: { reserve: 0.2, planOnly: false, paused: { kinds, reason: '81% is used; the last 20% is kept.', until: soon } },
})
const limited: BackendHealth = {
  ...claude,
  ready: false,
  breaker: { state: 'open', failures: 0, retryAt: soon },
  rateLimit: { status: 'rejected', window: 'five_hour', resetsAt: soon },
}

const cases: readonly (readonly [
  string,
  Partial<ExecutorHealth>,
  Omit<ReturnType<typeof searchState>, 'fromMemory'>,
])[] = [
  ['nothing is wrong', { budget: { limits: [limit(1)] } }, { status: 'ok', text: 'Searches work.' }],
  [
    'the budget is spent',
    { budget: { limits: [limit(0)] } },
    { status: 'limited', text: `No new searches until ${late}: daily limit of 500 searches.`, until: late },
  ],
  [
    'several limits are reached: the last one to end counts',
    { budget: { limits: [limit(0, { window: 'minute', limit: 1, resetsAt: soon }), limit(0, { kind: 'tokens' })] } },
    { status: 'limited', text: `No new searches until ${late}: daily limit of 500 tokens.`, until: late },
  ],
  [
    'one key has no more',
    { budget: { limits: [limit(0, { caller: 'phone' })] } },
    { status: 'ok', text: 'Searches work.' },
  ],
  [
    'memory answers',
    { budget: { limits: [limit(0)] }, memory: kept },
    {
      status: 'limited',
      text: `No new searches until ${late}: daily limit of 500 searches. Works from memory.`,
      until: late,
    },
  ],
  [
    'the plan is kept for its owner',
    { ready: false, backends: [paused(['deep', 'answers', 'lists'])] },
    { status: 'limited', text: `No new searches until ${soon}: 81% is used; the last 20% is kept.`, until: soon },
  ],
  [
    'the plan has room for lists alone',
    { backends: [paused(['deep', 'answers'])] },
    {
      status: 'degraded',
      text: `Searches work, but no deep searches, written answers until ${soon}: 81% is used; the last 20% is kept.`,
      until: soon,
    },
  ],
  [
    'another backend has room',
    { backends: [paused(['deep']), { ...claude, name: 'brave' }] },
    { status: 'ok', text: 'Searches work.' },
  ],
  [
    'the usage limit is reached',
    { ready: false, backends: [limited, { ...claude, name: 'brave', ready: false, problem: 'Wrong key.' }] },
    { status: 'limited', text: `No new searches until ${soon}: 5-hour limit of claude.`, until: soon },
  ],
  [
    'another backend searches',
    { backends: [limited, { ...claude, name: 'brave' }] },
    { status: 'degraded', text: 'Searches work, but not on every backend.' },
  ],
  [
    'the CLI is missing',
    { ready: false, backends: [{ ...claude, ready: false }] },
    { status: 'down', text: 'Searches cannot work now.' },
  ],
  [
    'the CLI is missing, with memory',
    { ready: false, backends: [{ ...claude, ready: false }], memory: kept },
    { status: 'down', text: 'No new searches now. Works from memory.' },
  ],
  [
    'signed out',
    { ready: false, backends: [{ name: 'brave', ready: false }, signedOut] },
    { status: 'signed-out', text: 'Signed out: no new searches until `csp login`.' },
  ],
  [
    'signed out, with memory',
    { ready: false, backends: [signedOut], memory: kept },
    { status: 'signed-out', text: 'Signed out: no new searches until `csp login`. Works from memory.' },
  ],
  [
    'signed out, and another backend searches',
    { backends: [signedOut, { ...claude, name: 'brave' }] },
    { status: 'degraded', text: 'Searches work, but not on every backend.' },
  ],
]

test.each(cases)('%s', (_, health, state) => {
  expect(stateOf(health)).toEqual({ ...state, fromMemory: health.memory !== undefined })
})

test('repeated searches come from the cache where no memory is kept', () => {
  const cache = { hits: 0, stale: 0, misses: 1 }
  expect(stateOf({ budget: { limits: [limit(0)] }, cache }).text).toEndWith('Repeated searches come from the cache.')
})
