import { expect, test } from 'bun:test'
import { found } from '../../../support/scripted-executor.ts'
import { testApp } from '../../test-app.ts'

test.each(['/api/experimental/web_search', '/api/web_search', '/v1/api/web_search'])(
  '%s answers an Ollama web search',
  async (path) => {
    const { post, executor } = testApp(found(9))
    const { status, body } = await post(path, { query: 'bees', max_results: 3 })
    expect(status).toBe(200)
    expect(body).toEqual({
      results: [
        { title: 'Page 1', url: 'https://site1.example/docs/page', content: 'Excerpt 1' },
        { title: 'Page 2', url: 'https://site2.example/docs/page', content: 'Excerpt 2' },
        { title: 'Page 3', url: 'https://site3.example/docs/page', content: '' },
      ],
    })
    expect(executor.calls[0]?.request).toEqual({
      query: 'bees',
      history: [],
      want: 'results',
      effort: 'fast',
      limit: 3,
      filters: {},
    })
  },
)

test('an Ollama search returns five rows by default and sets no limit on the search', async () => {
  const { post, executor } = testApp(found(9))
  const { body } = await post('/api/web_search', { query: 'bees' })
  expect(body.results).toHaveLength(5)
  expect(executor.calls[0]?.request.limit).toBeUndefined()
})

test.each([
  ['query', {}],
  ['query', { query: ' ' }],
  ['max_results', { query: 'bees', max_results: 0 }],
  ['max_results', { query: 'bees', max_results: 'ten' }],
])('an Ollama search names the wrong field %s: %j', async (field, body) => {
  const { post, executor } = testApp()
  const reply = await post('/api/web_search', body)
  expect(reply.status).toBe(400)
  expect(reply.body).toEqual({ error: expect.stringMatching(new RegExp(`^${field}: `)) })
  expect(executor.calls).toHaveLength(0)
})
