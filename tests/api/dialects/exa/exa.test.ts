import { describe, expect, test } from 'bun:test'
import { found, pages, scriptedExecutor } from '../../../support/scripted-executor.ts'
import { chunksOf, framesOf, testApp } from '../../test-app.ts'

const ask = { query: 'bees' }

describe('an Exa search', () => {
  test('passes every field on to the search', async () => {
    const { post, executor } = testApp()
    const { status } = await post('/exa/search', {
      ...ask,
      type: 'keyword',
      numResults: 7,
      category: 'research paper',
      includeDomains: ['Example.com'],
      excludeDomains: ['https://docs.example.org/path'],
      startPublishedDate: '2026-03-01',
      endPublishedDate: '2026-03-31T23:59:59.999Z',
      userLocation: 'de',
      useAutoprompt: true,
      livecrawl: 'always',
    })
    expect(status).toBe(200)
    expect(executor.calls[0]?.request).toEqual({
      query: 'bees',
      history: [],
      want: 'results',
      effort: 'fast',
      limit: 7,
      filters: {
        includeDomains: ['example.com'],
        excludeDomains: ['docs.example.org'],
        publishedAfter: '2026-03-01',
        publishedBefore: '2026-03-31',
        country: 'DE',
        category: 'academic',
      },
    })
  })

  test.each([
    ['news', 'news'],
    ['research paper', 'academic'],
    ['financial report', 'finance'],
    ['github', 'code'],
    ['people', 'people'],
    ['linkedin profile', 'people'],
  ])('in the category %s searches in the category %s', async (category, expected) => {
    const { post, executor } = testApp()
    await post('/exa/search', { ...ask, category })
    expect(executor.calls[0]?.request.filters).toEqual({ category: expected } as never)
  })

  test('has the vendor’s shape, and no excerpts unless contents are requested', async () => {
    const { body } = await testApp(found(12)).post('/exa/search', { ...ask, includeDomains: [], category: 'company' })
    expect(body).toMatchObject({ requestId: 'id-1', resolvedSearchType: 'neural', costDollars: { total: 0 } })
    expect(body.results).toHaveLength(10)
    expect(body.results.slice(0, 2)).toEqual([
      {
        id: 'https://site1.example/docs/page',
        title: 'Page 1',
        url: 'https://site1.example/docs/page',
        publishedDate: '2026-05-01T00:00:00.000Z',
        author: null,
      },
      { id: 'https://site2.example/docs/page', title: 'Page 2', url: 'https://site2.example/docs/page', author: null },
    ])
  })

  test.each([
    [{ includeText: ['hum'], startCrawlDate: '2026-01-01' }, 'includeText, startCrawlDate'],
    [{ category: 'company' }, 'category'],
    [{ category: 'news', type: 'auto' }, null],
    [{ category: 'news', livecrawl: 'always' }, 'livecrawl'],
  ])('with the fields %j has x-csp-ignored set to %p', async (fields, ignored) => {
    const { headers } = await testApp().post('/exa/search', { ...ask, ...fields })
    expect(headers.get('x-csp-ignored')).toBe(ignored)
  })

  test('sets no limit and no filters but those of the request', async () => {
    const { post, executor } = testApp()
    await post('/exa/search', { ...ask, includeDomains: [], category: 'company', contents: null })
    expect(executor.calls[0]?.request).toEqual({ ...ask, history: [], want: 'results', effort: 'fast', filters: {} })
  })

  test.each([
    [{ text: true }, { text: 'Excerpt 1' }, { text: '' }],
    [{ text: { maxCharacters: 4 } }, { text: 'Exce' }, { text: '' }],
    [
      { highlights: true },
      { highlights: ['Excerpt 1'], highlightScores: [1] },
      { highlights: [], highlightScores: [] },
    ],
    [{ highlights: { numSentences: 2 } }, { highlights: ['Excerpt 1'] }, { highlights: [] }],
    [{ summary: { query: 'what' } }, { summary: 'Excerpt 1' }, { summary: '' }],
  ])('with the contents %j returns them for each result', async (contents, first, third) => {
    const { body } = await testApp().post('/exa/search', { ...ask, contents })
    expect(body.results[0]).toMatchObject(first)
    expect(body.results[2]).toMatchObject(third)
    const kinds = ['text', 'highlights', 'summary'].filter((kind) => kind in body.results[0])
    expect(kinds).toEqual(Object.keys(contents))
  })

  test('cuts text between characters', async () => {
    const [row] = pages(1)
    if (!row) throw new Error('There is no page.')
    const results = [{ ...row, snippet: '🐝🐝🐝' }]
    const app = testApp([{ type: 'search-results', id: 's1', results }, ...found(0).slice(-1)])
    const { body } = await app.post('/exa/search', { ...ask, contents: { text: { maxCharacters: 2 } } })
    expect(body.results[0].text).toBe('🐝🐝')
  })

  test('returns no contents when the caller refuses them', async () => {
    const { status, body } = await testApp().post('/exa/search', { ...ask, contents: false })
    expect(status).toBe(200)
    expect(body.results[0]).not.toHaveProperty('text')
  })
})

describe('an Exa answer', () => {
  test('has markers that point into its citations', async () => {
    const { post, executor } = testApp()
    const { body } = await post('/exa/answer', {
      ...ask,
      text: true,
      model: 'exa',
      systemPrompt: 'Be brief.',
      userLocation: 'US',
    })
    expect(body).toMatchObject({ requestId: 'id-1', answer: 'It is 🙂 so [2].', costDollars: { total: 0 } })
    expect(body.citations).toHaveLength(3)
    expect(body.citations[1]).toEqual({
      id: 'https://site2.example/docs/page',
      title: 'Page 2',
      url: 'https://site2.example/docs/page',
      author: null,
      text: 'Excerpt 2',
    })
    expect(executor.calls[0]?.request).toEqual({
      query: 'bees',
      history: [],
      want: 'answer',
      effort: 'standard',
      instructions: 'Be brief.',
      filters: { country: 'US' },
    })
  })

  test('has the text of its citations only when that is requested', async () => {
    const { body } = await testApp().post('/exa/answer', { ...ask, text: false })
    expect(body.citations[0]).not.toHaveProperty('text')
  })

  test('in the shape of a schema is passed on as an object', async () => {
    const outputSchema = { type: 'object', properties: { legs: { type: 'integer' } } }
    const executor = scriptedExecutor([{ type: 'text-delta', text: '{"legs": 6}' }, ...found(2)])
    const { body } = await testApp(executor).post('/exa/answer', { ...ask, outputSchema })
    expect(body.answer).toEqual({ legs: 6 })
    expect(executor.calls[0]?.request.schema).toEqual(outputSchema)
  })

  test('as a stream sends the text and then the citations', async () => {
    const { request } = testApp()
    const body = JSON.stringify({ ...ask, stream: true })
    const response = await request('/exa/answer', { method: 'POST', body })
    expect(response.headers.get('content-type')).toStartWith('text/event-stream')
    const text = await response.text()
    const chunks = chunksOf(text)
    expect(chunks.map(({ choices }) => choices[0].delta.content)).toEqual(['It is 🙂 so ', '[2].', ''])
    expect(chunks.map(({ choices }) => choices[0].finish_reason)).toEqual([null, null, 'stop'])
    expect(chunks.map(({ citations }) => citations?.length)).toEqual([undefined, undefined, 3])
    expect(framesOf(text).at(-1)).toBe('[DONE]')
  })
})

describe('an Exa request is refused', () => {
  const cases: readonly [name: string, path: string, field: string, body: object][] = [
    ['no query', 'search', 'query', {}],
    ['white space', 'search', 'query', { query: ' ' }],
    ['no results', 'search', 'numResults', { ...ask, numResults: 0 }],
    ['101 results', 'search', 'numResults', { ...ask, numResults: 101 }],
    ['no domain', 'search', 'includeDomains[0]', { ...ask, includeDomains: ['not a domain'] }],
    ['no such date', 'search', 'startPublishedDate', { ...ask, startPublishedDate: '2026-02-30T00:00:00Z' }],
    [
      'dates from their end',
      'search',
      'endPublishedDate',
      { ...ask, startPublishedDate: '2026-03-02', endPublishedDate: '2026-03-01' },
    ],
    ['contents as text', 'search', 'contents', { ...ask, contents: 'text' }],
    [
      'text of no characters',
      'search',
      'contents.text.maxCharacters',
      { ...ask, contents: { text: { maxCharacters: 0 } } },
    ],
    ['a shape for a list', 'search', 'outputSchema', { ...ask, outputSchema: {} }],
    ['a list that streams', 'search', 'stream', { ...ask, stream: true }],
    ['no question', 'answer', 'query', {}],
    ['a country in full', 'answer', 'userLocation', { ...ask, userLocation: 'Germany' }],
    ['no schema', 'answer', 'outputSchema', { ...ask, outputSchema: 'object' }],
  ]

  test.each(cases)('with 400, naming the field: %s', async (_name, path, field, body) => {
    const { post, executor } = testApp()
    const reply = await post(`/exa/${path}`, body)
    expect(reply.status).toBe(400)
    expect(reply.body).toMatchObject({ requestId: 'id-1', tag: 'INVALID_REQUEST_BODY' })
    expect(reply.body.error).toStartWith(`${field}: `)
    expect(executor.calls).toHaveLength(0)
  })
})

describe('Exa findSimilar', () => {
  const url = 'https://bees.example/hive'

  test('asks memory for what is like a page', async () => {
    const { post, executor } = testApp()
    const body = { url, numResults: 3, excludeSourceDomain: true, includeDomains: ['garden.example'] }
    const { status, body: reply } = await post('/exa/findSimilar', body)
    expect(status).toBe(200)
    expect(executor.calls[0]?.request).toMatchObject({
      ...{ want: 'results', limit: 3, memory: { similarTo: url } },
      filters: { includeDomains: ['garden.example'], excludeDomains: ['bees.example'] },
    })
    expect(reply.results.length).toBeGreaterThan(0)
    await post('/exa/findSimilar', { url: ` ${url}\n` })
    expect(executor.calls[1]?.request.memory).toEqual({ similarTo: url })
  })

  test.each([{}, { url: 'bees' }, { url: 'javascript:alert(1)' }, { url: 7 }])('refuses %j', async (body) => {
    const { post, executor } = testApp()
    const { status, body: reply } = await post('/exa/findSimilar', body)
    expect(status).toBe(400)
    expect(reply.error).toContain('url')
    expect(executor.calls).toEqual([])
  })
})
