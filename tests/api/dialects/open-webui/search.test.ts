import { expect, test } from 'bun:test'
import { found } from '../../../support/scripted-executor.ts'
import { testApp } from '../../test-app.ts'

test('a bare list', async () => {
  const { post, executor } = testApp(found(9))
  const { status, body } = await post('/open-webui/search', { query: 'bees', count: 3 })
  expect(status).toBe(200)
  expect(body).toEqual([
    { link: 'https://site1.example/docs/page', title: 'Page 1', snippet: 'Excerpt 1' },
    { link: 'https://site2.example/docs/page', title: 'Page 2', snippet: 'Excerpt 2' },
    { link: 'https://site3.example/docs/page', title: 'Page 3', snippet: '' },
  ])
  expect(executor.calls[0]?.request).toEqual({
    query: 'bees',
    history: [],
    want: 'results',
    effort: 'fast',
    limit: 3,
    filters: {},
  })
})

test('ten, and no limit on the search, unless told', async () => {
  const { post, executor } = testApp(found(12))
  expect((await post('/open-webui/search', { query: 'bees' })).body).toHaveLength(10)
  expect(executor.calls[0]?.request.limit).toBeUndefined()
})

test('nothing found is an empty list', async () => {
  expect((await testApp(found(0)).post('/open-webui/search', { query: 'bees' })).body).toEqual([])
})

test.each([
  ['query', {}],
  ['count', { query: 'bees', count: 0 }],
  ['count', { query: 'bees', count: 2.5 }],
])('%s is refused: %j', async (field, body) => {
  const { post, executor } = testApp()
  const reply = await post('/open-webui/search', body)
  expect(reply.status).toBe(400)
  expect(reply.body).toEqual({ error: expect.stringMatching(new RegExp(`^${field}: `)) })
  expect(executor.calls).toHaveLength(0)
})
