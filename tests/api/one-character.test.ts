import { expect, test } from 'bun:test'
import { testApp } from './test-app.ts'

// 猫 is a word, and 5 a question. The minimum of two characters is the CLI's, for an input that is always longer.

const messages = (content: string) => [{ role: 'user', content }]

test.each([
  ['/v1/chat/completions', (q: string) => ({ messages: messages(q) })],
  ['/chat/completions', (q: string) => ({ model: 'sonar', messages: messages(q) })],
  ['/v1/messages', (q: string) => ({ model: 'sonnet', max_tokens: 5, messages: messages(q) })],
  ['/v1/responses', (q: string) => ({ input: q })],
  ['/v1/agent', (q: string) => ({ preset: 'fast', input: q })],
  ['/res/v1/web/search', (q: string) => ({ q })],
  ['/res/v1/chat/completions', (q: string) => ({ messages: messages(q), stream: false })],
  ['/search', (q: string) => ({ query: q })],
  ['/v1/search', (q: string) => ({ q })],
  ['/tavily/search', (q: string) => ({ query: q })],
  ['/exa/search', (q: string) => ({ query: q })],
  ['/serper/search', (q: string) => ({ q })],
  ['/v1/web-search', (q: string) => ({ query: q })],
] as const)('%s accepts a query of one character and refuses an empty one', async (path, body) => {
  for (const query of ['猫', '5', '?']) {
    const { post, executor } = testApp()
    expect((await post(path, body(query))).status).toBe(200)
    expect(executor.requests.map((request) => request.query)).toEqual([query])
  }
  for (const query of ['', ' \n']) {
    const { post, executor } = testApp()
    expect([400, 422]).toContain((await post(path, body(query))).status)
    expect(executor.calls).toHaveLength(0)
  }
})

test('SearXNG accepts a query of one character', async () => {
  const { get, executor } = testApp()
  expect((await get('/search?q=%E7%8C%AB&format=json')).status).toBe(200)
  expect(executor.requests[0]?.query).toBe('猫')
})
