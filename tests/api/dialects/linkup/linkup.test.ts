import { describe, expect, test } from 'bun:test'
import { PageError } from '@csp/page-reader/page-error'
import { fakePageReader } from '../../../support/fake-page-reader.ts'
import { answered, found } from '../../../support/scripted-executor.ts'
import { testApp } from '../../test-app.ts'

const path = '/linkup/v1/search'
const rows = { q: 'bees', depth: 'standard', outputType: 'searchResults' }
const row = (number: number) => ({
  name: `Page ${number}`,
  url: `https://site${number}.example/docs/page`,
  favicon: `https://site${number}.example/favicon.ico`,
})

describe("Linkup's search", () => {
  test.each([path, '/linkup/search'])('gives rows at %s', async (at) => {
    const { post, log, executor } = testApp(found(2))
    const { status, body } = await post(at, { ...rows, maxResults: 2 })
    expect([status, body]).toEqual([
      200,
      {
        results: [
          { type: 'text', ...row(1), content: 'Excerpt 1' },
          { type: 'text', ...row(2), content: 'Excerpt 2' },
        ],
      },
    ])
    expect(executor.requests).toMatchObject([{ want: 'results', limit: 2 }])
    expect(log).toMatchObject([{ dialect: 'linkup', status: 200 }])
  })

  test.each([
    [false, 'It is 🙂 so.'],
    [true, 'It is 🙂 so [2].'],
  ])('writes an answer with its sources; with inline citations: %p', async (includeInlineCitations, text) => {
    const { post, executor } = testApp(answered)
    const sent = { q: 'Why?', depth: 'deep', outputType: 'sourcedAnswer', includeInlineCitations }
    const { body } = await post(path, sent)
    expect(body.answer).toBe(text)
    expect(body.sources).toHaveLength(3)
    expect(body.sources[0]).toEqual({ ...row(1), snippet: 'Excerpt 1' })
    expect(executor.requests).toMatchObject([{ want: 'answer', effort: 'deep' }])
  })

  test('gives JSON by a schema that comes as text, with its sources if asked for', async () => {
    const script = [{ type: 'text-delta', text: '{"legs": 6}' } as const, ...found(1)]
    const schema = { type: 'object', properties: { legs: { type: 'integer' } } }
    const sent = { q: 'Legs?', depth: 'fast', outputType: 'structured', structuredOutputSchema: JSON.stringify(schema) }
    const { post, executor } = testApp(script)
    expect((await post(path, sent)).body).toEqual({ legs: 6 })
    expect(executor.requests).toMatchObject([{ want: 'answer', effort: 'fast', schema }])
    expect((await testApp(script).post(path, { ...sent, includeSources: true })).body).toEqual({
      data: { legs: 6 },
      sources: [{ type: 'text', ...row(1), content: 'Excerpt 1' }],
    })
  })

  test('narrows the search by sites and dates', async () => {
    const { post, executor } = testApp()
    const domains = { includeDomains: ['a.example'], excludeDomains: ['b.example'] }
    await post(path, { ...rows, ...domains, fromDate: '2026-03-01T00:00:00.000Z', toDate: '2026-03-31' })
    expect(executor.requests[0]?.filters).toEqual({
      ...domains,
      publishedAfter: '2026-03-01',
      publishedBefore: '2026-03-31',
    })
  })

  test('answers a request as LiteLLM sends it', async () => {
    const { post } = testApp(found(3), { keys: ['secret'] })
    const sent = { ...rows, maxResults: 2, includeDomains: ['site1.example'] }
    const { body, headers } = await post(path, sent, { authorization: 'Bearer secret' })
    expect(body.results).toHaveLength(2)
    expect(headers.get('x-csp-ignored')).toBeNull()
  })

  test.each([
    [{ ...rows, depth: 'deep', includeImages: true }, 'depth, includeImages'],
    [{ ...rows, outputType: 'sourcedAnswer', maxResults: 3, includeSources: true }, 'maxResults, includeSources'],
  ])('names what has no effect in %j', async (sent, ignored) => {
    const { headers } = await testApp().post(path, sent)
    expect(headers.get('x-csp-ignored')).toBe(ignored)
  })

  test.each([
    [{ ...rows, q: undefined }, 'q'],
    [{ ...rows, outputType: undefined }, 'outputType'],
    [{ ...rows, outputType: 'poem' }, 'outputType'],
    [{ ...rows, maxResults: 0 }, 'maxResults'],
    [{ ...rows, includeDomains: ['no site'] }, 'includeDomains[0]'],
    [{ ...rows, fromDate: '2026-02-30' }, 'fromDate'],
    [{ ...rows, fromDate: '2026-03-02', toDate: '2026-03-01' }, 'toDate'],
    [{ ...rows, outputType: 'structured' }, 'structuredOutputSchema'],
    [{ ...rows, outputType: 'structured', structuredOutputSchema: '{' }, 'structuredOutputSchema'],
    [{ ...rows, outputType: 'structured', structuredOutputSchema: '{"type":"poem"}' }, 'structuredOutputSchema'],
  ])('refuses %j with an error that names %p, and makes no search', async (sent, field) => {
    const { post, executor } = testApp()
    const { status, body } = await post(path, sent)
    expect([status, body]).toEqual([
      400,
      {
        statusCode: 400,
        error: {
          code: 'VALIDATION_ERROR',
          message: expect.stringContaining(`${field}`),
          details: [{ field: expect.stringContaining(field), message: expect.any(String) }],
        },
      },
    ])
    expect(executor.calls).toHaveLength(0)
  })

  test('refuses a wrong key in its own shape', async () => {
    const { status, body } = await testApp(undefined, { keys: ['secret'] }).post(path, rows, { 'x-api-key': 'wrong' })
    const error = { code: 'UNAUTHORIZED', message: 'The key is wrong.', details: [] }
    expect([status, body]).toEqual([401, { statusCode: 401, error }])
  })
})

describe("Linkup's fetch", () => {
  const url = 'https://bees.example/'

  test('reads one page as Markdown', async () => {
    const { post } = testApp(undefined, { pages: fakePageReader({ [url]: { content: '# Bees' } }) })
    const { body, headers } = await post('/linkup/v1/fetch', { url, renderJs: true, includeRawHtml: false })
    expect([body, headers.get('x-csp-ignored')]).toEqual([{ markdown: '# Bees' }, 'renderJs'])
  })

  test('says why a page cannot be read, by the code that its client knows', async () => {
    for (const [code, theirs] of [
      ['not-found', 'FETCH_ERROR'],
      ['too-large', 'FETCH_RESPONSE_TOO_LARGE'],
      ['unsupported-type', 'FETCH_URL_IS_FILE'],
    ] as const) {
      const { post } = testApp(undefined, { pages: fakePageReader({ [url]: new PageError(code, 'It cannot.') }) })
      const { status, body } = await post('/linkup/v1/fetch', { url })
      const details = [{ field: 'url', message: code.replaceAll('-', '_') }]
      expect([status, body]).toEqual([
        400,
        { statusCode: 400, error: { code: theirs, message: 'It cannot.', details } },
      ])
    }
  })
})
