import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { pagesAbout } from '../../../../../packages/sandbox/src/replies/pages.ts'
import type { RecordedRequest } from '../../../../../packages/sandbox/test/support/recorded-sandbox.ts'
import {
  type ClaudeFixture,
  type StrategyName,
  startClaude,
  strategies,
  strategyNames,
} from '../../../../support/claude-executor.ts'
import { requestFor } from '../../../../support/fake-executor.ts'
import { claude as real } from './claude.ts'
import { claude } from './stand-in.ts'

const { sandbox, search } = claude

interface ModelCall {
  readonly kind: string
  readonly model: string
  readonly effort: unknown
  readonly tools: readonly (string | undefined)[] | undefined
}

/** What a model call was offered and asked for, beside its messages. */
function outline({ kind, body }: RecordedRequest): ModelCall {
  const { model, tools, output_config } = body
  return { kind, model, effort: effortIn(output_config), tools: tools?.map(({ name }) => name) }
}

const effortIn = (config: unknown) =>
  typeof config === 'object' && config !== null && 'effort' in config ? config.effort : undefined

/** Everything that the model was sent, as one text. */
const told = (request: RecordedRequest | undefined) => JSON.stringify(request?.body.messages)

const sonnet = 'claude-sonnet-5-5'
const searchCall = { kind: 'search', model: sonnet, effort: 'low', tools: ['web_search'] }
const writeCall = { kind: 'write', model: sonnet, effort: 'low', tools: [] }
// The CLI's own placeholder stands for no tool.
const loopTools = ['DeferredToolPlaceholder', 'WebSearch']
const loopCalls = [
  { kind: 'decide', model: sonnet, effort: 'medium', tools: loopTools },
  { ...searchCall, effort: 'medium' },
  { kind: 'write', model: sonnet, effort: 'medium', tools: loopTools },
]

const callsOf: Readonly<Record<StrategyName, readonly ModelCall[]>> = {
  results: [searchCall],
  fast: [searchCall],
  standard: [searchCall, writeCall],
  deep: loopCalls,
  'follow-up': loopCalls,
  text: [writeCall],
}

test.each(strategyNames)('the strategy %s makes only its calls, with its tools and no others', async (strategy) => {
  const calls = callsOf[strategy]
  const { reason, usage, searches } = await real.search('harbour seals', strategies[strategy])
  expect(real.sandbox.requests().map(outline)).toEqual([...calls])
  expect(real.sandbox.requests().map(({ headers }) => headers.auth)).toEqual(calls.map(() => 'bearer'))
  expect({ reason, searches: usage.searches }).toEqual({ reason: 'stop', searches: strategy === 'text' ? 0 : 1 })
  expect(searches.map(({ results }) => results.length)).toEqual(strategy === 'text' ? [] : [8])
})

describe('the requested model', () => {
  test.each([
    ['standard', claude],
    ['deep', claude],
    ['text', real],
  ] as const)('writes with the strategy %s, on the warm worker', async (strategy, { sandbox, search, executor }) => {
    const workers: string[] = []
    for (const model of ['haiku', 'sonnet', undefined, 'opus'] as const) {
      sandbox.reset()
      const answer = await search('harbour seals', { ...strategies[strategy], model })
      const writer = sandbox.requests().at(-1)
      expect(writer?.body.model).toStartWith(`claude-${model ?? 'sonnet'}-`)
      expect(answer.model).toBe(model ?? 'sonnet')
      workers.push((await executor.health()).backends[0]?.engines?.['agent'] ?? '')
    }
    expect(new Set(workers).size).toBe(1)
  })

  test('does not search', async () => {
    await search('harbour seals', { ...strategies.standard, model: 'haiku' })
    expect(sandbox.requests()[0]?.body.model).toBe(sonnet)
  })
})

describe('the model of searches', () => {
  const [haiku, opus] = ['claude-haiku-5-5', 'claude-opus-5-5']
  /** The models of the calls, in their order, and what the answer says of them. */
  const expected: Readonly<
    Record<StrategyName, readonly [calls: string[], search: string | undefined, writer: string]>
  > = {
    results: [[haiku], 'haiku', 'haiku'],
    // The summary of its search is the answer.
    fast: [[sonnet], 'sonnet', 'sonnet'],
    standard: [[haiku, opus], 'haiku', 'opus'],
    // The agent's searches are those of its own model.
    deep: [[opus, opus, opus], undefined, 'opus'],
    'follow-up': [[opus, opus, opus], undefined, 'opus'],
    text: [[opus], undefined, 'opus'],
  }

  // Another model and no excerpts do not meet: one such executor shows both.
  let fixture: ClaudeFixture
  beforeAll(async () => {
    fixture = await startClaude({ searchModel: 'haiku', excerpts: 'none' })
  })
  afterAll(() => fixture[Symbol.asyncDispose]())

  test('makes lists and the searches of written answers, whatever model writes', async () => {
    for (const strategy of strategyNames) {
      fixture.sandbox.reset()
      const request = { ...strategies[strategy], model: 'opus' }
      const answer = await fixture.search('harbour seals', request)
      const calls = fixture.sandbox.requests().map(({ body }) => body.model)
      const [models, searchModel, writer] = expected[strategy]
      expect([strategy, calls, answer.searches[0]?.model, answer.model]).toEqual([
        strategy,
        models,
        searchModel,
        writer,
      ])
      // A `standard` answer is two calls.
      const parts = strategy === 'standard' ? [{ want: 'results' as const }, request] : [request]
      const named = parts.flatMap((part) => fixture.engine.modelsOf(requestFor('harbour seals', part)))
      expect(new Set(named.map((model) => `claude-${model}-5-5`))).toEqual(new Set(models))
    }
    const { engines } = (await fixture.executor.health()).backends[0] ?? {}
    expect([engines?.['direct'], engines?.['fast']]).toEqual([
      'ready, 0 running, 2 served',
      'ready, 0 running, 1 served',
    ])
  })

  test('is asked for one word by a search without excerpts', async () => {
    fixture.sandbox.reset()
    const { searches } = await fixture.search('harbour seals', strategies.results)
    expect(told(fixture.sandbox.requests()[0])).toContain('one word')
    expect(searches[0]?.results[0]).toMatchObject({ snippet: undefined, publishedAt: undefined })
  })

  test('has a process of its own only where it is another than the one that writes', async () => {
    for (const strategy of ['fast', 'standard'] as const) await search('harbour seals', strategies[strategy])
    expect(Object.keys((await claude.executor.health()).backends[0]?.engines ?? {})).toEqual(['direct', 'agent'])
  })
})

describe('the filters of a request', () => {
  const filters = {
    freshness: 'week',
    publishedAfter: '2025-01-02',
    publishedBefore: '2025-03-04',
    country: 'DE',
    language: 'pt-br',
    safeSearch: 'strict',
  } as const

  test.each(['results', 'fast', 'standard', 'deep'] as const)(
    'reach the model of the strategy %s',
    async (strategy) => {
      await search('harbour seals', { ...strategies[strategy], filters })
      const [first] = sandbox.requests()
      for (const word of ['past week', '2025-01-02', '2025-03-04', 'in DE ', 'pt-br', 'adult']) {
        expect(told(first)).toContain(word)
      }
    },
  )

  test.each(['results', 'fast', 'standard', 'deep'] as const)(
    'for domains reach the search tool of the strategy %s',
    async (strategy) => {
      const domainsOf = async (of: object) => {
        sandbox.reset()
        const answer = await search('harbour seals', { ...strategies[strategy], filters: of })
        const tool = sandbox.requests().find(({ kind }) => kind === 'search')?.body.tools?.[0]
        const hosts = answer.searches[0]?.results.map(({ url }) => new URL(url).hostname)
        return { allowed: tool?.allowed_domains, blocked: tool?.blocked_domains, hosts: [...new Set(hosts)].toSorted() }
      }
      const [allowed, blocked] = ['example.org', 'docs.example.com']
      expect(await domainsOf({ includeDomains: [allowed] })).toMatchObject({ allowed: [allowed], hosts: [allowed] })
      const { hosts, ...lists } = await domainsOf({ excludeDomains: [blocked] })
      expect(lists).toEqual({ allowed: undefined, blocked: [blocked] })
      expect(hosts).not.toContain(blocked)
      expect(hosts.length).toBeGreaterThan(1)
      // The tool takes one list only; csp sees to the other.
      const both = await domainsOf({ includeDomains: [allowed, 'example.com'], excludeDomains: ['example.com'] })
      expect(both).toEqual({ allowed: [allowed, 'example.com'], blocked: undefined, hosts: [allowed] })
      // The end of many names is no site: the query says it, and csp drops the others.
      const suffix = await domainsOf({ includeDomains: ['org', 'docs.example.com'], excludeDomains: ['net'] })
      expect(suffix).toMatchObject({ allowed: undefined, blocked: undefined })
      expect(suffix.hosts).toContain('www.example.org')
      expect(suffix.hosts.filter((host) => !host.endsWith('.org') && host !== blocked)).toEqual([])
      expect(told(sandbox.requests()[0])).toContain('Only pages of these sites: site:.org OR site:docs.example.com')
    },
  )
})

test('instructions and history reach the models that write, and only them', async () => {
  const rest = { instructions: 'Answer in rhyme.', history: [{ role: 'user', text: 'We spoke of herring.' }] } as const
  await search('harbour seals', { ...strategies.standard, instructions: rest.instructions })
  await search('harbour seals', { ...strategies['follow-up'], ...rest })
  const [search1, write1, decide] = sandbox.requests()
  expect(told(search1)).not.toContain('rhyme')
  expect(told(write1)).toContain('rhyme')
  expect(told(decide)).toMatch(/rhyme.*herring.*harbour seals/s)
})

test('the numbers that the model writes are places in the list of the tool: each row has the excerpt of its own page', async () => {
  sandbox.configure({ resultCount: 20 })
  const now = new Date()
  const pages = pagesAbout({ query: 'harbour seals', count: 20, now })
  const { searches } = await search('harbour seals', strategies.results)
  expect(told(sandbox.requests()[0])).toContain('NUMBER SITE')
  const rows = searches[0]?.results.map(({ url, snippet }) => [url, snippet])
  expect(rows).toEqual(pages.map(({ url, excerpt }) => [url, excerpt]))
})
