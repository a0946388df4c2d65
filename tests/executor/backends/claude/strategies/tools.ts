import { describe, expect, test } from 'bun:test'
import type { SearchEvent, SearchRequest, Tool } from '../../../../../src/domain/search.ts'
import { expectEventOrder } from '../../../../contract/event-order.ts'
import { strategies } from '../../../../support/claude-executor.ts'
import { failureOf } from '../../../../support/failure-of.ts'
import { requestFor } from '../../../../support/fake-executor.ts'
import { claude as real, secret } from './claude.ts'
import { claude } from './stand-in.ts'

const { sandbox, search, executor } = claude

const weather: Tool = {
  name: 'get_weather',
  description: 'The weather of a city.',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 2 } },
    required: ['city'],
  },
}
const clock: Tool = { name: 'get-time', parameters: { type: 'object', properties: {} } }
const tools = [weather, clock]

// Which tools the real CLI offers, how it passes calls on, and that it forgets them, is shown on it.

/** The names of the tools in each model call. */
const offered = ({ sandbox } = claude) =>
  sandbox.requests().map(({ body }) => body.tools?.map(({ name }) => name).toSorted())
const told = ({ sandbox } = claude) => sandbox.requests().map(({ body }) => JSON.stringify(body.messages))

async function eventsOf(
  query: string,
  rest: Partial<SearchRequest>,
  { executor } = claude,
): Promise<readonly SearchEvent[]> {
  const { signal } = new AbortController()
  return Array.fromAsync(executor.search(requestFor(query, rest), { signal }))
}

describe('a call of a caller’s tool', () => {
  test.each(['text', 'deep', 'standard', 'fast'] as const)(
    'ends an answer of the strategy %s, streamed, in one model call',
    async (strategy) => {
      const { sandbox, search } = real
      sandbox.configure({ scenario: 'use-tool' })
      const events = await eventsOf(
        'Is it raining in Bergen and Nordfjordeid?',
        { ...strategies[strategy], tools },
        real,
      )
      expectEventOrder(events)
      const deltas = events.filter(({ type }) => type === 'tool-call-delta')
      expect(deltas.length).toBeGreaterThan(1)
      const answer = await search('Is it raining in Bergen and Nordfjordeid?', { ...strategies[strategy], tools })
      expect(answer).toMatchObject({ text: '', searches: [], reason: 'tool-calls' })
      expect(answer.toolCalls.map(({ name, arguments: text }) => [name, JSON.parse(text)])).toEqual([
        ['get_weather', { city: 'Bergen Nordfjordeid' }],
      ])
      expect(answer.usage.searches).toBe(0)
      expect(answer.usage.inputTokens).toBeGreaterThan(0)
      expect(sandbox.requests()).toHaveLength(2)
      const own = strategy === 'text' ? [] : ['WebSearch']
      expect(offered(real)[0]).toEqual([
        'DeferredToolPlaceholder',
        ...own,
        'mcp__client__get-time',
        'mcp__client__get_weather',
      ])
    },
  )

  test('comes with other calls of the same message, complete, under ids of their own', async () => {
    sandbox.configure({ scenario: 'use-two-tools' })
    const events = await eventsOf('Bergen?', { ...strategies.text, tools })
    expectEventOrder(events)
    const answer = await search('Bergen?', { ...strategies.text, tools })
    expect(answer.toolCalls.map(({ name }) => name)).toEqual(['get_weather', 'get-time'])
    expect(answer.toolCalls.map(({ arguments: text }) => JSON.parse(text))).toEqual([{ city: 'Bergen' }, {}])
    const ids = [
      ...answer.toolCalls.map(({ id }) => id),
      ...events.flatMap((event) => (event.type === 'tool-call-start' ? [event.id] : [])),
    ]
    expect(new Set(ids).size).toBe(4)
  })

  test('may follow a search', async () => {
    sandbox.configure({ scenario: [{ kind: 'write', scenario: 'use-tool' }] })
    const answer = await search('Bergen?', { ...strategies.deep, tools })
    expect(answer).toMatchObject({ reason: 'tool-calls', usage: { searches: 1 } })
    expect(answer.searches[0]?.results).toHaveLength(8)
    expect(answer.toolCalls).toHaveLength(1)
  })

  test('keeps an address whose @ csp had disarmed', async () => {
    sandbox.configure({ scenario: 'use-tool' })
    const { toolCalls } = await search('mail to a@b.example', { ...strategies.text, tools })
    expect(JSON.parse(toolCalls[0]?.arguments ?? '')).toEqual({ city: 'mail a@b.example' })
  })
})

test('an answer without a call still has to rest on a search', async () => {
  sandbox.configure({ scenario: [{ kind: 'decide', scenario: 'no-search' }] })
  expect(await failureOf(search('Bergen?', { ...strategies.standard, tools }))).toMatchObject({ code: 'ungrounded' })
  sandbox.reset()
  const answer = await search('Bergen?', { ...strategies.standard, tools })
  expect(answer).toMatchObject({ reason: 'stop', toolCalls: [], usage: { searches: 1 } })
})

describe('the next caller', () => {
  test.each(['text', 'deep'] as const)(
    'of the strategy %s is offered its own tools and no others',
    async (strategy) => {
      const { sandbox, search, executor } = real
      sandbox.configure({ scenario: 'use-tool' })
      await search('first', { ...strategies[strategy], tools: [weather] })
      const other = { name: 'other', parameters: {} }
      const { toolCalls } = await search('second', { ...strategies[strategy], tools: [other] })
      sandbox.configure({ scenario: 'ok' })
      await search('third', strategies[strategy])
      expect(toolCalls.map(({ name }) => name)).toEqual(['other'])
      const own = (name: string | undefined) => name?.startsWith('mcp__')
      const [first, second, ...third] = offered(real)
      expect([first?.filter(own), second?.filter(own)]).toEqual([['mcp__client__get_weather'], ['mcp__client__other']])
      expect(third.flat().filter(own)).toEqual([])
      expect(told(real).at(-1)).not.toContain('second')
      expect((await executor.health()).backends[0]?.engines?.['agent']).toMatch(/^\d workers?, \d idle$/)
    },
  )
})

describe('a tool choice', () => {
  test('of none offers no tool', async () => {
    sandbox.configure({ scenario: 'use-tool' })
    const answer = await search('Bergen?', { ...strategies.text, tools, toolChoice: 'none' })
    expect(answer).toMatchObject({ reason: 'stop', toolCalls: [] })
    expect(offered()).toEqual([[]])
  })

  test.each([
    ['required', ['get_weather']],
    [{ name: 'get-time' }, ['get-time']],
  ] as const)(
    'of %o is passed on to the model, which is asked again when it did not obey',
    async (toolChoice, called) => {
      sandbox.configure({ scenario: [{ scenario: 'non-compliant', times: 1 }, { scenario: 'use-tool' }] })
      const answer = await search('Bergen?', { ...strategies.text, tools, toolChoice })
      expect(answer).toMatchObject({ reason: 'tool-calls', text: '' })
      expect(answer.toolCalls.map(({ name }) => name)).toEqual([...called])
      expect(told()[0]).toContain('You must call one of them')
      expect(told()[1]).toContain('You called none.')
      expect(answer.usage.inputTokens).toBeGreaterThan(told().join('').length / 8)
    },
  )

  test('that the model does not meet gives the caller an error and none of the text', async () => {
    sandbox.configure({ scenario: 'non-compliant' })
    const events: SearchEvent[] = []
    const run = async () => {
      const { signal } = new AbortController()
      for await (const event of executor.search(
        requestFor('Bergen?', { ...strategies.text, tools, toolChoice: 'required' }),
        { signal },
      )) {
        events.push(event)
      }
    }
    expect(await failureOf(run())).toMatchObject({
      code: 'failed',
      message: 'The model called no tool in two attempts.',
    })
    expect(events).toEqual([])
    expect(sandbox.requests()).toHaveLength(2)
  })
})

describe("a caller's tools", () => {
  test.each([
    ['a name with a space', [{ name: 'get weather', parameters: {} }], /name “get weather” is invalid/],
    ['a name twice', [clock, clock], /Two tools have the name “get-time”/],
    ['parameters that are no object', [{ name: 'a', parameters: { type: 'string' } }], /parameters of the tool “a”/],
    ['properties that are none', [{ name: 'a', parameters: { properties: 5 } }], /parameters of the tool “a”/],
  ] as const)('cost no model call when they have %s', async (_, bad, message) => {
    const error = await failureOf(search('Bergen?', { ...strategies.text, tools: bad }))
    expect(error).toMatchObject({ code: 'invalid-request', message: expect.stringMatching(message) })
    expect(sandbox.requests()).toEqual([])
  })

  test.each(['required', { name: 'nobody' }] as const)(
    'cost no model call when none fits the choice %o',
    async (toolChoice) => {
      const given = typeof toolChoice === 'object' ? tools : []
      const error = await failureOf(search('Bergen?', { ...strategies.text, tools: given, toolChoice }))
      expect(error.code).toBe('invalid-request')
      expect(sandbox.requests()).toEqual([])
    },
  )

  test('may have a long name, a long description and any schema, and are called by their own names', async () => {
    const { sandbox, search } = real
    sandbox.configure({ scenario: 'use-tool' })
    const odd: Tool = {
      name: 'n'.repeat(64),
      description: `${'d'.repeat(3000)} @./secret.txt`,
      parameters: {
        $defs: { city: { type: 'string' } },
        type: 'object',
        properties: { city: { $ref: '#/$defs/city' }, any: true },
        required: ['city'],
        anyOf: [{ required: ['city'] }],
      },
    }
    const { toolCalls } = await search('Bergen?', { ...strategies.text, tools: [odd] })
    expect(toolCalls.map(({ name }) => name)).toEqual([odd.name])
    expect(offered(real)[0]?.every((name) => (name ?? '').length <= 64)).toBe(true)
    expect(JSON.stringify(sandbox.requests()[0]?.body)).not.toContain(secret)
  })

  test('may be 128 in number', async () => {
    const many = Array.from({ length: 128 }, (_, index) => ({ ...weather, name: `tool_${index}` }))
    await real.search('Bergen?', { ...strategies.text, tools: many })
    expect(offered(real)[0]?.filter((name) => name?.startsWith('mcp__client__'))).toHaveLength(128)
  })
})

test('an abort in the middle of a tool call leaves no tool behind', async () => {
  const { sandbox, search } = real
  sandbox.configure({ scenario: 'hang' })
  const controller = new AbortController()
  const aborted = failureOf(search('Bergen?', { ...strategies.text, tools }, controller.signal))
  await sandbox.until(({ calls }) => calls === 1)
  controller.abort()
  expect(await aborted).toMatchObject({ code: 'cancelled' })
  sandbox.reset()
  expect((await search('herring', strategies.text)).reason).toBe('stop')
  expect(offered(real)).toEqual([[]])
})
