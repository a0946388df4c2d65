import { describe, expect, test } from 'bun:test'
import { SearchError } from '../../../../src/domain/error.ts'
import type { SearchEvent } from '../../../../src/domain/search.ts'
import { answered, pages } from '../../../support/scripted-executor.ts'
import { asks, chunksOf, testApp } from '../../test-app.ts'

const path = '/res/v1/chat/completions'

const citation = {
  start_index: 0,
  end_index: 11,
  number: 2,
  url: 'https://site2.example/docs/page',
  favicon: 'https://site2.example/favicon.ico',
  snippet: 'Excerpt 2',
}

/** The contents of a stream's chunks, and the last reason. */
async function stream(more: object, script?: readonly SearchEvent[]) {
  const { request } = testApp(script)
  const response = await request(path, {
    method: 'POST',
    body: JSON.stringify(asks('bees', { model: 'brave', ...more })),
  })
  const text = await response.text()
  const chunks = chunksOf(text)
  const contents = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').filter(Boolean)
  return { text, chunks, contents }
}

describe('a request for a Brave answer', () => {
  test.each([
    [{}, { effort: 'standard' }],
    [{ model: 'brave-pro' }, { effort: 'standard' }],
    [{ web_search_options: { search_context_size: 'low' } }, { effort: 'fast' }],
    [{ enable_research: true }, { effort: 'deep', research: 'medium' }],
    [
      { enable_research: true, research_maximum_number_of_queries: 3 },
      { effort: 'deep', research: 'medium', maxSearches: 3 },
    ],
    [{ model: 'sonnet' }, { effort: 'standard', model: 'sonnet' }],
    [
      { model: 'sonnet', enable_research: true },
      { effort: 'deep', research: 'medium', model: 'sonnet' },
    ],
  ] as const)('with the fields %j becomes one search request', async (more, request) => {
    const { request: send, executor } = testApp()
    await (await send(path, { method: 'POST', body: JSON.stringify(asks('bees\nand wasps', more)) })).text()
    expect(executor.calls[0]?.request).toEqual({
      query: 'bees\nand wasps',
      history: [],
      want: 'answer',
      filters: {},
      ...request,
    })
  })

  test('passes its filters to the search', async () => {
    const { post, executor } = testApp()
    await post(path, asks('bees', { stream: false, country: 'de', language: 'DE', safesearch: 'strict' }))
    await post(path, asks('bees', { stream: false }), { 'x-loc-country': 'FR' })
    expect(executor.calls[0]?.request.filters).toEqual({ country: 'DE', language: 'de', safeSearch: 'strict' })
    expect(executor.calls[1]?.request.filters).toEqual({ country: 'FR' })
  })
})

test('a whole Brave answer has neither markers nor tags', async () => {
  const { status, body } = await testApp().post(path, asks('bees', { stream: false }))
  expect(status).toBe(200)
  expect(body).toEqual({
    id: 'chatcmpl-id-1',
    object: 'chat.completion',
    created: 1795168800,
    model: 'brave',
    choices: [{ index: 0, message: { role: 'assistant', content: 'It is 🙂 so.' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
  })
})

describe('a streamed Brave answer', () => {
  test('is the default', async () => {
    const { text, chunks, contents } = await stream({})
    expect(contents.join('')).toBe('It is 🙂 so.')
    expect(chunks[0]).toEqual({
      id: 'chatcmpl-id-1',
      object: 'chat.completion.chunk',
      created: 1795168800,
      model: 'brave',
      choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }],
    })
    expect(chunks.at(-1).choices[0]).toEqual({ index: 0, delta: {}, finish_reason: 'stop' })
    expect(text).toEndWith('data: [DONE]\n\n')
  })

  test('has each citation tag in a chunk of its own, in the place of its marker, and the usage last', async () => {
    const { contents } = await stream({ enable_citations: true })
    expect(contents.slice(0, -1)).toEqual(['It is 🙂 so', `<citation>${JSON.stringify(citation)}</citation>`, '.'])
    const usage = /^<usage>(.*)<\/usage>$/.exec(contents.at(-1))?.[1]
    expect(JSON.parse(usage ?? '')).toMatchObject({
      'X-Request-Requests': 1,
      'X-Request-Queries': 1,
      'X-Request-Tokens-In': 100,
      'X-Request-Tokens-Out': 20,
      'X-Request-Total-Cost': 0,
    })
  })

  test('has citations that span the text since the one before; two in a row span the same text', async () => {
    const cited = (number: number, start: number): SearchEvent => ({
      type: 'citation',
      citation: { number, url: `https://site${number}.example/docs/page`, title: 'x', start, end: start + 3 },
    })
    const { contents } = await stream({ enable_citations: true }, [
      ...answered.slice(0, 2),
      { type: 'text-delta', text: 'One [1][3]. Two [2].' },
      cited(1, 4),
      cited(3, 7),
      cited(2, 16),
      ...answered.slice(-1),
    ])
    const spans = contents
      .flatMap((content) => /^<citation>(.*)<\/citation>$/.exec(content)?.slice(1) ?? [])
      .map((json) => JSON.parse(json))
      .map(({ number, start_index, end_index, snippet }) => [number, start_index, end_index, snippet])
    expect(spans).toEqual([
      [1, 0, 3, 'Excerpt 1'],
      [3, 0, 3, ''],
      [2, 3, 8, 'Excerpt 2'],
    ])
  })

  test('with research comes in one piece, with its citations', async () => {
    const { contents } = await stream({ enable_research: true })
    expect(contents).toHaveLength(2)
    expect(contents[0]).toBe(`<answer>It is 🙂 so<citation>${JSON.stringify(citation)}</citation>.</answer>`)
    expect(contents[1]).toStartWith('<usage>')
  })

  test('can include usage in the shape of OpenAI', async () => {
    const { chunks } = await stream({ stream_options: { include_usage: true } })
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 120 } })
  })

  test('keeps the status of a failure before the first text', async () => {
    const { status, body } = await testApp([new SearchError('signed-out', 'Sign in first.')]).post(path, asks('bees'))
    expect(status).toBe(503)
    expect(body.error).toMatchObject({ code: 'SIGNED_OUT', detail: 'Sign in first.' })
  })

  test('ends with an error frame after a later failure', async () => {
    const { request } = testApp([
      { type: 'search-start', id: 's1', query: 'bees' },
      { type: 'search-results', id: 's1', results: pages(2) },
      { type: 'text-delta', text: 'It is' },
      new SearchError('unavailable', 'It broke.'),
    ])
    const text = await (await request(path, { method: 'POST', body: JSON.stringify(asks('bees')) })).text()
    expect(text).not.toContain('[DONE]')
    expect(chunksOf(text).at(-1)).toMatchObject({ type: 'ErrorResponse', error: { code: 'UNAVAILABLE' } })
  })
})

test('a Brave answer names the fields that have no effect in x-csp-ignored', async () => {
  const { headers } = await testApp().post(
    path,
    asks('bees', { stream: false, max_completion_tokens: 100, enable_entities: true, research_allow_thinking: false }),
  )
  expect(headers.get('x-csp-ignored')).toBe('max_completion_tokens, enable_entities')
})

describe('a request for a Brave answer is refused', () => {
  const question = { role: 'user', content: 'bees' }
  const cases: readonly [name: string, path: readonly (string | number)[], body: object][] = [
    ['no messages', ['messages'], {}],
    ['an empty list', ['messages'], { messages: [] }],
    ['two messages', ['messages'], { messages: [question, question] }],
    ['a system message', ['messages', 0, 'role'], { messages: [{ role: 'system', content: 'bees' }] }],
    ['a blank question', ['messages', 0, 'content'], { messages: [{ role: 'user', content: ' ' }] }],
    ['a model that writes no text', ['model'], asks('bees', { model: 'gemini-embedding-001' })],
    ['a country', ['country'], asks('bees', { country: 'XX' })],
    ['a safesearch', ['safesearch'], asks('bees', { safesearch: 'maybe' })],
    ['whole research', ['enable_research'], asks('bees', { enable_research: true, stream: false })],
    ['research with citations', ['enable_citations'], asks('bees', { enable_research: true, enable_citations: true })],
    ['whole citations', ['enable_citations'], asks('bees', { enable_citations: true, stream: false })],
    [
      'six rounds of research',
      ['research_maximum_number_of_iterations'],
      asks('bees', { research_maximum_number_of_iterations: 6 }),
    ],
  ]

  test.each(cases)('with 422, naming the field: %s', async (_name, place, body) => {
    const { post, executor } = testApp()
    const reply = await post(path, body)
    expect(reply.status).toBe(422)
    expect(reply.body.error.code).toBe('VALIDATION')
    expect(reply.body.error.meta.errors.map(({ loc }: { loc: unknown }) => loc)).toEqual([['body', ...place]])
    expect(executor.calls).toHaveLength(0)
  })
})
