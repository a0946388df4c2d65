import { expect, test } from 'bun:test'
import { found } from '../../../support/scripted-executor.ts'
import { testApp } from '../../test-app.ts'

test('an Open WebUI search returns a bare list of results', async () => {
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

test('an Open WebUI search returns ten rows by default and sets no limit on the search', async () => {
  const { post, executor } = testApp(found(12))
  expect((await post('/open-webui/search', { query: 'bees' })).body).toHaveLength(10)
  expect(executor.calls[0]?.request.limit).toBeUndefined()
})

test('an Open WebUI search that finds nothing returns an empty list', async () => {
  expect((await testApp(found(0)).post('/open-webui/search', { query: 'bees' })).body).toEqual([])
})

test.each([
  ['query', {}],
  ['count', { query: 'bees', count: 0 }],
  ['count', { query: 'bees', count: 2.5 }],
])('an Open WebUI search names the wrong field %s: %j', async (field, body) => {
  const { post, executor } = testApp()
  const reply = await post('/open-webui/search', body)
  expect(reply.status).toBe(400)
  expect(reply.body).toEqual({ error: expect.stringMatching(new RegExp(`^${field}: `)) })
  expect(executor.calls).toHaveLength(0)
})
