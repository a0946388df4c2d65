import { afterAll, describe, expect, test } from 'bun:test'
import { collect } from '../../../../src/domain/answer.ts'
import type { SearchEvent } from '../../../../src/domain/search.ts'
import type { SearchContext } from '../../../../src/executor/executor.ts'
import { reaching } from '../../../../src/executor/layers/metering/account.ts'
import { Budget } from '../../../../src/executor/layers/metering/budget.ts'
import { sumOf } from '../../../../src/executor/layers/metering/ledger.ts'
import { metered } from '../../../../src/executor/layers/metering/metered.ts'
import { startClaude } from '../../../support/claude-executor.ts'
import { failureOf } from '../../../support/failure-of.ts'
import { type Fields, requestFor } from '../../../support/fake-executor.ts'
import { memoryLedger } from '../../../support/memory-ledger.ts'
import { quickClaude } from '../../../support/quick-claude.ts'
import { cited, type NativeReply, searched, startScriptedApi } from '../../../support/scripted-api.ts'

// Answers in one call, by the real CLI: what it makes of the API's own search tool is what they rest on.

const a = 'https://a.example/one'
const b = 'https://b.example/two'
const seals = {
  blocks: [
    ...searched('s1', [a, b]),
    cited('Seals sleep', [a, 'They sleep underwater.']),
    cited(' and dive', [b, 'A dive takes 30 minutes.'], [a, 'They dive.']),
    cited('.'),
  ],
  tokens: [1000, 9000],
} as const satisfies NativeReply

/** The CLI asks again within a moment, and is stopped before it has an answer. */
const broken = { ...seals, thinkMs: 300 }

const api = startScriptedApi([])
const common = { findBinary: quickClaude, on: api }
const claudes = {
  search: await startClaude({ ...common, answers: 'search' }),
  auto: await startClaude({ ...common, answers: 'auto' }),
}

afterAll(async () => {
  for (const claude of Object.values(claudes)) await claude[Symbol.asyncDispose]()
  await api.stop()
})

let models = 0

/** The API gives these replies from now on, to a model that nothing is known of. */
function given(replies: readonly NativeReply[], by: keyof typeof claudes = 'search') {
  api.script(replies)
  const { executor, engine } = claudes[by]
  const model = `claude-sonnet-9-${++models}`
  const events = async (fields: Fields = {}, context: Partial<SearchContext> = {}) => {
    const request = requestFor('How do seals sleep?', { want: 'answer', effort: 'standard', model, ...fields })
    const all: SearchEvent[] = []
    const { signal } = new AbortController()
    for await (const event of executor.search(request, { signal, ...context })) all.push(event)
    return all
  }
  return {
    ...{ model, engine, events },
    answer: (fields: Fields = {}) =>
      claudes[by].search('How do seals sleep?', { want: 'answer', effort: 'standard', model, ...fields }),
    /** What health says of the model. */
    async state() {
      const { backends } = await engine.health()
      return backends[0]?.engines?.['answers']?.split('; ').find((line) => line.startsWith(`${model}: `)) ?? ''
    },
  }
}

/** What else was asked for: searches of lists, and texts over pages. */
const others = () => {
  const calls = api.sandbox.requests().filter(({ body }) => body.max_tokens !== 1) // tries of another model
  return calls.map(({ kind }) => kind)
}

describe('an answer in one call', () => {
  test('has rows with their dates first, then text with the citations of the API', async () => {
    const ours = given([seals])
    const all = await ours.events()
    expect(all.map(({ type }) => type).filter((type, at, types) => type !== types[at - 1])).toEqual([
      ...(['search-start', 'search-results', 'text-delta', 'citation', 'text-delta', 'citation'] as const),
      ...(['text-delta', 'citation', 'text-delta', 'done'] as const),
    ])
    expect(all[0]).toMatchObject({ query: 'query of s1' })
    expect(all[1]).toMatchObject({
      results: [
        { url: a, title: 'On a.example', publishedAt: '2025-04-30', source: 'claude' },
        { url: b, title: 'On b.example', publishedAt: '2025-04-30', source: 'claude' },
      ],
    })
    const answer = await ours.answer()
    expect(answer.text).toBe('Seals sleep [1] and dive [2][1].')
    expect(answer.citations.map(({ url }) => url)).toEqual([a, b, a])
    expect(answer).toMatchObject({ model: ours.model, reason: 'stop', usage: { searches: 1, inputTokens: 9000 } })
    expect(others()).toEqual([])
  })

  test.each<[string, Fields, object]>([
    ['one search', {}, { max_uses: 1 }],
    ['five of a deep answer', { effort: 'deep' }, { max_uses: 5 }],
    ['as many as the caller says', { effort: 'deep', maxSearches: 2 }, { max_uses: 2 }],
    ['sites', { filters: { includeDomains: ['a.example'] } }, { allowed_domains: ['a.example'] }],
    ['no sites', { filters: { excludeDomains: ['c.example'] } }, { blocked_domains: ['c.example'] }],
    ['a country', { filters: { country: 'DE' } }, { user_location: { type: 'approximate', country: 'DE' } }],
    [
      'a place',
      { filters: { city: '@Ulm', region: 'BW', timezone: 'Europe/Berlin' } },
      { user_location: { type: 'approximate', city: '@Ulm', region: 'BW', timezone: 'Europe/Berlin' } },
    ],
    ['nothing of the answer before it', { effort: 'fast' }, { max_uses: 1 }],
  ])('asks for %s', async (_, fields, expected) => {
    const ours = given([seals])
    await ours.answer(fields)
    expect(api.calls.at(-1)?.tools).toEqual([
      { type: 'web_search_20250305', name: 'web_search', max_uses: 1, ...expected },
    ])
  })

  test('has the model think longer for a deep answer alone', async () => {
    const ours = given([seals])
    for (const effort of ['deep', 'fast'] as const) await ours.answer({ effort })
    expect(api.calls.slice(-2).map((call) => call.output_config?.effort)).toEqual(['medium', 'low'])
  })

  test('knows the conversation, and nothing of the one before it', async () => {
    const ours = given([seals])
    await ours.answer({ history: [{ role: 'user', text: 'What are walruses?' }] })
    expect(JSON.stringify(api.calls.at(-1)?.messages)).toContain('walruses')
    await ours.answer()
    expect(JSON.stringify(api.calls.at(-1)?.messages)).not.toContain('walruses')
    expect(others()).toEqual([])
  })

  test('says what a search weighs', async () => {
    const ours = given([seals])
    await ours.answer()
    expect(await ours.state()).toContain('works, a search weighs 7000 tokens')
  })
})

test('links in place of citations are grounded as any', async () => {
  const text = `They sleep [here](${a}) and [there](https://foreign.example/), says https://foreign.example/x.`
  const ours = given([{ blocks: [...searched('s1', [a]), cited(text)] }])
  const answer = await ours.answer()
  expect(answer.text).toBe('They sleep here [1] and there, says foreign.example (not among the sources).')
})

test('a citation of a page that no search found is dropped', async () => {
  const text = cited('They sleep.', ['https://foreign.example/', 'Not so.'])
  const ours = given([{ blocks: [...searched('s1', [a]), text] }])
  expect(await ours.answer()).toMatchObject({ text: 'They sleep.', citations: [] })
})

test('the caller’s functions are offered beside the search, and their calls returned', async () => {
  const call = { type: 'tool_use', id: 'toolu_1', name: 'mcp__client__feed', input: { kilos: 2 } }
  const ours = given([{ blocks: [...searched('s1', [a]), call], stop: 'tool_use' }, seals])
  const parameters = { type: 'object', properties: { kilos: { type: 'number' } } }
  const tools = [{ name: 'feed', description: 'Feeds a seal.', parameters }]
  const answer = await ours.answer({ tools })
  expect(answer).toMatchObject({ reason: 'tool-calls', toolCalls: [{ name: 'feed', arguments: '{"kilos":2}' }] })
  expect(answer.searches[0]?.results).toHaveLength(1)
  expect(api.calls[0]?.tools.map(({ name }) => name)).toEqual(['web_search', 'mcp__client__feed'])
  await ours.answer()
  expect(api.calls[1]?.tools.map(({ name }) => name)).toEqual(['web_search'])
})

test('JSON is put together from all blocks, and put right in the same session', async () => {
  const weight = (text: string) => ({ blocks: [...searched('s1', [a]), cited('{"wei', [a, '90 kg']), cited(text)] })
  const ours = given([weight('ght":'), weight('ght":90}')])
  const properties = { weight: { type: 'number' } }
  const schema = { type: 'object', properties, required: ['weight'] }
  expect((await ours.answer({ schema })).text).toBe('{"weight":90}')
  expect(api.calls).toHaveLength(2)
  expect(JSON.stringify(api.calls[1]?.messages)).toContain('cannot be used as it is')
})

describe('no search is lost', () => {
  const refusal = (status: number, message: string): NativeReply => ({
    ...{ status, type: status === 403 ? 'permission_error' : 'invalid_request_error', message },
  })
  const memory: NativeReply = { blocks: [cited('Seals sleep, as everybody knows.')] }

  test.each<[string, NativeReply]>([
    ['refuses the tool', refusal(400, "tools.0: Input tag 'web_search_20250305' found using 'type' does not match")],
    ['does not allow it', refusal(403, 'Web search is not enabled for this organization')],
  ])('where the API %s, and the next answer does not try', async (_, reply) => {
    const ours = given([reply])
    const answer = await ours.answer()
    expect(answer).toMatchObject({ reason: 'stop', usage: { searches: 1 } })
    expect(answer.citations.length).toBeGreaterThan(0)
    expect(others()).toEqual(['search', 'write'])
    expect(await ours.state()).toContain('since the API refuses the search tool')
    const tried = api.calls.length
    for (const fields of [{}, { effort: 'fast' }, { effort: 'deep' }] as const) await ours.answer(fields)
    expect(api.calls).toHaveLength(tried)
  })

  // github.com/anthropics/anthropic-sdk-python/issues/995
  test('where the API refuses the country, and the next answer does without it in one call', async () => {
    const ours = given([refusal(400, 'tools.0.web_search_20250305: Country code SG is not supported.')])
    const filters = { country: 'SG' }
    expect(await ours.answer({ filters })).toMatchObject({ reason: 'stop', usage: { searches: 1 } })
    expect(others()).toEqual(['search', 'write'])
    api.script([seals])
    expect((await ours.answer({ filters })).text).toContain('Seals sleep')
    expect(api.calls.at(-1)?.tools).toEqual([{ type: 'web_search_20250305', name: 'web_search', max_uses: 1 }])
    expect(await ours.state()).not.toContain('refuses')
  })

  test.each<[string, Fields, readonly string[]]>([
    ['a standard', {}, ['search', 'write']],
    ['a fast', { effort: 'fast' }, ['search']],
    ['a deep', { effort: 'deep' }, ['decide', 'search', 'write']],
    ['a follow-up', { history: [{ role: 'user', text: 'Hi' }] }, ['decide', 'search', 'write']],
  ])('where %s answer comes from memory', async (_, fields, expected) => {
    const ours = given([memory, seals])
    const answer = await ours.answer(fields)
    expect(answer.text).not.toContain('everybody')
    expect(answer.citations.length).toBeGreaterThan(0)
    expect(others()).toEqual(expected as never)
    expect(api.calls).toHaveLength(1)
    // Once is no rule.
    expect((await ours.answer(fields)).text).toContain('Seals sleep [1]')
  })

  test('where a model never searches, which is left alone after two answers', async () => {
    const ours = given([memory])
    for (let times = 0; times < 3; times++) expect((await ours.answer()).citations.length).toBeGreaterThan(0)
    expect(api.calls).toHaveLength(2)
    expect(await ours.state()).toContain('since it does not search, 2 answers without a search')
  })

  test('where one that has searched answers from memory, however often', async () => {
    const ours = given([seals, memory])
    for (let times = 0; times < 4; times++) await ours.answer()
    expect(api.calls).toHaveLength(4)
  })

  test('where the second search is one too many: the rows of the first count', async () => {
    const second = searched('s2', { error_code: 'max_uses_exceeded' })
    const ours = given([{ blocks: [...searched('s1', [a]), ...second, cited('Yes.', [a, 'Y'])] }])
    const answer = await ours.answer()
    expect(answer).toMatchObject({ text: 'Yes. [1]', usage: { searches: 1 } })
  })

  test('where there are two searches: their rows are numbered on, and both count', async () => {
    const blocks = [...searched('s1', [a]), ...searched('s2', [b]), cited('Yes.', [b, 'Y'])]
    const ours = given([{ blocks }])
    expect(await ours.answer({ effort: 'deep' })).toMatchObject({ text: 'Yes. [2]', usage: { searches: 2 } })
  })

  test.each(['too_many_requests', 'unavailable'])('by another way where the tool says %s: it fails', async (code) => {
    const ours = given([{ blocks: [...searched('s1', { error_code: code }), cited('Sorry.')] }])
    expect((await failureOf(ours.answer())).code).toBe('unavailable')
    expect(others()).toEqual([])
  })

  test('where the API pauses: the session goes on with what was found', async () => {
    const paused: NativeReply = { blocks: searched('s1', [a]), stop: 'pause_turn' }
    const ours = given([paused, { blocks: [cited('They sleep.', [a, 'Asleep.'])] }])
    const answer = await ours.answer()
    expect(answer).toMatchObject({ text: 'They sleep. [1]', usage: { searches: 1, inputTokens: 400 } })
    const { messages = [] } = api.calls[1] ?? {}
    expect(JSON.stringify(messages)).toContain('web_search_tool_result')
    expect(JSON.stringify(messages.at(-1))).toContain('Go on.')
  })

  test('where it pauses again and again: a text is written over the rows', async () => {
    const ours = given([{ blocks: searched('s1', [a]), stop: 'pause_turn' }])
    const answer = await ours.answer()
    expect(answer.citations.map(({ url }) => url)).toEqual([a])
    expect(api.calls).toHaveLength(6)
    expect(others()).toEqual(['write'])
    expect(answer.usage.searches).toBe(6)
  })

  test.each([false, true])('where the connection breaks behind the search (whole: %p)', async (isWhole) => {
    const ours = given([{ ...broken, cutAfter: 2 }])
    const all = await ours.events({}, { isWhole })
    expect(all.at(-1)).toMatchObject({ type: 'done', usage: { searches: 1 } })
    expect(all.filter(({ type }) => type === 'citation').length).toBeGreaterThan(0)
    expect(api.calls).toHaveLength(1)
    expect(others()).toEqual(['write'])
  })

  test('where it breaks within a text that nobody has seen', async () => {
    const ours = given([{ ...broken, cutAfter: 2, cutInText: true }])
    const all = await ours.events({}, { isWhole: true })
    expect(all.filter(({ type }) => type === 'search-results')).toHaveLength(1)
    expect(all.at(-1)).toMatchObject({ type: 'done', usage: { searches: 1 } })
    expect(api.calls).toHaveLength(1)
  })

  test('where it breaks within JSON, which nobody sees before its end: it is written over the rows', async () => {
    const ours = given([{ ...broken, cutAfter: 2, cutInText: true }])
    const schema = { type: 'object', properties: { text: { type: 'string' } } }
    const all = await ours.events({ schema })
    expect(all.at(-1)).toMatchObject({ type: 'done', usage: { searches: 1 } })
    expect([api.calls.length, others()]).toEqual([1, ['write']])
  })

  test('where it breaks within a text that somebody reads: the answer fails, and nothing is searched again', async () => {
    const ours = given([{ ...broken, cutAfter: 3, cutInText: true }])
    expect((await failureOf(ours.events())).code).toBe('unavailable')
    await Bun.sleep(600) // the CLI would have asked again by then
    expect(api.calls).toHaveLength(1)
  })
  test('where the model finds pages and writes nothing: a text is written over them', async () => {
    const ours = given([{ blocks: searched('s1', [a]) }])
    const answer = await ours.answer()
    expect(answer.citations.map(({ url }) => url)).toEqual([a])
    expect([api.calls.length, others(), answer.usage.searches]).toEqual([1, ['write'], 1])
  })

  test('where it breaks behind a search that the model has announced', async () => {
    const ours = given([{ ...broken, blocks: [cited('Let me search.'), ...seals.blocks], cutAfter: 3 }])
    expect(await ours.answer()).toMatchObject({ usage: { searches: 1 } })
    expect([api.calls.length, others()]).toEqual([1, ['write']])
  })
})

test.each([false, true])(
  'what the model says before it searches is no part of the answer (whole: %p)',
  async (isWhole) => {
    const more = [cited('One more.'), ...searched('s2', [b]), cited('They sleep.', [b, 'Z'])]
    const ours = given([{ blocks: [cited('Let me search.'), ...searched('s1', [a]), ...more] }])
    const all = await ours.events({}, { isWhole })
    const text = all.flatMap((event) => (event.type === 'text-delta' ? event.text : [])).join('')
    expect(text).toMatch(/^One more\.\n\nThey sleep\./)
  },
)

test('a refusal stands, though the CLI would ask again', async () => {
  const refused: NativeReply = { blocks: [...searched('s1', [a]), cited('I cannot help with that.')], stop: 'refusal' }
  const ours = given([refused, seals])
  expect(await ours.answer()).toMatchObject({ reason: 'refusal', text: 'I cannot help with that.' })
  expect(api.calls).toHaveLength(1)
})

test('a text at its limit goes on, and each further search counts', async () => {
  const first: NativeReply = { blocks: [...searched('s1', [a]), cited('They sl', [a, 'S'])], stop: 'max_tokens' }
  const ours = given([first, { blocks: [...searched('s2', [b]), cited('eep.', [b, 'Z'])] }])
  const answer = await ours.answer()
  expect(answer.text).toBe('They sl [1]eep. [2]')
  expect(answer.usage.searches).toBe(2)
})

test('the budget counts the searches that the API has made, of an answer that fails as well', async () => {
  const two = { blocks: [...searched('s1', [a]), ...searched('s2', [b]), cited('Yes.', [b, 'Y'])] }
  const ledger = memoryLedger()
  const { search } = metered(new Budget({ ledger }))(reaching(claudes.search.executor))
  const spent = async (reply: NativeReply) => {
    const { model } = given([reply])
    const request = requestFor('q', { want: 'answer', effort: 'deep', model })
    await collect(search(request, { signal: new AbortController().signal })).catch(() => {})
    return sumOf(ledger.since('2000-01-01')).searches
  }
  expect(await spent(two)).toBe(2)
  expect(await spent({ ...two, cutAfter: 5, cutInText: true, thinkMs: 300 })).toBe(4)
  expect(await spent({ status: 400, type: 'invalid_request_error', message: 'web_search' })).toBe(5)
})

test('a model without citations is asked for links from then on', async () => {
  const long = cited('Seals sleep in the sea and on land. '.repeat(20))
  const ours = given([{ blocks: [...searched('s1', [a]), long] }])
  const wishesIn = () => JSON.stringify(api.calls.at(-1)?.messages)
  await ours.answer()
  expect(wishesIn()).not.toContain('[title](url)')
  await ours.answer()
  expect(wishesIn()).toContain('[title](url)')
  expect(await ours.state()).toContain('no citations, so links')
})

describe('by default', () => {
  const light = seals
  const heavy: NativeReply = { ...seals, tokens: [1000, 14_000] }

  test.each<[string, NativeReply, boolean]>([
    ['a light search has standard answers made in one call from the first on', light, true],
    ['a heavy one has them made so once', heavy, false],
  ])('%s', async (_, reply, isInOneCall) => {
    const ours = given([reply], 'auto')
    await ours.answer()
    expect([api.calls.length, others()]).toEqual([1, []])
    await ours.answer()
    expect([api.calls.length, others()]).toEqual(isInOneCall ? [2, []] : [1, ['search', 'write']])
    await ours.answer({ history: [{ role: 'user', text: 'Hi' }] })
    expect(api.calls).toHaveLength(isInOneCall ? 3 : 2)
  })

  test('a standard answer whose search is refused is made over pages, and the next ones, too', async () => {
    const refused = { status: 400, type: 'invalid_request_error', message: 'web_search is not available' }
    const ours = given([refused], 'auto')
    for (const searches of [1, 2]) {
      const { text, usage } = await ours.answer()
      expect([text !== '', usage.searches]).toEqual([true, 1])
      expect(others()).toEqual(Array.from({ length: searches }, () => ['search', 'write'] as const).flat())
    }
    expect(await ours.state()).toContain('the API refuses the search tool')
  })

  test('what is known of one model says nothing of another', async () => {
    const ours = given([heavy, light], 'auto')
    for (const model of [ours.model, ours.model, 'opus', 'opus']) await ours.answer({ model })
    expect(api.calls.map(({ model }) => model.split('-')[1])).toEqual(['sonnet', 'opus', 'opus'])
  })
})

test('a fast answer holds a worker, so it is not light', async () => {
  const ours = given([seals])
  const fast = requestFor('q', { want: 'answer', effort: 'fast' })
  await ours.answer({ effort: 'fast' })
  expect(ours.engine.isLight(fast)).toBe(false)
  expect(ours.engine.isLight(requestFor('q'))).toBe(true)
})
