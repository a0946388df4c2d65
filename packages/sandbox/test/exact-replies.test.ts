import { describe, expect, setSystemTime, test } from 'bun:test'
import type { MessagesEvent } from '@csp/messages-api/events'
import { rateLimitHeaders } from '../src/api-error.ts'
import type { ReplyContext } from '../src/replies/context.ts'
import { decideReply } from '../src/replies/decide-reply.ts'
import { exampleValue } from '../src/replies/example-value.ts'
import { judgeText, planText } from '../src/replies/json-reply.ts'
import { recital, searchText } from '../src/replies/model-text.ts'
import { pagesAbout } from '../src/replies/pages.ts'
import { fits, subjectOf } from '../src/replies/question-words.ts'
import { reply } from '../src/replies/reply.ts'
import { textReply } from '../src/replies/write-reply.ts'
import type { Scenario } from '../src/scenario.ts'
import { settingsFrom } from '../src/settings.ts'
import { streamedTransfer, wholeTransfer } from '../src/stream/transfer.ts'
import { requestOf, sampleRequests } from './sample-requests.ts'

const now = new Date('2026-03-15T12:00:00Z')

test.each([
  [{ type: 'integer' }, 1],
  [{ type: 'integer', minimum: 7 }, 7],
  [{ type: 'integer', minimum: 5, multipleOf: 4 }, 8],
  [{ type: 'number', exclusiveMinimum: 3, multipleOf: 2 }, 4],
  [{ type: 'number', minimum: 0.2, maximum: 0.5 }, 0.5],
  [{ type: 'array' }, ['wet']],
  [{ type: 'array', items: { type: 'boolean' }, minItems: 2 }, [true, true]],
  [{ type: ['array', 'null'] }, ['wet']],
  [{ type: 'string', minLength: 5 }, 'wet..'],
  [{ type: 'string', maxLength: 2 }, 'we'],
  [
    { properties: { q: {}, url: {}, site_link: {}, linked: {} } },
    { q: 'Is it wet?', url: 'u', site_link: 'u', linked: 'wet' },
  ],
  [
    { properties: { a: { format: 'uri' }, b: { format: 'date' }, c: { format: 'x' } } },
    { a: 'u', b: '2026-01-02', c: 'wet' },
  ],
  [{ required: ['b', 3] }, { b: 'wet' }],
  [{ const: false }, false],
  [{ enum: ['dry', '', 'WET'] }, 'WET'],
  [{ enum: [3, 4] }, 3],
  [{ anyOf: [] }, 'wet'],
  [{ allOf: [{ type: 'object' }, { required: ['a'] }] }, { a: 'wet' }],
  [{ items: { $ref: '#/$defs/a~1b' }, $defs: { 'a/b': { const: 1 } } }, [1]],
  [{ $ref: '#' }, null],
  [5, null],
])('the example for %j is %j', (schema, value) => {
  expect(exampleValue(schema, { text: 'Is it wet?', subject: 'wet', url: 'u' })).toEqual(value)
})

test('the least example has what is required, or all where nothing is', () => {
  const least = (required: readonly string[]) =>
    exampleValue({ required, properties: { a: { type: 'null' }, b: {} } }, { text: 'wet', isLeast: true })
  expect([least(['b']), least([])]).toEqual([{ b: 'wet' }, { a: null, b: 'wet' }])
})

test('claims are judged by the words and figures of their passages', () => {
  const claim = (number: number, text: string, ...passages: readonly string[]) =>
    `<claim number="${number}">\n${text}\n</claim>\n<passages claim="${number}">\n${passages.join('\n')}\n</passages>\n`
  const prompt = [
    claim(1, 'Bees make 1,200 combs.', '[1] Wasps sting.', '[2] Bees make 1200 combs a year.'),
    claim(2, 'Bees make 7 combs.', '[1] Bees make combs.'),
    claim(3, 'Bees sting often now', '[1] Bees sting.'),
    claim(4, 'Bees sting often right now', '[1] Bees sting.'),
    claim(5, 'b', `[1] ${'b '.repeat(40)}`),
  ].join('')
  expect(JSON.parse(judgeText({ properties: { judgements: {} } }, prompt) ?? '')).toEqual({
    judgements: [
      { claim: 1, verdict: 'supported', words: 'Bees make 1200 combs a year.' },
      { claim: 2, verdict: 'contradicted', words: 'Bees make combs.' },
      { claim: 3, verdict: 'supported', words: 'Bees sting.' },
      { claim: 4, verdict: 'not-said', words: '' },
      { claim: 5, verdict: 'supported', words: 'b '.repeat(30).trim() },
    ],
  })
  for (const none of [3, {}, { properties: {} }]) expect(judgeText(none, prompt)).toBeUndefined()
})

test('the searches of a research are as many as asked for, without those that there were', () => {
  const plan = (questions: unknown, prompt: string, question: string) =>
    planText({ properties: { questions } }, prompt, question)
  const three = plan({ uniqueItems: true, maxItems: 3 }, 'Costs: bees', 'bees\nmore')
  expect(JSON.parse(three ?? '')).toEqual({ questions: ['Overview: bees', 'Measurements: bees', 'Criticism: bees'] })
  const one = plan({ uniqueItems: true }, '', 'b'.repeat(121))
  expect(JSON.parse(one ?? '')).toEqual({ questions: [`Overview: ${'b'.repeat(120)}`] })
  expect([plan({}, '', 'x'), plan(3, '', 'x'), planText(3, '', 'x')]).toEqual([undefined, undefined, undefined])
})

test.each([
  ['What time is it?', 'get_time', '', true],
  ['Who reads the news?', 'readNews', '', true],
  ['Who reads the data?', 'getData', '', false],
  ['The city of weather', 'x', 'The weather of a city.', true],
  ['The city', 'x', 'The weather of a city.', false],
  ['ox', 'ox', '', false],
  ['dogs', 'dog', '', true],
  ['gas', 'gases', '', false],
])('%j asks for the tool %s (%s): %p', (question, name, description, isAsked) => {
  expect(fits(question, { name, description })).toBe(isAsked)
})

test('the subject of a question is its names, otherwise its telling words', () => {
  const subject = (question: string) => subjectOf(question, { name: 'get_weather' })
  expect(['Is Oslo cold? Bergen is.', 'the weather of (oslo)', 'what is the', 'b'.repeat(101)].map(subject)).toEqual([
    'Oslo Bergen',
    'oslo',
    'what is the',
    'b'.repeat(100),
  ])
})

describe('the pages of the sandbox', () => {
  test('stand at one address each, with the first six words of the query', () => {
    const pages = pagesAbout({ query: 'One two three four five six seven\nmore', count: 12, now })
    const topic = 'One two three four five six'
    expect(pages.map(({ publishedAt }) => publishedAt)).toEqual([
      ...['2026-02-23', undefined, '2025-12-15', '2025-05-19', '2023-06-19', '2026-03-15', '2026-03-13', '2026-03-10'],
      ...['2026-02-23', undefined, '2025-12-15', '2025-05-19'],
    ])
    expect(pages[0]).toMatchObject({
      title: `Sandbox: ${topic}`,
      url: 'https://forum.example/search/view?id=one-two-three-four-five-six-jspdc3&ref=sandbox',
      excerpt: `The sandbox invented this page about ${topic}; nothing on it is true.`,
    })
    expect(pages[9]?.url).toBe('https://example.net/2024/05/one-two-three-four-five-six-jspdc3/')
    expect(pages[10]?.url).toBe('https://forum.example/questions/4711/one-two-three-four-five-six-jspdc3-10')
  })

  test('may have longer excerpts, and other sites', () => {
    const about = (length: number) =>
      pagesAbout({ query: '', count: 1, now, sites: ['http://127.0.0.1:8'], excerptLength: length })[0]
    const first = 'The sandbox invented this page about nothing in particular; nothing on it is true.'
    const second = 'An invented overview of nothing in particular, with 3 parts and no facts.'
    expect(about(first.length)).toMatchObject({
      url: 'http://127.0.0.1:8/2024/05/nothing-in-particular-hwtwpu/',
      excerpt: first,
    })
    expect(about(first.length + 1)?.excerpt).toBe(`${first} ${second}`)
    const titled = (query: string) => pagesAbout({ query, count: 1, now, allowedDomains: ['a.example'] })[0]
    expect(titled('b'.repeat(81))?.title).toBe(`Sandbox: ${'b'.repeat(80)}`)
    expect(titled('漢字')?.url).toBe('https://a.example/search/view?id=topic-ccnf21&ref=sandbox')
    expect(titled('¿Bees, wasps?')?.url).toContain('/bees-wasps-')
  })

  test('are written as they were wanted', () => {
    const pages = pagesAbout({
      query: 'bees',
      count: 4,
      now,
      sites: ['http://127.0.0.1:8', 'https://docs.example.com'],
    })
    const [words] = [pages.map(({ excerpt }) => excerpt)]
    const text = (format: Parameters<typeof searchText>[1]) =>
      searchText(pages, format, 'ok')
        .map((block) => block.text)
        .join('')
        .split('\n')
        .slice(2)
    expect(text('numbered')).toEqual([
      ...[`1 127.0.0.1|20260310|${words[0]}`, `2 example|20260223|${words[1]}`],
      ...[`3 127.0.0.1|?|${words[2]}`, `4 example|20251215|${words[3]}`, ''],
    ])
    expect(text('lines')[0]).toBe(`${pages[0]?.url} | 2026-03-10 | ${words[0]}`)
    expect(text('prose')[0]?.match(/ says: /g)).toHaveLength(3)
  })

  test('are recited by their numbers', () => {
    const refer = (page: number) => `(${page})`
    const question = 'Bees hum [1] twice [0] and fly [2]'
    expect(recital(question, refer)).toBe('Bees hum (1) and fly (2)')
    expect(recital('Bees?', refer)).toBe('Sandbox answer: the question has no sentence to recite.')
  })
})

describe('the limits of a plan', () => {
  const limitResetsAt = new Date('2026-03-15T14:00:00Z')
  const headers = (
    parts: Partial<Parameters<typeof rateLimitHeaders>[0]>,
    verdict: 'allowed' | 'five_hour' | 'seven_day' = 'allowed',
  ) => {
    const usage = { utilization: 0.1, weekUtilization: 0.05, overage: 'off', limitResetsAt, ...parts } as const
    const all = rateLimitHeaders(usage, verdict)
    return Object.fromEntries(
      Object.entries(all).map(([name, value]) => [name.replace('anthropic-ratelimit-unified-', ''), value]),
    )
  }
  const [reset, weekReset] = ['1773583200', '1773842400']
  const week = { '7d-status': 'allowed', '7d-reset': weekReset, '7d-utilization': '0.05' }
  const fiveHours = { reset, 'representative-claim': 'five_hour', 'fallback-percentage': '0.5', '5h-reset': reset }

  test('warn from nine tenths of them on', () => {
    const near = { status: 'allowed_warning', '5h-status': 'allowed_warning', '5h-surpassed-threshold': '0.9' }
    expect(headers({ utilization: 0.89 })).toEqual({
      ...{ ...fiveHours, ...week, status: 'allowed', '5h-status': 'allowed', '5h-utilization': '0.89' },
    })
    expect(headers({ utilization: 0.9 })).toEqual({ ...fiveHours, ...week, ...near, '5h-utilization': '0.9' })
  })

  test('are those of the week where that is spent, or the plan has no other', () => {
    const none = headers({ utilization: 'none', weekUtilization: 0.95 })
    expect(none).toEqual({
      ...{ status: 'allowed_warning', reset: weekReset, 'representative-claim': 'seven_day' },
      ...{ 'fallback-percentage': '0.5', '7d-status': 'allowed_warning', '7d-reset': weekReset },
      ...{ '7d-utilization': '0.95', '7d-surpassed-threshold': '0.9' },
    })
    try {
      setSystemTime(now)
      expect(headers({}, 'seven_day')).toMatchObject({
        ...{ 'retry-after': String(7200 + 259_200), status: 'rejected', '5h-status': 'allowed' },
        ...{ '7d-status': 'rejected', '7d-utilization': '1', '5h-utilization': '0.1' },
      })
      expect(headers({}, 'five_hour')).toMatchObject({ 'retry-after': '7200', '5h-utilization': '1', reset })
      setSystemTime(limitResetsAt)
      expect(headers({}, 'five_hour')['retry-after']).toBe('1')
    } finally {
      setSystemTime()
    }
  })

  test('may be exceeded by what is paid beyond them', () => {
    const allowed = headers({ overage: 'allowed' })
    expect(allowed).toMatchObject({ status: 'allowed', 'overage-status': 'allowed' })
    expect(allowed).not.toHaveProperty('overage-in-use')
    expect(headers({ overage: 'in-use' })).toMatchObject({
      status: 'rejected',
      '5h-utilization': '1',
      'overage-in-use': 'true',
    })
    expect(headers({ overage: 'in-use' })).not.toHaveProperty('retry-after')
  })
})

test('the settings of a sandbox have defaults, and its limit resets at a full hour', () => {
  try {
    setSystemTime(now)
    const settings = settingsFrom({})
    expect({ ...settings, now: settings.now() }).toEqual({
      ...{
        resultCount: 8,
        excerptLength: 0,
        sites: [],
        library: false,
        thinkMs: { search: 0, answer: 0, decide: 0, write: 0 },
        pace: {},
      },
      ...{ deltaPauseMs: 100, utilization: 0.1, weekUtilization: 0.05, overage: 'off', now },
      limitResetsAt: new Date('2026-03-15T14:00:00Z'),
    })
    expect(settingsFrom({ thinkMs: 5 }).thinkMs).toEqual({ search: 5, answer: 5, decide: 5, write: 5 })
    expect(settingsFrom({ thinkMs: { write: 7, answer: 3 } }).thinkMs.answer).toBe(3)
    expect(settingsFrom({ thinkMs: { write: 7 } }).thinkMs).toEqual({ search: 0, answer: 7, decide: 0, write: 7 })
  } finally {
    setSystemTime()
  }
})

const contextOf = (scenario: Scenario): ReplyContext => {
  let last = 0
  return { scenario, resultCount: 2, excerptLength: 0, now, newId: (prefix) => `${prefix}_${++last}` }
}

test('a decision searches for 400 letters of the question, twice where the scenario says so', () => {
  const queries = (scenario: Scenario) =>
    decideReply(sampleRequests.decide('b'.repeat(401)), contextOf(scenario)).map((block) =>
      block.type === 'tool_use' ? block.input['query'] : block.type,
    )
  const query = 'b'.repeat(400)
  expect([queries('ok'), queries('search-twice')]).toEqual([[query], [query, `${query} again`]])
})

test('a report has a part for every four sources, with 150 letters of each', () => {
  const sources = Array.from(
    { length: 5 },
    (_, at) => `[${at + 1}] S${at} — https://a.example/${at}\n    ${'b'.repeat(151)}`,
  )
  const prompt = `<sources>\n${sources.join('\n')}\n</sources>\n<question>\nBees?\n</question>\n\nWrite a report now.`
  const said = (at: number) => `S${at} has this to say: ${'b'.repeat(150)} [${at + 1}].`
  expect(textReply(requestOf([{ role: 'user', content: prompt }]), contextOf('ok'))).toEqual([
    {
      type: 'text',
      text: `Sandbox answer: all of this is invented.\n\n## Part 1\n\n${[0, 1, 2, 3].map(said).join(' ')}\n\n## Part 2\n\n${said(4)}`,
    },
  ])
  const [block] = textReply(sampleRequests.write('b'.repeat(201)), contextOf('ok'))
  expect(block).toEqual({ type: 'text', text: `Sandbox answer: “${'b'.repeat(200)}”.` })
})

test('a reply says how many tokens and searches it took, and why it stopped', () => {
  const request = sampleRequests.search('bees')
  const whole = reply('search', request, contextOf('ok'))
  expect(whole.usage).toEqual({
    input_tokens: Math.ceil(JSON.stringify(request.messages).length / 4),
    output_tokens: Math.ceil(JSON.stringify(whole.content).length / 4),
    ...{ cache_creation_input_tokens: 0, cache_read_input_tokens: 0, server_tool_use: { web_search_requests: 1 } },
  })
  expect(reply('write', sampleRequests.write('bees'), contextOf('ok')).usage).not.toHaveProperty('server_tool_use')
  const stopped = (kind: 'search' | 'decide' | 'write', scenario: Scenario) => {
    const { content, stop_reason } = reply(kind, sampleRequests[kind]('bees?'), contextOf(scenario))
    return [stop_reason, content.map((block) => (block.type === 'text' ? block.text : block.type)).join(' ')]
  }
  expect(stopped('search', 'pause-turn')).toEqual(['pause_turn', 'server_tool_use web_search_tool_result'])
  expect(stopped('write', 'pause-turn')).toEqual(['end_turn', 'Sandbox answer: “bees?”.'])
  expect(stopped('write', 'max-tokens')).toEqual(['max_tokens', 'Sandbox answ'])
  expect(stopped('decide', 'max-tokens')).toEqual(['tool_use', 'tool_use'])
  expect(stopped('write', 'preamble')).toEqual(['end_turn', 'Sandbox answer: “bees?”.'])
})

describe('a reply that is cut', () => {
  const start = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }
  const delta = (text: string) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })
  const stop = { type: 'content_block_stop', index: 0 }
  const events = [
    stop,
    start,
    delta('a'),
    delta('b'),
    stop,
    { type: 'message_stop' },
    stop,
  ] as unknown as MessagesEvent[]
  const pace = { firstTokenMs: 0, tokensPerSecond: 1, searchMs: 0 }
  const sent = (scenario: Scenario, of = events) => {
    const { pieces, end } = streamedTransfer(of, pace, scenario)
    return [pieces.length, end]
  }

  test('ends in the middle, in its text or behind it, where it has one', () => {
    expect(sent('ok')).toEqual([7, 'whole'])
    expect(sent('cut')).toEqual([3, 'break'])
    expect(sent('hang-midway')).toEqual([3, 'hang'])
    expect(sent('cut-in-text')).toEqual([3, 'break'])
    expect(sent('cut-after-text')).toEqual([5, 'break'])
    for (const scenario of ['cut-in-text', 'cut-after-text'] as const)
      expect(sent(scenario, [stop] as MessagesEvent[])).toEqual([1, 'whole'])
  })

  test('is half of its JSON, when the model has written it', () => {
    const message = reply('write', sampleRequests.write('bees'), contextOf('ok'))
    const text = JSON.stringify(message)
    const written = 'Sandbox answer: “bees”.'.length / 4
    const half = text.slice(0, Math.floor(text.length / 2))
    const { pieces, end } = wholeTransfer(message, pace, 'cut')
    expect([pieces.map((piece) => piece.text), end]).toEqual([[half], 'break'])
    expect(pieces[0]?.afterMs).toBeCloseTo(written * 1000, 6)
    const all = wholeTransfer(message, pace, 'ok')
    expect(all.pieces.map((piece) => piece.text).join('')).toBe(text)
    expect([all.pieces[1]?.afterMs, all.end]).toEqual([0, 'whole'])
  })
})
