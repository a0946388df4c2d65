import { describe, expect, test } from 'bun:test'
import { PageError } from '@csp/page-reader/page-error'
import { fakePageReader } from '../../../support/fake-page-reader.ts'
import { found } from '../../../support/scripted-executor.ts'
import { testApp } from '../../test-app.ts'

const path = '/parallel/v1/search'
const one = { search_queries: ['bees'] }

describe("Parallel's search", () => {
  test.each([path, '/parallel/v1beta/search'])('answers at %s in its shape', async (at) => {
    const { post, log, executor } = testApp(found(2), { keys: ['secret'] })
    const { status, body } = await post(at, one, { 'x-api-key': 'secret' })
    expect([status, body]).toEqual([
      200,
      {
        search_id: 'search_id-1',
        session_id: 'session_id-1',
        results: [
          {
            url: 'https://site1.example/docs/page',
            title: 'Page 1',
            publish_date: '2026-05-01',
            excerpts: ['Excerpt 1'],
          },
          { url: 'https://site2.example/docs/page', title: 'Page 2', excerpts: ['Excerpt 2'] },
        ],
      },
    ])
    expect(executor.requests).toMatchObject([{ query: 'bees', want: 'results' }])
    expect(log).toMatchObject([{ dialect: 'parallel', status: 200 }])
  })

  test('answers a request as LiteLLM sends it', async () => {
    const { post, executor } = testApp(found(9))
    const settings = { max_results: 3, location: 'de', source_policy: { include_domains: ['site1.example'] } }
    const sent = { search_queries: ['bees'], objective: 'bees', mode: 'basic', advanced_settings: settings }
    const { body, headers } = await post(path, sent)
    expect(body.results).toHaveLength(3)
    expect(headers.get('x-csp-ignored')).toBe('mode')
    expect(executor.requests).toMatchObject([
      { limit: 3, filters: { country: 'DE', includeDomains: ['site1.example'] } },
    ])
  })

  test('reads the fields of the beta, and echoes the session', async () => {
    const { post, executor } = testApp(found(9))
    const policy = { exclude_domains: ['.gov'], after_date: '2026-03-01' }
    const sent = { objective: 'What do bees hum?', processor: 'base', max_results: 2, source_policy: policy }
    const excerpts = { max_chars_per_result: 6 }
    const { body, headers } = await post('/parallel/v1beta/search', { ...sent, excerpts, session_id: 's-1' })
    expect(body.session_id).toBe('s-1')
    expect(body.results.map(({ excerpts: kept }: { excerpts: string[] }) => kept)).toEqual([['Excerp'], ['Excerp']])
    expect(headers.get('x-csp-ignored')).toBe('processor')
    expect(executor.requests).toMatchObject([
      { query: 'What do bees hum?', limit: 2, filters: { excludeDomains: ['gov'], publishedAfter: '2026-03-01' } },
    ])
  })

  test('searches for each query, and names an objective that has no effect', async () => {
    const { post, executor } = testApp(found(2))
    const sent = { search_queries: ['bees', 'wasps', 'bees'], objective: 'Insects', max_chars_total: 12 }
    const { body, headers } = await post(path, sent)
    expect(executor.requests.map(({ query }) => query)).toEqual(['bees', 'wasps'])
    expect(headers.get('x-csp-ignored')).toBe('objective')
    // Both found the same pages; of the second one's excerpt three characters are left.
    expect(body.results.map(({ excerpts }: { excerpts: string[] }) => excerpts)).toEqual([['Excerpt 1'], ['Exc']])
  })

  test.each([
    [{}, 'search_queries'],
    [{ search_queries: [] }, 'search_queries'],
    [{ search_queries: ['a', ' '] }, 'search_queries[1]'],
    [{ search_queries: ['a', 'b', 'c', 'd', 'e', 'f'] }, 'search_queries'],
    [{ ...one, max_results: 41 }, 'max_results'],
    [{ ...one, advanced_settings: { location: 'Germany' } }, 'advanced_settings.location'],
    [{ ...one, source_policy: { after_date: 'May' } }, 'source_policy.after_date'],
  ])('refuses %j with an error that names %s, and makes no search', async (sent, field) => {
    const { post, executor } = testApp()
    const { status, body } = await post(path, sent)
    const message = expect.stringContaining(`${field}: `)
    expect([status, body]).toEqual([
      422,
      { type: 'error', error: { ref_id: 'id-1', message, detail: { fields: [field] } } },
    ])
    expect(executor.calls).toHaveLength(0)
  })

  test('refuses a wrong key in its own shape', async () => {
    const { status, body } = await testApp(undefined, { keys: ['secret'] }).post(path, one, { 'x-api-key': 'wrong' })
    expect([status, body]).toEqual([401, { type: 'error', error: { ref_id: 'id-1', message: 'The key is wrong.' } }])
  })
})

describe("Parallel's extract", () => {
  const url = 'https://bees.example/'
  const content = 'Bees hum by their wings, which beat 230 times a second.\n\nWasps build nests of paper in the roof.'
  const pages = () =>
    fakePageReader({
      [url]: { content, title: 'Bees', publishedAt: '2026-10-07' },
      'https://gone.example/': new PageError('not-found', 'The page does not exist.', { status: 404 }),
    })

  test('gives the passages that bear on the objective, and why a page failed', async () => {
    const sent = { urls: [url, 'https://gone.example/'], objective: 'Why do bees hum?' }
    const { body, headers } = await testApp(undefined, { pages: pages() }).post('/parallel/v1beta/extract', {
      ...sent,
      fetch_policy: { max_age_seconds: 600, timeout_seconds: 9 },
    })
    expect(body).toEqual({
      extract_id: 'extract_id-1',
      session_id: 'session_id-1',
      results: [{ url, title: 'Bees', publish_date: '2026-10-07', excerpts: [expect.stringContaining('230 times')] }],
      errors: [
        {
          url: 'https://gone.example/',
          error_type: 'not_found',
          http_status_code: 404,
          content: 'The page does not exist.',
        },
      ],
    })
    expect(headers.get('x-csp-ignored')).toBe('fetch_policy.max_age_seconds')
  })

  test.each([
    [{ full_content: true }, content, [content]],
    [{ advanced_settings: { full_content: { max_chars_per_result: 8 } }, excerpts: false }, 'Bees hum', []],
    [{ excerpts: { max_chars_per_result: 4 } }, undefined, ['Bees']],
    [{ max_chars_total: 4 }, undefined, ['Bees']],
  ])('with %j has as much of the page as was asked for', async (fields, whole, excerpts) => {
    const { body } = await testApp(undefined, { pages: pages() }).post('/parallel/v1/extract', {
      urls: [url],
      ...fields,
    })
    expect([body.results[0].full_content, body.results[0].excerpts]).toEqual([whole, excerpts])
  })
})
