import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Scenario } from '@csp/sandbox/scenario'
import { quickTimers } from '@csp/testing/quick-timers'
import { startSandbox } from '../../../../packages/sandbox/test/support/sandbox.ts'
import { collect, sourcesOf } from '../../../../src/domain/answer.ts'
import type { SearchRequest } from '../../../../src/domain/search.ts'
import { type MessagesOptions, messages } from '../../../../src/executor/backends/messages/messages.ts'
import { expectEventOrder } from '../../../contract/event-order.ts'
import { executorContract } from '../../../contract/executor.ts'
import { replyContract } from '../../../contract/reply.ts'
import { writerContract, writerScenarios } from '../../../contract/writer.ts'
import { failureOf } from '../../../support/failure-of.ts'
import { requestFor } from '../../../support/fake-executor.ts'
import { expectTrueSources } from '../../../support/true-sources.ts'
import { serveApi } from '../http/api-server.ts'

const key = 'sk-ant-very-secret'
const open = (url: string, rest: Partial<MessagesOptions> = {}) =>
  messages({ apiKey: key, model: 'sonnet', url, version: '1.2.3', requestsPerSecond: 0, ...rest })

const scenarios = { succeed: 'ok', hang: 'hang', fail: 'error-429' } as const

executorContract('messages()', {
  failure: 'rate-limited',
  factory: (behaviour) => {
    const { url, sandbox, stop } = startSandbox({ scenario: scenarios[behaviour] })
    const executor = open(url)
    let underWay = 0
    return {
      executor: { ...executor, search },
      begun: () => sandbox.until(({ calls }) => calls > 0),
      started: () => sandbox.stats().calls,
      async running() {
        if (underWay === 0) await Promise.race([sandbox.until(({ open }) => open === 0), Bun.sleep(5000)])
        return sandbox.stats().open
      },
      dispose: stop,
    }

    async function* search(...of: Parameters<typeof executor.search>) {
      underWay++
      try {
        yield* executor.search(...of)
      } finally {
        underWay--
      }
    }
  },
})

for (const want of ['answer', 'text'] as const) {
  replyContract(`messages(), ${want},`, {
    searches: want === 'answer',
    create: () => {
      const { url, sandbox, stop } = startSandbox()
      const executor = open(url)
      return {
        sandbox,
        reply: (request) => executor.search(requestFor('seals', { want, ...request }), live()),
        dispose: async () => {
          await executor.close()
          await stop()
        },
      }
    },
  })
}

writerContract('messages()', {
  failure: 'rate-limited',
  breakage: 'unavailable',
  model: 'claude-sonnet-5-5',
  create(behaviour) {
    const { url, sandbox, stop } = startSandbox({ scenario: writerScenarios[behaviour] })
    const writer = open(url)
    return {
      writer,
      running: () => sandbox.stats().open,
      begun: () => sandbox.until(({ calls }) => calls > 0),
      async dispose() {
        await writer.close()
        await stop()
      },
    }
  },
})

const { url, sandbox, stop } = startSandbox()
afterAll(stop)
beforeEach(() => sandbox.reset())

describe('the search tool of the Messages API', () => {
  /** Takes only these, before the sandbox; `says`: of another. */
  const gateway = (
    types: readonly string[],
    says = (type: string) => `tools.0: Input tag '${type}' found using 'type'`,
  ) => {
    const asked: string[] = []
    const fetch = async (request: Request) => {
      const [tool] = (await request.clone().json()).tools
      asked.push(tool.type)
      if (types.includes(tool.type)) return sandbox.fetch(request)
      const error = { type: 'invalid_request_error', message: says(tool.type) }
      return Response.json({ type: 'error', error }, { status: 400 })
    }
    const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch })
    const executor = open(`http://127.0.0.1:${server.port}`)
    const list = (model?: string) =>
      collect(executor.search(requestFor('seals', { want: 'answer', model }), { signal: new AbortController().signal }))
    return { asked, list, [Symbol.asyncDispose]: () => server.stop(true) }
  }

  test('is the newest, without code that filters its results', async () => {
    await search()
    expect(lastBody()['tools']).toMatchObject([{ type: 'web_search_20260318', allowed_callers: ['direct'] }])
  })

  test.each([
    ['web_search_20260209', ['web_search_20260318', 'web_search_20260209']],
    ['web_search_20250305', ['web_search_20260318', 'web_search_20260209', 'web_search_20250305']],
  ])('is %s where that is the newest that a model has, which is found out once', async (type, tried) => {
    await using api = gateway([type])
    expect((await api.list()).searches).toHaveLength(1)
    await api.list()
    expect(api.asked).toEqual([...tried, type])
    await api.list('opus')
    expect(api.asked).toEqual([...tried, type, ...tried])
  })

  test('is an older one where the newer one is not supported, and has no new field then', async () => {
    await using api = gateway(['web_search_20250305'], (type) => `${type} is not supported for this model`)
    expect((await api.list()).searches).toHaveLength(1)
    expect(lastBody()['tools']).toEqual([expect.not.objectContaining({ allowed_callers: expect.anything() })])
  })

  // github.com/anthropics/anthropic-sdk-python/issues/995: the countries that it takes are listed nowhere.
  test('goes without a country that the API refuses, from then on', async () => {
    const bodies: { tools: { type: string; user_location?: { country?: string } }[] }[] = []
    const fetch = async (request: Request) => {
      const body = await request.clone().json()
      bodies.push(body)
      const [tool] = body.tools
      if (tool.user_location?.country !== 'SG') return sandbox.fetch(request)
      const error = {
        type: 'invalid_request_error',
        message: `tools.0.${tool.type}: Country code SG is not supported.`,
      }
      return Response.json({ type: 'error', error }, { status: 400 })
    }
    const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch })
    try {
      const executor = open(`http://127.0.0.1:${server.port}`)
      const list = (filters: object) =>
        collect(executor.search(requestFor('seals', { want: 'answer', filters }), live()))
      const both = await Promise.all([list({ country: 'SG', city: 'Singapore' }), list({ country: 'SG' })])
      expect(both.map(({ searches }) => searches.length)).toEqual([1, 1])
      await list({ country: 'SG' })
      await list({ country: 'DE' })
      const places = bodies.map(({ tools: [tool] }) => [tool?.type, tool?.user_location?.country])
      const type = 'web_search_20260318'
      expect(places.slice(2)).toEqual([...[1, 2, 3].map(() => [type, undefined]), [type, 'DE']])
    } finally {
      await server.stop(true)
    }
  })

  test('stays where the request is refused for something else, or no tool is taken', async () => {
    await using other = gateway([], () => 'messages: too few')
    expect((await failureOf(other.list())).code).toBe('invalid-request')
    expect(other.asked).toEqual(['web_search_20260318'])
    await using none = gateway([])
    expect((await failureOf(none.list())).code).toBe('invalid-request')
    expect(none.asked).toHaveLength(3)
  })
})

describe('a list of results from the Messages API', () => {
  test('has rows with excerpts and dates, for one search and few tokens', async () => {
    const { searches, usage, model } = await search()
    const rows = sourcesOf(searches)
    expect(rows).toHaveLength(8)
    expectTrueSources(rows.map((row) => row.url))
    expect(rows.every(({ snippet, source }) => snippet && source === 'messages')).toBe(true)
    expect(rows.filter(({ publishedAt }) => publishedAt)).toHaveLength(7)
    expect(usage).toMatchObject({ searches: 1, outputTokens: expect.any(Number) })
    expect(model).toBe('claude-sonnet-5-5')
    expect(lastBody()).toMatchObject({ max_tokens: 2048, tools: [{ type: 'web_search_20260318', max_uses: 1 }] })
  })

  test('has the cited text as excerpt where the model wrote no lines', async () => {
    sandbox.configure({ scenario: 'non-compliant' })
    const rows = sourcesOf((await search()).searches)
    expect(rows.filter(({ snippet }) => snippet)).toHaveLength(3)
  })

  test('has no excerpts with excerpts: none, for few tokens', async () => {
    const executor = open(url, { excerpts: 'none' })
    const { searches } = await collect(executor.search(requestFor('seals'), live()))
    expect(sourcesOf(searches).some(({ snippet }) => snippet)).toBe(false)
    expect(lastBody()['max_tokens']).toBe(256)
  })

  test('respects count and domains, and passes domains and country to the tool', async () => {
    const filters = { includeDomains: ['*.example.com/x'], excludeDomains: ['docs.example.com'], country: 'AT' }
    const { searches } = await search({ filters, limit: 2 })
    const hosts = sourcesOf(searches).map((row) => new URL(row.url).hostname)
    expect(hosts).toEqual(['example.com', 'example.com'])
    const [tool] = lastTools()
    expect(tool).toMatchObject({
      allowed_domains: ['example.com'],
      user_location: { type: 'approximate', country: 'AT' },
    })
    expect(tool).not.toHaveProperty('blocked_domains')
  })

  test('says in the query which sites are wanted where a domain is the end of many', async () => {
    const { searches } = await search({ filters: { includeDomains: ['org'] } })
    const hosts = sourcesOf(searches).map((row) => new URL(row.url).hostname)
    expect(hosts.length).toBeGreaterThan(0)
    expect(hosts.every((host) => host.endsWith('.org'))).toBe(true)
    expect(lastTools()[0]).not.toHaveProperty('allowed_domains')
    expect(JSON.stringify(lastBody())).toContain('Only pages of these sites: site:.org')
  })

  test('is requested once more when the model did not search, and then fails', async () => {
    sandbox.configure({ scenario: [{ scenario: 'no-search', times: 1 }] })
    expect(sourcesOf((await search()).searches)).toHaveLength(8)
    sandbox.configure({ scenario: 'no-search' })
    expect((await failureOf(search())).code).toBe('ungrounded')
    expect(sandbox.stats().calls).toBe(4)
  })

  test('for which the model refuses to search fails after one call', async () => {
    sandbox.configure({ scenario: 'refusal' })
    expect((await failureOf(search())).code).toBe('ungrounded')
    expect(sandbox.stats().calls).toBe(1)
  })

  test('may be empty', async () => {
    sandbox.configure({ scenario: 'empty' })
    expect(sourcesOf((await search()).searches)).toEqual([])
  })
})

describe('an answer from the Messages API', () => {
  test('cites natively, with markers in their places and no address in the text', async () => {
    const events = await Array.fromAsync(open(url).search(ask(), live()))
    expectEventOrder(events)
    const { text, citations, usage, reason } = await search(ask())
    expect(citations.length).toBeGreaterThan(0)
    expect(text).toContain('[1]')
    expect(text).not.toMatch(/https?:|\[1\]\s?\[1\]/)
    expect(usage.searches).toBe(1)
    expect(reason).toBe('stop')
  })

  test.each([
    ['fast', undefined, 1],
    ['standard', undefined, 3],
    ['deep', undefined, 8],
    ['deep', 2, 2],
  ] as const)('with the effort %s and at most %p searches allows %d', async (effort, maxSearches, allowed) => {
    await search(ask({ effort, maxSearches }))
    expect(lastTools()[0]).toMatchObject({ max_uses: allowed })
  })

  test.each(['invented-url', 'trailing-sources', 'preamble'] as const)(
    'loses what the scenario %s adds',
    async (scenario) => {
      sandbox.configure({ scenario })
      const { text, citations } = await search(ask())
      expect(text).not.toMatch(/https?:|www\.|Sources:|a search comes first/)
      expectTrueSources(citations.map((citation) => citation.url))
    },
  )

  test('without a search is requested once more, insistently, and then fails', async () => {
    sandbox.configure({ scenario: [{ scenario: 'no-search', times: 1 }] })
    const { text } = await search(ask())
    expect(text).not.toContain('no search was made')
    expect(JSON.stringify(lastBody()['messages'])).toContain('You must call web_search')
    sandbox.configure({ scenario: 'no-search' })
    expect((await failureOf(search(ask()))).code).toBe('ungrounded')
  })

  test('continues after a pause, with the message so far', async () => {
    sandbox.configure({ scenario: [{ scenario: 'pause-turn', times: 2 }] })
    const events = await Array.fromAsync(open(url).search(ask(), live()))
    expectEventOrder(events)
    // Behind the last pause it writes over what it has found.
    expect(events.filter(({ type }) => type === 'search-results')).toHaveLength(2)
    expect(events.some(({ type }) => type === 'citation')).toBe(true)
    const said = JSON.stringify(lastBody()['messages'])
    for (const kept of ['server_tool_use', 'web_search_tool_result', 'encrypted_content', '"query":"seals']) {
      expect(said).toContain(kept)
    }
    expect(sandbox.stats().calls).toBe(3)
  })

  test('reports a refusal, and that its length was cut off', async () => {
    sandbox.configure({ scenario: 'max-tokens' })
    expect((await search(ask())).reason).toBe('length')
    sandbox.configure({ scenario: 'refusal' })
    expect((await search(ask())).reason).toBe('refusal')
  })

  test('ends at a stop sequence', async () => {
    const { text, reason } = await search(ask({ stop: [' of this'] }))
    expect({ text, reason }).toEqual({ text: 'Sandbox answer: all', reason: 'stop' })
    await sandbox.until((stats) => stats.open === 0)
  })

  test('follows the conversation, the instructions, the filters and the model', async () => {
    const history = [
      { role: 'user', text: 'Do whales sing?' },
      { role: 'assistant', text: 'They do. ' },
      { role: 'assistant', text: '' },
    ] as const
    const filters = { freshness: 'week', language: 'de' } as const
    const request = ask({
      history,
      filters,
      instructions: 'Rhyme.',
      model: 'claude-opus-4-1',
      exclude: ['https://a.example/'],
    })
    await search(request)
    const { model, messages: said, system } = lastBody()
    expect(model).toBe('claude-opus-4-1')
    expect(JSON.stringify(system)).toContain('Rhyme.')
    const turns = turnsOf(said)
    expect(turns.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(turns[1]).toEqual({ role: 'assistant', content: [{ type: 'text', text: 'They do.' }] })
    for (const hint of ['seals', 'past week', 'language de', 'https://a.example/']) {
      expect(JSON.stringify(turns[2])).toContain(hint)
    }
  })

  test('is JSON when a schema requires it, without markers and with true addresses', async () => {
    const { text, citations } = await search(ask({ schema: jsonSchema }))
    expectTrueSources([JSON.parse(text).url])
    expect(citations).toEqual([])
  })

  test('that does not fit its schema is requested once more and then fails', async () => {
    sandbox.configure({ scenario: [{ scenario: 'non-compliant', times: 1 }] })
    expect(JSON.parse((await search(ask({ schema: jsonSchema }))).text)).toHaveProperty('url')
    sandbox.configure({ scenario: 'non-compliant' })
    expect((await failureOf(search(ask({ schema: jsonSchema })))).code).toBe('failed')
  })
})

describe('plain inference with the Messages API', () => {
  test('offers no search and returns what the model writes', async () => {
    const { text, searches, usage } = await search({ want: 'text', instructions: 'Rhyme.' })
    expect(text).toContain('seals')
    expect({ searches, count: usage.searches }).toEqual({ searches: [], count: 0 })
    expect(lastBody()).not.toHaveProperty('tools')
    expect(lastBody()['system']).toEqual([{ type: 'text', text: 'Rhyme.' }])
  })
})

describe("the caller's tools in the Messages API", () => {
  const parameters = { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] }
  const tools = [
    { name: 'web_search', description: 'Mine', parameters },
    { name: 'weather', parameters: {} },
  ]

  test.each(['answer', 'text'] as const)(
    'are called under the names that the caller gave, for the want "%s"',
    async (want) => {
      sandbox.configure({ scenario: 'use-two-tools' })
      const { toolCalls, reason } = await search({ want, tools })
      expect(toolCalls.map(({ name }) => name)).toEqual(['web_search', 'weather'])
      expect(JSON.parse(toolCalls[0]?.arguments ?? '')).toEqual({ place: 'seals' })
      expect(JSON.parse(toolCalls[1]?.arguments ?? '')).toEqual({})
      expect(reason).toBe('tool-calls')
      expect(sandbox.stats().calls).toBe(1)
    },
  )

  test.each([
    ['answer', 'auto', { type: 'auto' }, ['web_search', 'client_web_search', 'weather']],
    ['answer', 'none', { type: 'auto' }, ['web_search']],
    ['answer', 'required', { type: 'any' }, ['client_web_search', 'weather']],
    ['answer', { name: 'web_search' }, { type: 'tool', name: 'client_web_search' }, ['client_web_search', 'weather']],
    ['text', 'auto', { type: 'auto' }, ['client_web_search', 'weather']],
    ['text', 'none', { type: 'none' }, ['client_web_search', 'weather']],
  ] as const)(
    'for the want "%s" and the choice %j are offered accordingly',
    async (want, toolChoice, choice, offered) => {
      sandbox.configure({ scenario: 'use-tool' })
      await search({ want, tools, toolChoice })
      expect(lastBody()['tool_choice']).toEqual(choice)
      expect(lastTools().map(({ name }) => name)).toEqual([...offered])
    },
  )

  test('come back with their results, in the order that the API requires', async () => {
    const call = { name: 'weather', arguments: '{"place":"Kiel"}' }
    const continuation = [
      {
        role: 'assistant',
        text: '',
        toolCalls: [
          { ...call, id: 'a:1' },
          { ...call, id: 'b' },
          { ...call, id: 'lost' },
        ],
      },
      { role: 'tool', callId: 'a:1', text: 'Rain' },
      { role: 'tool', callId: 'b', text: 'Sun' },
      { role: 'tool', callId: 'unknown', text: 'Hail' },
    ] as const
    const { text } = await search(ask({ tools, continuation }))
    expect(text).not.toBe('')
    const [question, asked, given] = turnsOf(lastBody()['messages'])
    expect(question?.role).toBe('user')
    const use = (id: string) => ({ type: 'tool_use', id, name: 'weather', input: { place: 'Kiel' } })
    expect(asked).toEqual({ role: 'assistant', content: [use('a_1'), use('b')] })
    const result = (id: string, content: string) => ({ type: 'tool_result', tool_use_id: id, content })
    const stray = { type: 'text', text: 'A tool gave: Hail' }
    expect(given).toEqual({ role: 'user', content: [result('a_1', 'Rain'), result('b', 'Sun'), stray] })
  })

  test('that are not valid are refused before anything is spent', async () => {
    expect((await failureOf(search(ask({ tools: [{ name: 'no good', parameters: {} }] })))).code).toBe(
      'invalid-request',
    )
    expect((await failureOf(search(ask({ schema: { type: 7 } })))).code).toBe('invalid-request')
    expect(sandbox.stats().calls).toBe(0)
  })
})

describe('a failure of the Messages API', () => {
  const cases: readonly (readonly [Scenario, string])[] = [
    ['error-400', 'invalid-request'],
    ['error-401', 'signed-out'],
    ['error-403', 'signed-out'],
    ['error-429', 'rate-limited'],
    ['error-500', 'unavailable'],
    ['error-529', 'unavailable'],
    ['cut', 'unavailable'],
    ['cut-in-text', 'unavailable'],
    ['cut-after-text', 'unavailable'],
    ['search-too-many-requests', 'unavailable'],
    ['search-unavailable', 'unavailable'],
    ['search-query-too-long', 'invalid-request'],
  ]

  test.each(cases)('in the scenario %s is %s, for lists and answers', async (scenario, code) => {
    using _ = quickTimers()
    sandbox.configure({ scenario })
    for (const want of ['results', 'answer'] as const) {
      const failure = await failureOf(search({ want }))
      expect(failure.code as string).toBe(code)
      expect(`${failure.message} ${failure.cause}`).not.toContain(key)
    }
  })

  test('by a usage limit says when the limit ends', async () => {
    sandbox.configure({ scenario: 'error-429', limitResetsAt: new Date(Date.now() + 7_200_000) })
    const { retryAfterSeconds = 0 } = await failureOf(search())
    expect(retryAfterSeconds).toBeGreaterThan(7000)
  })

  test.each([
    [404, { type: 'not_found_error', message: 'model: x' }, 'invalid-request', /model/],
    [413, undefined, 'invalid-request', /too long/],
    [400, { type: 'invalid_request_error', message: 'prompt is too long: 9 tokens' }, 'invalid-request', /too long/],
    [400, { type: 'invalid_request_error', message: 'Your credit balance is too low' }, 'rate-limited', /credit/],
    [400, { type: 'invalid_request_error', message: 'Web search is not enabled' }, 'unavailable', /console/],
    [402, undefined, 'rate-limited', /credit/],
    [502, undefined, 'unavailable', /has failed \(500\)/],
  ] as const)('of status %d with %j is reported with the right code', async (status, error, code, words) => {
    await using server = serveApi(
      () => new Response(error ? JSON.stringify({ type: 'error', error }) : '<html>', { status }),
    )
    const failure = await failureOf(collect(open(server.url).search(requestFor('seals'), live())))
    expect(failure.code as string).toBe(code)
    expect(failure.message).toMatch(words)
  })

  test('in the middle of a stream has the code that the stream reports', async () => {
    const events = [
      { type: 'message_start', message: { model: 'm' } },
      { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    ]
    const body = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
    await using server = serveApi(() => new Response(body))
    expect((await failureOf(collect(open(server.url).search(ask(), live())))).code).toBe('unavailable')
  })

  test('in the middle of a stream shows nobody the key that the server repeats', async () => {
    const said = { type: `bad_${key}`, message: `The key ${key} is not for this` }
    for (const type of [said.type, 'invalid_request_error']) {
      const events = [
        { type: 'message_start', message: { model: 'm' } },
        { type: 'error', error: { ...said, type } },
      ]
      const body = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
      await using server = serveApi(() => new Response(body))
      const failure = await failureOf(collect(open(server.url).search(ask(), live())))
      expect(String(failure.cause)).toContain('The key [key] is not for this')
      expect(`${failure.message} ${failure.cause}`).not.toContain(key)
    }
  })

  test('of a stream that falls silent is a timeout, and nothing runs on', async () => {
    sandbox.configure({ scenario: 'slow', deltaPauseMs: 60_000 })
    const executor = open(url, { silenceMs: 50 })
    expect((await failureOf(collect(executor.search(ask(), live())))).code).toBe('timeout')
    await sandbox.until((stats) => stats.open === 0)
  })
})

test('a request to the Messages API has the key in its header, and the version of the API', async () => {
  await using server = serveApi((request) => sandbox.fetch(request))
  await collect(open(server.url).search(requestFor('seals'), live()))
  const headers = server.requests[0]?.headers
  expect(headers?.get('x-api-key')).toBe(key)
  expect(headers?.get('anthropic-version')).toBe('2023-06-01')
  expect(headers?.get('user-agent')).toStartWith('claude-search-proxy/1.2.3 ')
})

const jsonSchema = { type: 'object', properties: { url: { type: 'string' } }, required: ['url'] }

test("the operator's prompts take the place of csp's own, and its rules stay behind them", async () => {
  const prompts = { standard: 'You are a clerk.', deep: 'You are a librarian.' }
  const own = open(url, { prompts })
  const sources = [{ title: 'T', url: 'https://a.example/', snippet: 'Seals bark.', source: 'fake' }]
  for (const [rest, begin, rule] of [
    [{}, prompts.deep, 'cite them'],
    [{ sources }, prompts.standard, 'like this [1]'],
  ] as const) {
    await collect(own.search(ask({ want: 'answer', ...rest }), { signal: new AbortController().signal }))
    const system = JSON.stringify(lastBody()['system'])
    expect(system).toStartWith(`[{"type":"text","text":"${begin}\\n`)
    expect(system).toContain(rule)
    expect(system).not.toContain('search service')
  }
})

function ask(rest: Partial<SearchRequest> = {}): SearchRequest {
  return requestFor('seals', { want: 'answer', effort: 'standard', ...rest })
}

function search(rest: Partial<SearchRequest> = {}) {
  return collect(open(url).search(requestFor('seals', rest), live()))
}

function lastBody(): Readonly<Record<string, unknown>> {
  return { ...sandbox.requests().at(-1)?.body }
}

function lastTools(): readonly Readonly<Record<string, unknown>>[] {
  return sandbox.requests().at(-1)?.body.tools ?? []
}

function turnsOf(said: unknown): readonly { readonly role: string; readonly content: unknown }[] {
  return Array.isArray(said) ? said : []
}

function live() {
  return { signal: new AbortController().signal }
}

test.each([
  ['results', 'ok', 1],
  ['results', 'no-search', 2],
  ['answer', 'pause-turn', 6],
] as const)('each call for %s is noted, in the scenario %s', async (want, scenario, calls) => {
  const { url, sandbox, stop } = startSandbox({ scenario })
  await using disposables = new AsyncDisposableStack()
  disposables.defer(stop)
  let noted = 0
  const trace = { ...silentTrace, modelCalled: () => noted++ }
  const events = open(url).search(requestFor('seals', { want, effort: 'standard' }), {
    signal: new AbortController().signal,
    trace,
  })
  await Array.fromAsync(events).catch(() => {})
  expect({ noted, made: sandbox.stats().calls }).toEqual({ noted: calls, made: calls })
})

const silentTrace = {
  begin: () => () => {},
  uncached() {},
  asked() {},
  replaced() {},
  defaultModel() {},
  note() {},
}
