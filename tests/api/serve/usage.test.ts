import { describe, expect, test } from 'bun:test'
import type { SearchEvent } from '../../../src/domain/search.ts'
import { answered, found } from '../../support/scripted-executor.ts'
import { asks, chunksOf, testApp } from '../test-app.ts'

// The search tool of the CLI counts no tokens, but clients divide by them.

const usage = { searches: 1, inputTokens: 0, outputTokens: 0 }
const done: SearchEvent = { type: 'done', reason: 'stop', usage, model: 'claude-x' }
const uncounted = [...answered.slice(0, -1), done]
// 15 characters asked and 16 written, at 3.5 a token.
const ask = asks('What is honey??', { model: 'sonar' })

describe('the estimate of tokens that the backend did not count', () => {
  test.each(['/v1/chat/completions', '/chat/completions'])(
    'is in the reply of %s, whole and streamed',
    async (path) => {
      const expected = { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 }
      expect((await testApp(uncounted).post(path, ask)).body.usage).toMatchObject(expected)
      const body = JSON.stringify({ ...ask, stream: true, stream_options: { include_usage: true } })
      const chunks = chunksOf(await (await testApp(uncounted).request(path, { method: 'POST', body })).text())
      expect(chunks.at(-1).usage).toMatchObject(expected)
    },
  )

  test.each([
    ['/v1/responses', { input: 'What is honey??', model: 'sonar' }],
    ['/v1/agent', { input: 'What is honey??', preset: 'fast' }],
    ['/v1/messages', { ...ask, model: 'sonnet', max_tokens: 100 }],
  ])('is in the reply of %s as input_tokens and output_tokens', async (path, body) => {
    const reply = await testApp(uncounted).post(path, body)
    expect(reply.body.usage).toMatchObject({ input_tokens: 5, output_tokens: 5 })
  })

  test('is in message_start before the answer, equal to that of count_tokens', async () => {
    const body = { ...ask, model: 'sonnet', max_tokens: 100, system: 'Be brief.', stream: true }
    const { request, post } = testApp()
    const text = await (await request('/v1/messages', { method: 'POST', body: JSON.stringify(body) })).text()
    const start = JSON.parse(/event: message_start\ndata: (.*)/.exec(text)?.[1] ?? '')
    const counted = (await post('/v1/messages/count_tokens', body)).body.input_tokens
    expect(start.message.usage.input_tokens).toBe(counted)
    expect(counted).toBeGreaterThan(0)
  })
})

describe('the usage of a search', () => {
  test('is logged as the backend counted it', async () => {
    const { post, log } = testApp(uncounted)
    await post('/v1/chat/completions', ask)
    expect(log).toMatchObject([{ inputTokens: 0, outputTokens: 0 }])
  })

  test("keeps the backend's counts where it has any, and where another csp asks", async () => {
    expect((await testApp().post('/v1/chat/completions', ask)).body.usage.prompt_tokens).toBe(100)
    const { request } = testApp([...found(1).slice(0, -1), done])
    const sent = { query: 'bees', history: [], want: 'answer', effort: 'fast', filters: {} }
    const reply = await request('/v1/execute', { method: 'POST', body: JSON.stringify({ request: sent }) })
    expect(await reply.text()).toContain(JSON.stringify(usage))
  })
})
