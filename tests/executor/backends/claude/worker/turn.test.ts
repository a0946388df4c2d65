import { describe, expect, test } from 'bun:test'
import { ClientTools } from '../../../../../src/executor/answer/client-tools.ts'
import type { CliEvent } from '../../../../../src/executor/backends/claude/worker/events.ts'
import { runTurn, type TurnOptions } from '../../../../../src/executor/backends/claude/worker/turn.ts'
import type { Worker } from '../../../../../src/executor/backends/claude/worker/worker.ts'
import { failureOf } from '../../../../support/failure-of.ts'

const now = new Date('2026-11-20T10:00:00Z')
const resetsAt = '2026-11-20T12:00:00.000Z'

/** A turn in which the CLI says this. */
function turnOf(events: Iterable<CliEvent>, options: Partial<TurnOptions> = {}, interrupt = () => {}) {
  const worker = {
    model: 'sonnet',
    interrupt,
    async *turn() {
      yield* events
    },
  } as unknown as Worker
  const { signal } = new AbortController()
  const setUp = { prompt: 'p', model: 'sonnet', tools: undefined, signal, enough: signal, now: () => now }
  return runTurn(worker, { ...setUp, onRateLimit: () => {}, ...options })
}

/** How a turn fails in which the CLI reports a limit and is then refused for one. */
async function failureAfter(status: string) {
  const result = { failed: true, text: 'API Error: Rate limited', apiStatus: 429, usage: undefined }
  const events = [
    { type: 'rate-limit', limit: { status, resetsAt } },
    { type: 'result', result },
  ] as unknown as readonly CliEvent[]
  return failureOf(Array.fromAsync(turnOf(events)))
}

test('the error of a limit that was hit says when the limit ends', async () => {
  expect(await failureAfter('rejected')).toMatchObject({ code: 'rate-limited', retryAfterSeconds: 7200 })
})

test('the error of a limit that was hit does not take the end of another limit that only came near', async () => {
  const { code, retryAfterSeconds } = await failureAfter('allowed_warning')
  expect([code, retryAfterSeconds]).toEqual(['rate-limited', undefined])
})

describe('A message that breaks off', () => {
  const cost = { apiStatus: undefined, inputTokens: 1, outputTokens: 1 }
  const result = (text: string): CliEvent => ({
    type: 'result',
    result: { failed: false, text, stopReason: 'end_turn', ...cost },
  })
  const text = (words: string): CliEvent => ({ type: 'text-delta', text: words })
  const start: CliEvent = { type: 'message-start' }
  const stop: CliEvent = { type: 'message-stop' }
  const end: CliEvent = { type: 'message-end', stopReason: 'end_turn' }
  const whole = [start, text('The whole answer.'), { type: 'text-kept' }, end, stop] as const
  const broken = [start, text('The wh'), stop] as const
  const retry: CliEvent = { type: 'retry' }
  const textOf = async (events: readonly CliEvent[], holdsMessages = true) => {
    const said = await Array.fromAsync(turnOf(events, { holdsMessages }))
    return said.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
  }

  test('leaves nothing where its text was held, and the next one counts', async () => {
    expect(await textOf([...broken, retry, ...whole, result('The whole answer.')])).toBe('The whole answer.')
    expect(await textOf([...whole, ...broken, retry, ...whole, result('')])).toBe(
      'The whole answer.\n\nThe whole answer.',
    )
  })

  test('fails the turn where its text went out', async () => {
    for (const next of [[retry], [...whole], [result('The whole answer.')]]) {
      const { code } = await failureOf(textOf([...broken, ...next], false))
      expect(code).toBe('unavailable')
    }
  })

  test('fails the turn where the CLI lets the model go on from its text', async () => {
    const kept = [start, text('The wh'), { type: 'text-kept' }, stop] as const
    expect((await failureOf(textOf([...kept, retry, ...whole, result('')]))).code).toBe('unavailable')
  })

  test('is replaced by the text of a reply that did not stream', async () => {
    expect(await textOf([...broken, result('The whole answer.')])).toBe('The whole answer.')
    expect(await textOf([...whole, ...broken, result(' More.')])).toBe('The whole answer. More.')
  })

  test('does not pass for one that calls tools', async () => {
    const call: readonly CliEvent[] = [
      start,
      { type: 'call-start', index: 0, id: 'toolu_1', name: 'mcp__client__get' },
      { type: 'call-delta', index: 0, json: '{"city": "Ber' },
      stop,
      retry,
    ]
    const said = await Array.fromAsync(turnOf([...call, ...whole, result('')], { holdsMessages: true }))
    expect(said.map(({ type }) => type)).toEqual(['text-delta', 'end'])
  })

  test('is not taken for one whose search is tried again', async () => {
    const words = [start, text('Wait.'), retry, { type: 'text-kept' }, end, stop] as const
    expect(await textOf([...words, result('Wait.')], false)).toBe('Wait.')
    expect(await textOf([...words, result('Wait.')])).toBe('Wait.')
  })
})

test('a text that went on behind its limit has no gap there', async () => {
  const end: CliEvent = { type: 'message-end', stopReason: 'max_tokens' }
  const start: CliEvent = { type: 'message-start' }
  const said = await Array.fromAsync(
    turnOf([start, { type: 'text-delta', text: 'Half a wo' }, end, start, { type: 'text-delta', text: 'rd.' }]),
  )
  expect(said.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')).toBe('Half a word.')
})

describe('a turn', () => {
  const start: CliEvent = { type: 'message-start' }
  const stop: CliEvent = { type: 'message-stop' }
  const end: CliEvent = { type: 'message-end', stopReason: 'end_turn' }
  const text = (words: string): CliEvent => ({ type: 'text-delta', text: words })
  const result = (
    words: string,
    more: { failed?: boolean; stopReason?: string; apiStatus?: number } = {},
  ): CliEvent => ({
    type: 'result',
    result: {
      ...{ failed: false, text: words, apiStatus: undefined, stopReason: undefined, inputTokens: 1, outputTokens: 1 },
      ...more,
    },
  })

  /** What a search sees of a turn, and how often the turn was interrupted. */
  async function read(events: Iterable<CliEvent>, options: Partial<TurnOptions> = {}) {
    let interrupts = 0
    const said: string[] = []
    for await (const event of turnOf(events, options, () => void interrupts++)) {
      if (event.type === 'text-delta') said.push(event.text)
      else if (event.type === 'tool-call-start') said.push(`${event.type} ${event.id} ${event.name}`)
      else if (event.type === 'tool-call-delta') said.push(`${event.type} ${event.id} ${event.arguments}`)
      else if (event.type === 'search-start') said.push(`${event.type} ${event.id} ${event.query}`)
      else if (event.type === 'search-failed') said.push(`${event.type} ${event.id} ${event.error.code}`)
      else if (event.type === 'search-output') said.push(`${event.type} ${event.id} ${event.output.text}`)
      else said.push(event.type)
    }
    return { said, interrupts }
  }

  test.each([
    [
      'that streams has its text once',
      [start, text('Bees '), text('hum.'), end, stop, result('Bees hum.')],
      ['Bees ', 'hum.'],
    ],
    ['without partial messages has the text of its result', [result('Bees hum.')], ['Bees hum.']],
    [
      'whose messages have no text has that of its result',
      [start, end, stop, start, end, stop, result('Hm.')],
      ['Hm.'],
    ],
    ['without a text has none', [start, end, stop, result('')], []],
    [
      'of two messages has a gap between them, once',
      [start, text('One.'), end, stop, start, text('Two'), text('.'), end, stop, result('Two.')],
      ['One.', '\n\nTwo', '.'],
    ],
    [
      'that is refused ends, without the words of the CLI',
      [result('Refused.', { failed: true, stopReason: 'refusal' })],
      [],
    ],
    [
      'that reached its limit ends, without the words of the CLI',
      [start, text('Bees'), end, result('Too long.', { failed: true, stopReason: 'max_tokens' })],
      ['Bees'],
    ],
  ] as const)('%s', async (_, events, texts) => {
    expect(await read(events)).toEqual({ said: [...texts, 'end'], interrupts: 0 })
  })

  test.each<readonly [string, readonly CliEvent[], boolean]>([
    ['and a second answer, in a stream', [start, text('Other.'), end, stop, result('Other.')], false],
    ['and a second answer, where messages are held', [start, text('Other.'), end, stop, result('Other.')], true],
    ['and a second refusal', [start, text('No.'), { ...end, stopReason: 'refusal' }, stop, result('No.')], false],
    [
      'and a search',
      [start, { type: 'tool-use', id: 's', name: 'WebSearch', query: 'q' }, end, stop, result('')],
      false,
    ],
    ['and the end of an interrupted turn', [result('Interrupted.', { failed: true })], false],
    [
      'and the failure of the second call',
      [start, text('Ot'), stop, result('API Error: 529', { failed: true })],
      false,
    ],
  ])('ends at a refusal: %s', async (_, then, holdsMessages) => {
    const refused = [start, text('I cannot.'), { ...end, stopReason: 'refusal' }, stop]
    const events = await Array.fromAsync(turnOf([...refused, ...then], { holdsMessages }))
    expect(events).toMatchObject([{ text: 'I cannot.' }, { type: 'end', result: { stopReason: 'refusal' } }])
  })

  test('that failed says why, also where the CLI reports a limit without its end', async () => {
    const failed = result('API Error: 529 Overloaded', { failed: true, stopReason: 'end_turn', apiStatus: 529 })
    expect(await failureOf(read([start, text('Bees'), end, failed]))).toMatchObject({ code: 'unavailable' })
    const limit: CliEvent = { type: 'rate-limit', limit: { status: 'rejected' } }
    const { code, retryAfterSeconds } = await failureOf(read([limit, result('Rate limited', { failed: true })]))
    expect([code, retryAfterSeconds]).toEqual(['rate-limited', undefined])
  })

  test('reports each limit that it hears of, and counts the calls of models', async () => {
    const [limits, limit] = [[] as unknown[], { status: 'allowed' }]
    let calls = 0
    const search = (id: string, name: string): CliEvent => ({ type: 'tool-use', id, name, query: 'seals' })
    const found = { searched: true, hits: [], text: 'A row.', error: undefined }
    const output = (id: string, output: unknown) => ({ type: 'tool-result', id, output }) as CliEvent
    const events = [
      ...[{ type: 'rate-limit', limit } as const, start, search('s1', 'WebSearch'), output('s1', found)],
      ...[search('s2', 'WebSearch'), output('s2', 'API Error: 529 Overloaded')],
      ...[search('s3', 'WebSearch'), output('s3', { ...found, error: 'query_too_long' })],
      ...[search('s4', 'WebSearch'), output('s4', { ...found, searched: false }), output('s4', undefined)],
      ...[search('o1', 'Bash'), output('o1', found), output('nowhere', found), end, stop, result('')],
    ]
    const trace = { modelCalled: () => void calls++ } as unknown as NonNullable<TurnOptions['trace']>
    const { said } = await read(events, { trace, onRateLimit: (heard) => limits.push(heard) })
    expect(said).toEqual([
      ...['search-start s1 seals', 'search-output s1 A row.', 'search-start s2 seals', 'search-failed s2 unavailable'],
      ...['search-start s3 seals', 'search-failed s3 invalid-request', 'search-start s4 seals', 'end'],
    ])
    expect([limits, calls]).toEqual([[limit], 6])
  })

  describe('with tools of the caller', () => {
    const tools = new ClientTools([{ name: 'get', description: '', parameters: {} }])
    const call = (index: number, id: string, name = 'mcp__client__get'): CliEvent => ({
      type: 'call-start',
      index,
      id,
      name,
    })
    const json = (index: number, part: string): CliEvent => ({ type: 'call-delta', index, json: part })
    const over = (index: number): CliEvent => ({ type: 'block-stop', index })
    const calls = [call(1, 't1'), json(1, '{"city":'), json(1, '"Bern"}'), over(1), call(2, 't2'), over(2)]
    const said = [
      ...['tool-call-start t1 get', 'tool-call-delta t1 {"city":', 'tool-call-delta t1 "Bern"}'],
      ...['tool-call-start t2 get', 'tool-call-delta t2 {}'],
    ]

    test.each([false, true])('ends with the message that calls them, held or not: %p', async (holdsMessages) => {
      const late = [start, text('Late.'), end, stop, result('Interrupted.', { failed: true })]
      const others = [text('Wait.'), over(0), call(3, 'o1', 'WebSearch'), json(3, '{}'), over(3)]
      const events = [start, ...others, ...calls, end, stop, ...late]
      expect(await read(events, { tools, holdsMessages })).toEqual({ said: ['Wait.', ...said, 'end'], interrupts: 1 })
    })

    test('goes on with the next message where the one that calls them broke off and was held', async () => {
      const again: CliEvent = { type: 'retry' }
      const events = [start, ...calls, stop, again, start, text('Bees hum.'), end, stop, result('Bees hum.')]
      const held = await read(events, { tools, holdsMessages: true })
      expect(held).toEqual({ said: ['Bees hum.', 'end'], interrupts: 0 })
      expect((await failureOf(read(events, { tools }))).code).toBe('unavailable')
    })
  })

  test('that has said enough is interrupted, and only its end follows, whatever the CLI says of it', async () => {
    for (const last of [result('Bees hum.'), result('Interrupted.', { failed: true })]) {
      const enough = new AbortController()
      const events = function* () {
        yield* [start, text('Bees')]
        enough.abort()
        yield* [text(' hum.'), last]
      }
      expect(await read(events(), { enough: enough.signal })).toEqual({ said: ['Bees', 'end'], interrupts: 1 })
    }
  })
})
