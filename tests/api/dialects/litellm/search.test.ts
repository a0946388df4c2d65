import { expect, test } from 'bun:test'
import { found } from '../../../support/scripted-executor.ts'
import { testApp } from '../../test-app.ts'

test.each(['/v1/search/my-tool', '/search/perplexity-search'])(
  '%s returns an object that names its type and leaves an unknown date out',
  async (path) => {
    const { status, body } = await testApp(found(9)).post(path, { query: 'bees', max_results: 3 })
    expect(status).toBe(200)
    expect(body).toEqual({
      object: 'search',
      results: [
        { title: 'Page 1', url: 'https://site1.example/docs/page', snippet: 'Excerpt 1', date: '2026-05-01' },
        { title: 'Page 2', url: 'https://site2.example/docs/page', snippet: 'Excerpt 2' },
        { title: 'Page 3', url: 'https://site3.example/docs/page', snippet: '', date: '2026-05-01' },
      ],
    })
  },
)

test('a LiteLLM search takes Perplexity’s fields', async () => {
  const { post, executor } = testApp(found(12))
  const { body } = await post('/v1/search/my-tool', {
    query: ['bees'],
    search_domain_filter: ['-example.com'],
    country: 'de',
    search_mode: 'academic',
    search_tool_name: 'my-tool',
    max_tokens_per_page: 1024,
  })
  expect(executor.calls[0]?.request).toEqual({
    query: 'bees',
    history: [],
    want: 'results',
    effort: 'fast',
    filters: { excludeDomains: ['example.com'], country: 'DE', category: 'academic' },
  })
  expect(body.results).toHaveLength(10)
})

test.each([
  ['query', {}],
  ['query', { query: ' ' }],
  ['query', { query: ['bees', 'wasps'] }],
  ['max_results', { query: 'bees', max_results: 21 }],
  ['search_recency_filter', { query: 'bees', search_recency_filter: 'decade' }],
])('a LiteLLM search names the wrong field %s: %j', async (field, body) => {
  const { post, executor } = testApp()
  const reply = await post('/v1/search/my-tool', body)
  expect(reply.status).toBe(400)
  expect(reply.body.error).toMatchObject({ type: 'invalid_request_error', param: field })
  expect(executor.calls).toHaveLength(0)
})
