import { describe, expect, test } from 'bun:test'
import { collect, sourcesOf } from '../../../../src/domain/answer.ts'
import type { SearchRequest } from '../../../../src/domain/search.ts'
import { messages } from '../../../../src/executor/backends/messages/messages.ts'
import { expectEventOrder } from '../../../contract/event-order.ts'
import { failureOf } from '../../../support/failure-of.ts'
import { requestFor } from '../../../support/fake-executor.ts'
import { serveApi } from '../http/api-server.ts'

// Streams as the API may send them, beyond what the sandbox says.

const now = () => new Date('2026-05-20T12:00:00Z')
const page = { url: 'https://a.example/seals', title: 'Seals', cited_text: 'Seals sleep.' }
const other = { url: 'https://b.example/seals', title: 'More', cited_text: 'Seals swim.' }

type Block = Readonly<Record<string, unknown>> & { readonly type: string }

const searched = (pageAge: string | null = null): readonly Sent[] => [
  {
    block: { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} },
    deltas: [{ type: 'input_json_delta', partial_json: '{"query":"asked"}' }],
  },
  {
    block: {
      type: 'web_search_tool_result',
      tool_use_id: 's1',
      content: [page, other].map(({ url, title }) => ({ type: 'web_search_result', url, title, page_age: pageAge })),
    },
  },
]

const said = (text: string, ...cited: readonly object[]): Sent => ({
  block: { type: 'text', text: '' },
  deltas: [
    ...cited.map((citation) => ({ type: 'citations_delta', citation })),
    ...text.split(/(?= )/).map((part) => ({ type: 'text_delta', text: part })),
  ],
})

interface Sent {
  readonly block: Block
  readonly deltas?: readonly object[]
}

/** The frames of a message; without its end when `stopReason` is none. */
function frames(blocks: readonly Sent[], stopReason?: string): string {
  const events: Block[] = [
    {
      type: 'message_start',
      message: { model: 'm-1', usage: { input_tokens: 5, cache_read_input_tokens: 2, output_tokens: 1 } },
    },
    ...blocks.flatMap(({ block, deltas = [] }, index) => [
      { type: 'content_block_start', index, content_block: block },
      { type: 'ping' },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    ...(stopReason === undefined
      ? []
      : [
          { type: 'message_delta', delta: { stop_reason: stopReason }, usage: { output_tokens: 9 } },
          { type: 'message_stop' },
        ]),
  ]
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}

/** Searches against a server that gives these replies, one after another. */
async function run(replies: readonly string[], rest: Partial<SearchRequest> = {}) {
  const left = [...replies]
  await using server = serveApi(() => new Response(left.shift() ?? ''))
  const executor = messages({ apiKey: 'k', model: 'm', url: server.url, version: '1', requestsPerSecond: 0, now })
  const request = requestFor('seals', { want: 'answer', effort: 'standard', ...rest })
  const events = await Array.fromAsync(executor.search(request, { signal: new AbortController().signal }))
  expectEventOrder(events)
  const answer = await collect(
    (async function* () {
      yield* events
    })(),
  )
  return { answer, bodies: server.requests.map(({ body }) => JSON.parse(body)) }
}

describe('citations in a stream of the Messages API', () => {
  test('become markers after the words that rest on them, each once', async () => {
    const blocks = [
      ...searched(),
      said('They'),
      said(' sleep', page, other, page),
      said('. And swim.', other),
      said(' Bye.'),
    ]
    const { answer } = await run([frames(blocks, 'end_turn')])
    expect(answer.text).toBe('They sleep [1][2]. And swim. [2] Bye.')
    expect(answer.citations.map(({ url }) => url)).toEqual([page.url, other.url, other.url])
    expect(answer.searches[0]?.query).toBe('asked')
    expect(answer.usage).toEqual({ searches: 1, inputTokens: 7, outputTokens: 9 })
  })

  test('of a page that no search found, or that was filtered out, are dropped', async () => {
    const stranger = { url: 'https://c.example/', title: 'C', cited_text: 'x' }
    const blocks = [...searched(), said('They sleep.', stranger, other)]
    const { answer } = await run([frames(blocks, 'end_turn')], { filters: { excludeDomains: ['b.example'] } })
    expect(answer.text).toBe('They sleep.')
    expect(sourcesOf(answer.searches)).toHaveLength(1)
  })

  test('carry what is cited, each of its own place, and rows have it as their excerpt', async () => {
    const again = { ...other, cited_text: 'They swim far.' }
    const blocks = [...searched(), said('They sleep.', page), said(' They swim.', other, again), said(' Far.', again)]
    const { answer } = await run([frames(blocks, 'end_turn')])
    expect(answer.citations.map(({ url, quote }) => [url, quote])).toEqual([
      [page.url, 'Seals sleep.'],
      [other.url, 'Seals swim. … They swim far.'],
      [other.url, 'They swim far.'],
    ])
    expect(sourcesOf(answer.searches).map(({ snippet }) => snippet)).toEqual([
      'Seals sleep.',
      'Seals swim. … They swim far. … They swim far.',
    ])
  })

  test('lend a row the words of the first three', async () => {
    const places = [1, 2, 3, 4, 5].map((place) => said(` ${place}.`, { ...page, cited_text: `Words ${place}.` }))
    const { answer } = await run([frames([...searched(), ...places], 'end_turn')])
    expect(sourcesOf(answer.searches)[0]?.snippet).toBe('Words 1. … Words 2. … Words 3.')
    expect(answer.citations.at(-1)?.quote).toBe('Words 5.')
  })

  test('of a page that no search found lend their words to nobody', async () => {
    const stranger = { url: 'https://c.example/', title: 'C', cited_text: 'Strange words.' }
    const { answer } = await run([frames([...searched(), said('They sleep.', stranger)], 'end_turn')])
    expect(JSON.stringify(answer)).not.toContain('Strange')
  })

  test('are short, however long the words are that are cited', async () => {
    const long = { ...page, cited_text: 'Seals sleep on the ice. '.repeat(5000) }
    const many = Array.from({ length: 500 }, (_, place) => ({ ...page, cited_text: `Seals sleep ${place}.` }))
    const { answer } = await run([frames([...searched(), said('They sleep.', long, ...many)], 'end_turn')])
    const [{ quote = '' } = {}] = answer.citations
    expect(quote).toStartWith('Seals sleep on the ice.')
    expect(quote.length).toBeLessThanOrEqual(500)
    expect(sourcesOf(answer.searches)[0]?.snippet?.length).toBeLessThanOrEqual(500)
  })

  test('are left out of JSON', async () => {
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }
    const blocks = [...searched(), said('{"n":', page), said(' 1}', other)]
    expect((await run([frames(blocks, 'end_turn')], { schema })).answer.text).toBe('{"n":1}')
  })
})

test.each([
  ['April 30, 2026', '2026-04-30'],
  ['2 days ago', '2026-05-18'],
  ['13 hours ago', '2026-05-19'],
  ['3 weeks ago', undefined],
  [null, undefined],
])('the age %p of a page is the date %p', async (pageAge, date) => {
  const { answer } = await run([frames(searched(pageAge), 'end_turn')], { want: 'results' })
  expect(sourcesOf(answer.searches).map(({ publishedAt }) => publishedAt)).toEqual([date, date])
})

describe('a tool call in a stream of the Messages API', () => {
  const tools = [{ name: 'now', parameters: {} }]
  const call = (...json: readonly string[]): Sent => ({
    block: { type: 'tool_use', id: 't1', name: 'now', input: {} },
    deltas: json.map((partial_json) => ({ type: 'input_json_delta', partial_json })),
  })

  test('ends the text, whose last words are sent before it', async () => {
    const blocks = [...searched(), said('Wait [', page), call('', '{"a"', ':1}')]
    const { answer } = await run([frames(blocks, 'tool_use')], { tools })
    expect(answer.text).toBe('Wait [ [1]')
    expect(answer.toolCalls).toEqual([{ id: 't1', name: 'now', arguments: '{"a":1}' }])
    expect(answer.reason).toBe('tool-calls')
  })

  test('without arguments has an empty object as its arguments', async () => {
    const { answer } = await run([frames([call('')], 'tool_use')], { tools })
    expect(answer.toolCalls[0]?.arguments).toBe('{}')
  })
})

test('a pause of the Messages API is continued with the unchanged message, thoughts included', async () => {
  const thought: Sent = {
    block: { type: 'thinking', thinking: '', signature: '' },
    deltas: [
      { type: 'thinking_delta', thinking: 'Hm' },
      { type: 'signature_delta', signature: 'sig' },
    ],
  }
  const replies = [
    frames([thought, ...searched(), said('They', page)], 'pause_turn'),
    frames([said(' sleep.')], 'end_turn'),
  ]
  const { answer, bodies } = await run(replies)
  expect(answer.text).toBe('They [1] sleep.')
  expect(answer.usage).toEqual({ searches: 1, inputTokens: 14, outputTokens: 18 })
  expect(bodies[1].messages.at(-1)).toEqual({
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'Hm', signature: 'sig' },
      { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'asked' } },
      searched()[1]?.block,
      { type: 'text', text: 'They', citations: [page] },
    ],
  })
})

test('endless pauses of the Messages API are continued five times', async () => {
  const first = frames([...searched(), said('They')], 'pause_turn')
  const { answer, bodies } = await run([first, ...Array.from({ length: 9 }, () => frames([said(' x')], 'pause_turn'))])
  expect(answer.text).toBe('They x x x x x')
  expect(bodies).toHaveLength(6)
})

test('JSON that does not fit is sent back to the model with its problems', async () => {
  const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }
  const replies = [frames([...searched(), said('{"n": "')], 'end_turn'), frames([said('{"n": 2}')], 'end_turn')]
  const { answer, bodies } = await run(replies, { schema })
  expect(answer.text).toBe('{"n":2}')
  const [shown, reminder] = bodies[1].messages.slice(-2)
  expect(JSON.stringify(shown)).toContain('web_search_tool_result')
  expect(JSON.stringify(reminder)).toContain('There is no whole JSON value in it.')
})

test('a stop sequence ends the reading although the stream goes on', async () => {
  const gone = Promise.withResolvers<void>()
  await using server = serveApi((request) => {
    request.signal.addEventListener('abort', () => gone.resolve(), { once: true })
    const text = frames([...searched(), said('They STOP sleep')])
    return new Response(
      new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode(text)) }),
    )
  })
  const executor = messages({ apiKey: 'k', model: 'm', url: server.url, version: '1', now })
  const request = requestFor('seals', { want: 'answer', stop: ['STOP'] })
  const answer = await collect(executor.search(request, { signal: new AbortController().signal }))
  expect([answer.text, answer.reason]).toEqual(['They ', 'stop'])
  await gone.promise
})

test('a stream that ends before its message does fails as unavailable', async () => {
  const failure = await failureOf(run([frames([...searched(), said('They')])]))
  expect(failure.code).toBe('unavailable')
  expect(failure.message).toContain('broke off')
})

test.each([
  ['haiku-own', { want: 'results' }, 'haiku-own'],
  ['haiku-own', { want: 'answer', model: 'asked-for' }, 'asked-for'],
  ['haiku-own', { want: 'answer' }, 'm'],
  ['haiku-own', { want: 'text', claims: [] }, 'haiku-own'],
  [undefined, { want: 'results', model: 'asked-for' }, 'm'],
] as const)('where %p searches, %j is for the model %s', async (searchModel, rest, model) => {
  await using server = serveApi(() => new Response(frames([...searched(), said('They sleep.')], 'end_turn')))
  const options = { apiKey: 'k', model: 'm', searchModel, url: server.url, version: '1', requestsPerSecond: 0, now }
  const request = requestFor('seals', rest)
  await Array.fromAsync(messages(options).search(request, { signal: new AbortController().signal })).catch(() => {})
  expect(JSON.parse(server.requests[0]?.body ?? '{}').model).toBe(model)
})
