import { expect, test } from 'bun:test'
import { anyText } from '@csp/testing/any-text'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import { fakePageReader } from '../../support/fake-page-reader.ts'
import { asks, testApp } from '../test-app.ts'

const posts = ['/search', '/v1/search', '/chat/completions', '/v1/chat/completions', '/res/v1/web/search'] as const
const gets = ['/v1/search', '/res/v1/web/search'] as const
const fields = [
  ...[
    'q',
    'query',
    'count',
    'limit',
    'n',
    'max_results',
    'offset',
    'freshness',
    'country',
    'language',
    'model',
    'stream',
  ],
  ...['messages', 'search_domain_filter', 'search_after_date', 'search_recency_filter', 'include_domains', 'tools'],
  ...['response_format', 'web_search_options', 'stream_options', 'result_filter', 'spellcheck', 'goggles', '__proto__'],
]

const value = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom('bees', '5', 5, 1e300, -0, '', null, '2026-02-30', 'sonar', '\ud800'),
  fc.array(fc.record({ role: fc.constantFrom('user', 'assistant', 'x'), content: fc.jsonValue() })),
)
const object = fc.dictionary(fc.constantFrom(...fields), value)
/** Bodies that are nearly right reach further than those that are not. */
const body = fc.oneof(
  fc.jsonValue(),
  object,
  object.map((more) => ({ query: 'bees', q: 'bees', ...more })),
  object.map((more) => asks('bees', more)),
)

async function checkReply(response: Response): Promise<void> {
  expect(response.status).toBeLessThan(500)
  const text = await response.text()
  if (response.status === 200 && response.headers.get('content-type')?.startsWith('text/event-stream')) {
    expect(text).toEndWith('data: [DONE]\n\n')
    return
  }
  const reply = JSON.parse(text)
  // The envelopes of Jina, at paths such as `/r`, and of Serper, whose `q` is told apart at `/search`, are flat.
  if (response.status !== 200) expect(reply.readableMessage || reply.statusCode ? reply : reply.error).toBeObject()
}

test('any JSON sent to any route is answered or refused in JSON', async () => {
  const { request } = testApp()
  const property = fc.asyncProperty(fc.constantFrom(...posts), body, async (path, sent) => {
    await checkReply(await request(path, { method: 'POST', body: JSON.stringify(sent) }))
  })
  await fc.assert(property, { numRuns: runs(1000) })
})

test('any bytes sent to any route are answered or refused in JSON', async () => {
  const { request } = testApp()
  const property = fc.asyncProperty(fc.constantFrom(...posts), fc.uint8Array(), async (path, bytes) => {
    await checkReply(await request(path, { method: 'POST', body: new Uint8Array(bytes) }))
  })
  await fc.assert(property, { numRuns: runs(300) })
})

test('any query string is answered or refused in JSON', async () => {
  const { request } = testApp()
  const pair = fc.tuple(fc.constantFrom(...fields), fc.oneof(anyText(), fc.constantFrom('bees', '5')))
  const property = fc.asyncProperty(fc.constantFrom(...gets), fc.array(pair), async (path, pairs) => {
    await checkReply(await request(`${path}?${new URLSearchParams([['q', 'bees'], ...pairs])}`))
  })
  await fc.assert(property, { numRuns: runs(500) })
})

test('any path is answered or refused in JSON', async () => {
  const { request } = testApp(undefined, { pages: fakePageReader({}) })
  const property = fc.asyncProperty(
    fc.webPath(),
    fc.constantFrom('GET', 'POST', 'PUT', 'DELETE'),
    async (path, method) => {
      await checkReply(await request(path || '/', { method }))
    },
  )
  await fc.assert(property, { numRuns: runs(500) })
})
