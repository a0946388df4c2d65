import { afterAll, describe, expect, test } from 'bun:test'
import { chatUpstream } from '@csp/gateway/chat-completions/chat-completions'
import { createGateway } from '@csp/gateway/gateway'
import {
  chunk,
  openAiError,
  type Piece,
  saying,
  serveProvider,
} from '../../../packages/gateway/test/support/strict-provider.ts'
import type { ScenarioRule } from '../../../packages/sandbox/test/support/recorded-sandbox.ts'
import { startSandbox } from '../../../packages/sandbox/test/support/sandbox.ts'
import { collect } from '../../../src/domain/answer.ts'
import { toSearchError } from '../../../src/domain/error.ts'
import type { SearchEvent, SearchRequest } from '../../../src/domain/search.ts'
import { brave } from '../../../src/executor/backends/brave/brave.ts'
import { messages } from '../../../src/executor/backends/messages/messages.ts'
import { searxng } from '../../../src/executor/backends/searxng/searxng.ts'
import type { Executor } from '../../../src/executor/executor.ts'
import { Budget } from '../../../src/executor/layers/metering/budget.ts'
import { Breaker } from '../../../src/executor/layers/resilience/breaker.ts'
import { createBackendStack, createStack } from '../../../src/executor/layers/stack.ts'
import { plannerPrompt } from '../../../src/research/planner.ts'
import { researched } from '../../../src/research/researched.ts'
import { modelWriter } from '../../../src/runtime/writers.ts'
import { startClaude } from '../../support/claude-executor.ts'
import { failureOf } from '../../support/failure-of.ts'
import { requestFor } from '../../support/fake-executor.ts'
import { memoryLedger } from '../../support/memory-ledger.ts'

/** How each server of loopback answers: the two engines, the model of the gateway, Claude and the Anthropic API. */
type Works = 'works'
interface State {
  readonly searxng: Works | 'down' | 'empty'
  readonly brave: Works | 'down'
  readonly model: Works | 'down' | 'limit' | 'refuses' | 'breaks off'
  readonly claude: Works | 'cannot list' | 'limit' | 'down' | 'breaks off'
  readonly messages: Works | 'down' | 'limit'
}
const fine: State = { searxng: 'works', brave: 'works', model: 'works', claude: 'works', messages: 'works' }
let state = fine

const rowsOf = (engine: string) =>
  ['a', 'b', 'c'].map((page) => ({ title: page, url: `https://${engine}.example/${page}`, words: `Seals ${page}.` }))

const searx = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch() {
    if (state.searxng === 'down') return new Response('Down.', { status: 500 })
    const rows = state.searxng === 'empty' ? [] : rowsOf('searxng')
    return Response.json({ results: rows.map(({ words, ...row }) => ({ ...row, content: words, engine: 'x' })) })
  },
})

const braveServer = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch() {
    if (state.brave === 'down') return new Response('Down.', { status: 500 })
    const results = rowsOf('brave').map(({ words, ...row }) => ({ type: 'search_result', ...row, description: words }))
    const query = { original: 'seals', more_results_available: false }
    return Response.json({ type: 'search', query, web: { type: 'search', results } })
  },
})

const replies: Readonly<Record<State['model'], () => readonly Piece[] | Response>> = {
  works: () => [...saying('Seals live on ice [1] and elsewhere [2].')],
  down: () => new Response('Down.', { status: 503 }),
  limit: () => openAiError(429, 'Rate limit reached.'),
  refuses: () => openAiError(400, 'The prompt is too long.'),
  'breaks off': () => [chunk({ content: 'Seals live on ice [1]. ' })],
}
const provider = serveProvider({
  reply(body) {
    const isPlan = state.model === 'works' && JSON.stringify(body.messages).includes(plannerPrompt.slice(0, 40))
    return isPlan ? [...saying('{"questions": ["seals on ice", "seals on rocks"]}')] : replies[state.model]()
  },
})

const claude = await startClaude()
const api = startSandbox()
const scenarios: Readonly<Record<string, readonly ScenarioRule[]>> = {
  works: [],
  'cannot list': [{ scenario: 'search-unavailable', kind: 'search' }],
  limit: [{ scenario: 'error-429', kind: 'write' }],
  down: [{ scenario: 'error-500', kind: 'write' }],
  'breaks off': [{ scenario: 'cut-in-text', kind: 'write' }],
}

afterAll(async () => {
  await claude[Symbol.asyncDispose]()
  await Promise.all([searx.stop(true), braveServer.stop(true), provider[Symbol.asyncDispose](), api.stop()])
})

const at = ({ port }: { readonly port?: number | undefined }) => `http://127.0.0.1:${port}`
const quick = { version: '1', requestsPerSecond: 0 }
const upstream = chatUpstream({ name: 'local', baseUrl: provider.url, kind: 'other' })
const gateway = createGateway({
  upstreams: [{ upstream, native: async () => undefined, name: 'local', isAnthropic: false, patterns: [] }],
})

/** As a csp with `--backends` and `--writers` has it. Without named writers Claude writes, where it is a backend. */
function open(backends: readonly string[], named: readonly string[] | undefined) {
  const make: Readonly<Record<string, () => Executor>> = {
    searxng: () => searxng({ url: at(searx), ...quick }),
    brave: () => brave({ key: 'k', url: at(braveServer), ...quick }),
    claude: () => ({ ...claude.engine, close: async () => {} }),
    messages: () => messages({ apiKey: 'k', model: 'sonnet', url: api.url, ...quick }),
    'local/small': () => modelWriter('local/small', { gateway, onCall() {} }),
  }
  const stacks = [...new Set([...backends, ...(named ?? [])])].map((name) => {
    const backend = make[name]?.()
    if (!backend) throw new Error(`There is no ${name}.`)
    return createBackendStack(backend, { breaker: new Breaker({ name }), timeoutMs: 30_000 })
  })
  const called = (names: readonly string[]) =>
    names.flatMap((name) => stacks.find((stack) => stack.name === name) ?? [])
  const ledger = memoryLedger()
  const writers = called(named ?? (backends.includes('claude') ? ['claude'] : []))
  const options = { writers, areWritersNamed: named !== undefined, meter: new Budget({ ledger }), research: researched }
  return { executor: createStack(called(backends), options), ledger }
}

const request = (rest: Partial<SearchRequest> = {}) =>
  requestFor('seals', { want: 'answer', effort: 'standard', ...rest })
const live = () => ({ signal: new AbortController().signal })

/** Who listed and who wrote; or excerpts, of which the degraded ones say that a better answer may come; or the error. */
async function outcomeOf(executor: Executor): Promise<string> {
  const events: SearchEvent[] = []
  try {
    for await (const event of executor.search(request(), live())) events.push(event)
  } catch (error) {
    const words = events.some(({ type }) => type === 'text-delta') ? ' behind words' : ''
    return `${toSearchError(error).code}${words}`
  }
  const { text, backend, model, isDegraded, citations } = await collect(each(events))
  expect(citations.length).toBeGreaterThan(0)
  if (text.startsWith('No model could')) return `${backend}, ${isDegraded ? 'degraded ' : ''}excerpts`
  return `${backend}, ${/sonnet/.test(model) ? 'Claude' : model}`
}

/** Backends, named writers, what does not work, and what comes of it. Each row is a cell of docs/backends.md. */
const table: readonly (readonly [string, string | undefined, Partial<State>, string])[] = [
  // A backend that only lists, and nobody who writes.
  ['searxng', undefined, {}, 'searxng, excerpts'],
  ['searxng brave', undefined, { searxng: 'down' }, 'brave, excerpts'],
  ['searxng', undefined, { searxng: 'down' }, 'unavailable'],
  // Claude among the backends writes over the others' pages.
  ['searxng claude', undefined, {}, 'searxng, Claude'],
  ['searxng claude', undefined, { searxng: 'down' }, 'claude, Claude'],
  ['searxng claude', undefined, { searxng: 'empty' }, 'claude, Claude'],
  ['searxng claude', undefined, { claude: 'limit' }, 'searxng, degraded excerpts'],
  ['searxng claude', undefined, { claude: 'down' }, 'searxng, degraded excerpts'],
  // A model of the gateway writes over theirs.
  ['searxng', 'local/small', {}, 'searxng, local/small'],
  ['brave', 'local/small', {}, 'brave, local/small'],
  ['searxng brave', 'local/small', { searxng: 'down' }, 'brave, local/small'],
  ['searxng brave', 'local/small', { searxng: 'empty' }, 'brave, local/small'],
  ['searxng', 'local/small', { searxng: 'down' }, 'unavailable'],
  ['searxng', 'local/small', { model: 'down' }, 'searxng, degraded excerpts'],
  ['searxng', 'local/small', { model: 'limit' }, 'searxng, degraded excerpts'],
  ['searxng', 'local/small', { model: 'refuses' }, 'failed'],
  ['searxng', 'local/small', { model: 'breaks off' }, 'unavailable behind words'],
  // Several writers, in their order.
  ['searxng', 'claude local/small', {}, 'searxng, Claude'],
  ['searxng', 'messages', { searxng: 'down' }, 'unavailable'],
  ['searxng', 'claude local/small', { claude: 'limit' }, 'searxng, local/small'],
  ['searxng', 'claude local/small', { claude: 'down' }, 'searxng, local/small'],
  ['searxng', 'claude local/small', { claude: 'breaks off' }, 'unavailable behind words'],
  ['searxng', 'local/small messages', { model: 'refuses' }, 'searxng, Claude'],
  ['searxng', 'local/small messages', { model: 'breaks off' }, 'unavailable behind words'],
  ['searxng', 'local/small messages', { model: 'down', messages: 'limit' }, 'searxng, degraded excerpts'],
  ['searxng', 'local/small messages', { model: 'refuses', messages: 'down' }, 'failed'],
  // Claude lists and writes.
  ['claude', undefined, {}, 'claude, Claude'],
  ['claude searxng', undefined, { claude: 'cannot list' }, 'searxng, Claude'],
  ['claude', undefined, { claude: 'limit' }, 'claude, degraded excerpts'],
  ['claude', undefined, { claude: 'down' }, 'unavailable'],
  ['claude', 'claude local/small', {}, 'claude, Claude'],
  ['claude', 'claude local/small', { claude: 'limit' }, 'claude, local/small'],
  ['claude', 'claude local/small', { claude: 'down' }, 'claude, local/small'],
  ['claude', 'claude local/small', { claude: 'down', model: 'down' }, 'unavailable'],
  // Claude lists, another writes.
  ['claude', 'local/small', {}, 'claude, local/small'],
  ['claude', 'local/small', { claude: 'limit' }, 'claude, local/small'],
  ['claude searxng', 'local/small', { claude: 'cannot list' }, 'searxng, local/small'],
  ['claude', 'local/small', { model: 'down' }, 'claude, degraded excerpts'],
  ['claude', 'local/small', { model: 'refuses' }, 'failed'],
  ['claude', 'local/small claude', { model: 'down' }, 'claude, Claude'],
  ['claude', 'local/small claude', { model: 'down', claude: 'limit' }, 'claude, degraded excerpts'],
  // The Anthropic API lists and writes; then another writes.
  ['messages', undefined, {}, 'messages, Claude'],
  ['messages', undefined, { messages: 'limit' }, 'rate-limited'],
  ['messages searxng', undefined, { messages: 'down' }, 'searxng, excerpts'],
  ['messages', 'local/small', {}, 'messages, local/small'],
  ['messages', 'local/small', { model: 'down' }, 'messages, degraded excerpts'],
  ['messages searxng', 'local/small', { messages: 'down' }, 'searxng, local/small'],
]

describe('who lists, who writes, and what happens when either fails', () => {
  test.each(table)('--backends %s --writers %s, %j: %s', async (backends, writers, broken, expected) => {
    set(broken)
    const { executor } = open(backends.split(' '), writers?.split(' '))
    expect(await outcomeOf(executor)).toBe(expected)
    await executor.close()
  })
})

describe('with writers of their own', () => {
  const tool = { name: 'get_weather', parameters: { type: 'object', properties: {} } }
  const schema = { type: 'object', properties: { summary: { type: 'string' } } }
  const ask = (executor: Executor, rest: Partial<SearchRequest>) => collect(executor.search(request(rest), live()))

  test.each([
    ['a conversation', { history: [{ role: 'user', text: 'Hi' }] }],
    ['tools', { tools: [tool] }],
    ['deep', { effort: 'deep' }],
    ['fast', { effort: 'fast' }],
  ] as const)('a backend that writes answers by itself what takes its own queries: %s', async (_, rest) => {
    set({})
    const { executor } = open(['messages'], ['local/small'])
    expect((await ask(executor, rest)).model).toContain('sonnet')
  })

  test('no excerpts stand in for JSON, functions and what the caller has got wrong, which costs no search', async () => {
    set({ model: 'down' })
    const { executor, ledger } = open(['searxng'], ['local/small'])
    for (const rest of [{ schema }, { tools: [tool] }])
      expect((await failureOf(ask(executor, rest))).code).toBe('unavailable')
    const before = ledger.since('')[0]?.searches
    expect((await failureOf(ask(executor, { tools: [{ ...tool, name: 'no name' }] }))).code).toBe('invalid-request')
    expect(ledger.since('')[0]?.searches).toBe(before ?? 0)
  })

  test('known pages are written over by them, without a search', async () => {
    set({})
    const sources = [{ title: 'Seals', url: 'https://example.com/seals', snippet: 'On ice.', source: 'fake' }]
    for (const backend of ['messages', 'claude', 'searxng']) {
      const { executor } = open([backend], ['local/small'])
      expect(await ask(executor, { sources })).toMatchObject({ model: 'local/small', usage: { searches: 0 } })
    }
  })

  test('lists of several backends, merged, are written over by them as well', async () => {
    set({})
    for (const backends of [
      ['searxng', 'brave'],
      ['messages', 'searxng'],
    ]) {
      const { executor, ledger } = open(backends, ['local/small'])
      const { model, backend } = await ask(executor, { merge: 2 })
      expect([model, backend]).toEqual(['local/small', backends.join(', ')])
      expect(ledger.since('').map((entry) => entry.backend)).toContain('gateway/local')
      // A further batch of an index would be paid, and waited for.
      expect(ledger.since('').find((entry) => entry.backend === 'searxng')?.searches).toBe(1)
    }
  })

  test('a text without a search is made by them where no backend has a model, or none that works', async () => {
    set({})
    const text = { want: 'text' } as const
    expect((await ask(open(['searxng'], ['local/small']).executor, text)).model).toBe('local/small')
    expect((await ask(open(['messages'], ['local/small']).executor, text)).model).toContain('sonnet')
    set({ messages: 'down' })
    expect((await ask(open(['messages'], ['local/small']).executor, text)).model).toBe('local/small')
    expect((await failureOf(ask(open(['searxng'], undefined).executor, text))).code).toBe('invalid-request')
  })

  test('a report is planned and written by them where no backend has a model', async () => {
    set({})
    const { executor } = open(['searxng'], ['local/small'])
    const { model, searches, text } = await ask(executor, { research: 'low' })
    expect([model, searches.map(({ query }) => query)]).toEqual(['local/small', ['seals on ice', 'seals on rocks']])
    expect(text).toStartWith('Seals live on ice [1]')
  })

  test('what each has cost is entered under its own name', async () => {
    set({})
    const { executor, ledger } = open(['searxng'], ['local/small'])
    const { usage } = await ask(executor, {})
    const entered = Object.fromEntries(ledger.since('').map(({ backend, ...spent }) => [backend, spent]))
    expect(entered).toMatchObject({
      searxng: { requests: 1, searches: usage.searches, inputTokens: 0, outputTokens: 0 },
      'gateway/local': { requests: 1, searches: 0, inputTokens: usage.inputTokens, outputTokens: usage.outputTokens },
    })
    expect(usage.inputTokens).toBeGreaterThan(0)
  })

  test('a writer that keeps failing is asked no more, and the health says so; the lists go on', async () => {
    set({ model: 'down' })
    const { executor } = open(['searxng'], ['local/small', 'messages'])
    for (let times = 0; times < 5; times++) await ask(executor, {})
    const before = provider.bodies.length
    expect((await ask(executor, {})).model).toContain('sonnet')
    expect(provider.bodies.length).toBe(before)
    const { ready, backends } = await executor.health()
    const told = backends.map(({ name, writes, breaker }) => [name, writes ?? false, breaker?.state])
    expect([ready, told]).toEqual([
      true,
      [
        ['searxng', false, 'closed'],
        ['local/small', true, 'open'],
        ['messages', true, 'closed'],
      ],
    ])
  })

  test('nothing is ready where only a writer is', async () => {
    set({ searxng: 'down' })
    const { executor } = open(['searxng'], ['local/small'])
    for (let times = 0; times < 5; times++) await failureOf(ask(executor, {}))
    expect((await executor.health()).ready).toBe(false)
  })
})

function set(broken: Partial<State>): void {
  state = { ...fine, ...broken }
  claude.sandbox.reset()
  claude.sandbox.configure({ scenario: scenarios[state.claude] ?? [] })
  api.sandbox.reset()
  const errors = { works: 'ok', down: 'error-500', limit: 'error-429' } as const
  api.sandbox.configure({ scenario: errors[state.messages] })
}

async function* each(events: Iterable<SearchEvent>): AsyncGenerator<SearchEvent> {
  yield* events
}
