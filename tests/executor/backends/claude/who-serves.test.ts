import { describe, expect, jest, spyOn, test } from 'bun:test'
import { collect } from '../../../../src/domain/answer.ts'
import { SearchError } from '../../../../src/domain/error.ts'
import type { SearchRequest } from '../../../../src/domain/search.ts'
import { nothingFound } from '../../../../src/executor/answer/events.ts'
import type { EngineOptions } from '../../../../src/executor/backends/claude/engine-options.ts'
import { Engines, taskFor } from '../../../../src/executor/backends/claude/engines.ts'
import type { ToolOutput } from '../../../../src/executor/backends/claude/search-output.ts'
import { modelsOf, needsNoWorker, runStrategy } from '../../../../src/executor/backends/claude/strategies.ts'
import type { Worker } from '../../../../src/executor/backends/claude/worker/worker.ts'
import { failureOf } from '../../../support/failure-of.ts'
import { type Fields, requestFor } from '../../../support/fake-executor.ts'

// Which engine and which model serve a request, and what becomes of the output of one search: with a stand-in for each
// engine, so that no CLI runs.

const now = new Date('2026-03-15T12:00:00Z')
const options: EngineOptions = {
  ...{ findBinary: () => undefined, environment: {}, workingDirectory: '/nowhere', version: '0', now: () => now },
  ...{ model: 'sonnet', searchModel: 'haiku', excerpts: 'lines', maxSessionSearches: 9 },
  ...{ sessionContext: 'clear', auth: 'subscription' },
}
const page = (place: number) => ({ title: `Page ${place}`, url: `https://site${place}.example/` })
const output = (rest: Partial<ToolOutput> = {}): ToolOutput => ({
  ...{ searched: true, hits: [page(1)], text: '', error: undefined },
  ...rest,
})

/** Engines of which each search brings the next output, and whose workers fail at once. */
function enginesWith(
  outputs: readonly ToolOutput[] = [],
  { direct = true, ...more }: Partial<EngineOptions> & { direct?: boolean } = {},
) {
  const engines = new Engines({ ...options, ...more })
  const served: string[] = []
  const prompts: string[] = []
  const left = [...outputs]
  spyOn(engines, 'ready').mockResolvedValue({ flags: { known: new Set(), missing: [] }, direct })
  Object.defineProperty(engines, 'hasDirect', { value: direct })
  const searches = (['direct', 'fast'] as const).map((name) =>
    spyOn(engines[name], 'search').mockImplementation(async () => {
      served.push(name)
      return left.shift() ?? output()
    }),
  )
  const failure = new SearchError('failed', 'A stand-in writes nothing.')
  spyOn(engines.pool, 'take').mockImplementation((kind, model, _, systemPrompt) => {
    served.push([kind, model, ...(systemPrompt ? [systemPrompt] : [])].join(' '))
    const turn = (prompt: string) => {
      prompts.push(prompt)
      throw failure
    }
    return { alive: true, turn } as unknown as Worker
  })
  spyOn(engines.pool, 'giveBack').mockReturnValue()
  const modelCalled = jest.fn()
  const run = (rest: Fields, query = 'seals') => {
    const request = requestFor(query, rest)
    const { signal } = new AbortController()
    const trace = { modelCalled } as never
    return collect(runStrategy(taskFor(engines, request, { signal, enough: signal, trace })))
  }
  return { engines, served, prompts, run, modelCalled, search: searches[0], fast: searches[1] }
}

const tools = [{ name: 'look_up', parameters: { type: 'object' } }] as unknown as NonNullable<SearchRequest['tools']>
const schema = { type: 'object' } as unknown as NonNullable<SearchRequest['schema']>
const source = { ...page(1), snippet: 'They dive.', source: 'fake' }
const fast = { want: 'answer', effort: 'fast' } as const
const turn = { role: 'user', text: 'Do they sing?' } as const
const result = { role: 'tool', callId: 'c1', text: 'Sun.' } as const

describe('a request is served by', () => {
  test.each<[string, Fields, string, string, string?]>([
    ['a list', {}, 'direct', 'searcher haiku'],
    ['a list with tools', { tools }, 'direct', 'searcher haiku'],
    ['a fast answer', fast, 'fast', 'searcher sonnet'],
    ['a fast answer of another model', { ...fast, model: 'opus' }, 'fast', 'searcher opus'],
    ['a fast answer with an empty list of tools', { ...fast, tools: [] }, 'fast', 'searcher sonnet'],
    ['a fast answer to the longest query', fast, 'fast', 'searcher sonnet', 'x'.repeat(20_000)],
    ['a fast answer to a document', fast, 'searcher sonnet', 'searcher sonnet', 'x'.repeat(20_001)],
    ['a fast answer with a tool', { ...fast, tools }, 'searcher sonnet', 'searcher sonnet'],
    ['a fast answer in JSON', { ...fast, schema }, 'searcher sonnet', 'searcher sonnet'],
    ['a fast answer within a conversation', { ...fast, history: [turn] }, 'searcher sonnet', 'searcher sonnet'],
    ['a fast answer behind a tool', { ...fast, continuation: [result] }, 'searcher sonnet', 'searcher sonnet'],
    ['a standard answer', { want: 'answer', effort: 'standard' }, 'searcher sonnet', 'searcher sonnet'],
    ['a deep answer', { want: 'answer', effort: 'deep' }, 'searcher sonnet', 'searcher sonnet'],
    ['an answer of another model', { want: 'answer', effort: 'deep', model: 'opus' }, 'searcher opus', 'searcher opus'],
    ['an answer over pages', { ...fast, sources: [source] }, 'writer sonnet', 'writer sonnet'],
    ['a text', { want: 'text', sources: [source] }, 'chat sonnet', 'chat sonnet'],
    [
      'a text with instructions',
      { want: 'text', instructions: 'Be brief.' },
      'chat sonnet Be brief.',
      'chat sonnet Be brief.',
    ],
    ['a judgement', { want: 'text', claims: [] as never }, 'chat haiku', 'chat haiku'],
  ])('%s', async (_, rest, overMcp, otherwise, query = 'seals') => {
    for (const [direct, expected] of [
      [true, overMcp],
      [false, otherwise],
    ] as const) {
      const { engines, served, run } = enginesWith([], { direct })
      await run(rest, query).catch(() => {})
      expect(served[0]).toBe(expected)
      const request = requestFor(query, rest)
      expect(needsNoWorker(engines, request)).toBe(expected === 'direct' || expected === 'fast')
      const model = { direct: 'haiku', fast: 'sonnet' }[expected] ?? expected.split(' ')[1]
      expect(modelsOf(engines, request)).toEqual([model ?? ''])
    }
  })

  test('one engine for lists and fast answers, if their model is the same', async () => {
    const { engines } = enginesWith([], { searchModel: undefined })
    expect(engines.fast).toBe(engines.direct)
    expect(engines.state).toEqual({ direct: 'stopped', agent: 'no worker yet' })
    expect(modelsOf(engines, requestFor('seals'))).toEqual(['sonnet'])
    expect(enginesWith().engines.state).toEqual({ direct: 'stopped', fast: 'stopped', agent: 'no worker yet' })
  })
})

describe('a search that the model did not make', () => {
  const refused = output({ searched: false, hits: [] })

  test('is asked for once more', async () => {
    const { run, served, modelCalled } = enginesWith([refused, output()])
    expect((await run({})).searches[0]?.results).toHaveLength(1)
    expect([served, modelCalled.mock.calls.length]).toEqual([['direct', 'direct'], 2])
  })

  test('fails the request the second time', async () => {
    const { run, served } = enginesWith([refused, refused])
    expect((await failureOf(run({}))).code).toBe('ungrounded')
    expect(served).toHaveLength(2)
  })

  test('is not asked for again where the tool failed', async () => {
    const { run, served } = enginesWith([output({ error: 'too_many_requests' })])
    expect((await failureOf(run({}))).code).toBe('unavailable')
    expect(served).toHaveLength(1)
  })
})

test('a list has what the search call wrote besides, if it wrote something', async () => {
  const events = async (text: string) => {
    const { engines } = enginesWith([output({ text })])
    const { signal } = new AbortController()
    return Array.fromAsync(runStrategy(taskFor(engines, requestFor('seals'), { signal, enough: signal })))
  }
  const results = [expect.objectContaining(page(1))]
  const usage = { searches: 1, inputTokens: 0, outputTokens: 0 }
  const whole = (more: object) => [
    { type: 'search-start', id: 'search-1', query: 'seals', model: 'haiku' },
    { type: 'search-results', id: 'search-1', results, ...more },
    { type: 'done', reason: 'stop', model: 'haiku', usage },
  ]
  expect(await events('')).toEqual(whole({}) as never)
  expect(await events('Just prose.')).toEqual(whole({ notes: 'Just prose.' }) as never)
})

describe('the answer in a search call’s text', () => {
  const summary = 'Seals dive.'
  test.each<[string, readonly string[], readonly string[]]>([
    ['ends at the sign', [`${summary} ∎`, `${summary}∎ I am done.`], [summary, summary]],
    ['needs no sign of a model that sets none', [summary, 'They rest.'], [summary, 'They rest.']],
    ['is nothing without the sign of a model that has set one', [`${summary} ∎`, summary], [summary, '']],
    ['is nothing where the sign is all there is, and then needs it', ['∎', summary], ['', '']],
    ['is nothing where it breaks off within a sentence', ['Seals dive and', 'Seals,', 'Seals ('], ['', '', '']],
  ])('%s', async (_, texts, expected) => {
    const { run } = enginesWith(texts.map((text) => output({ text })))
    const found: string[] = []
    for (const _text of texts) found.push((await run(fast)).text)
    expect(found).toEqual([...expected])
  })

  test('says so where the search found no page', async () => {
    const { run } = enginesWith([output({ hits: [], text: summary })])
    expect(await run(fast)).toMatchObject({ text: nothingFound, usage: { searches: 1 }, model: 'sonnet' })
  })
})

describe('an answer over no pages', () => {
  test('says so without a model', async () => {
    const { run, served } = enginesWith()
    const answer = await run({ want: 'answer', sources: [] })
    expect(answer).toMatchObject({ text: nothingFound, usage: { searches: 0 }, model: 'sonnet' })
    expect(served).toEqual([])
  })

  test.each<[string, Fields]>([
    ['a schema', { schema }],
    ['tools', { tools }],
    ['results of tools', { continuation: [result] }],
  ])('is written all the same where the request has %s', async (_, rest) => {
    const { run, served } = enginesWith()
    await failureOf(run({ want: 'answer', sources: [], ...rest }))
    expect(served[0]).toBe('writer sonnet')
  })
})

test('a searcher is first asked without being told that it must search', async () => {
  const { run, prompts } = enginesWith()
  await failureOf(run({ want: 'answer', effort: 'deep' }))
  expect(prompts[0]).not.toContain('You must call WebSearch')
})

describe('the sites of a search', () => {
  const known = (count: number) => Array.from({ length: count }, (_, at) => page(at).url)
  const hosts = (count: number) => Array.from({ length: count }, (_, at) => `site${at}.example`)

  test.each<[string, Fields, object]>([
    ['are those of the request', { filters: { includeDomains: ['a.example'] } }, { includeDomains: ['a.example'] }],
    [
      'are not those that it excludes',
      { filters: { excludeDomains: ['a.example'] } },
      { excludeDomains: ['a.example'] },
    ],
    [
      'are not those of known pages, each once',
      { exclude: [...known(2), page(0).url, 'no url'] },
      { excludeDomains: hosts(2) },
    ],
    ['are not those of twelve known pages', { exclude: known(12) }, { excludeDomains: hosts(12) }],
    ['may be those of more known pages', { exclude: known(13) }, {}],
    [
      'are neither excluded nor known',
      { exclude: known(1), filters: { excludeDomains: ['a.example'] } },
      { excludeDomains: ['a.example', ...hosts(1)] },
    ],
    [
      'may be known ones where they are wanted',
      { exclude: known(1), filters: { includeDomains: ['site0.example'] } },
      { includeDomains: ['site0.example'] },
    ],
    ['are any where none is named', { exclude: [] }, {}],
  ])('%s', async (_, rest, expected) => {
    const { run, search } = enginesWith()
    await run(rest)
    const { query: __, ...sites } = search?.mock.calls[0]?.[0] ?? { query: '' }
    expect(sites).toEqual(expected)
  })
})

test('the lines for excerpts are asked for where they are wanted', async () => {
  for (const [engine, asked, expected] of [
    ['lines', undefined, 'NUMBER SITE'],
    ['none', undefined, '"done"'],
    ['lines', 'none', '"done"'],
    ['none', 'lines', 'NUMBER SITE'],
    ['none', 'pages', 'NUMBER SITE'],
  ] as const) {
    const { run, search } = enginesWith([], { excerpts: engine })
    await run({ excerpts: asked as never })
    expect(search?.mock.calls[0]?.[0].query).toContain(expected)
  }
})
