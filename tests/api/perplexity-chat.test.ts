import { describe, expect, test } from 'bun:test'
import type { SearchEvent } from '../../src/domain/search.ts'
import { pages } from '../support/scripted-executor.ts'
import { asks, chunksOf, framesOf, testApp } from './test-app.ts'

const path = '/chat/completions'
const noCost = { input_tokens_cost: 0, output_tokens_cost: 0, request_cost: 0, total_cost: 0 }

describe('a whole reply', () => {
  test('has the vendor’s fields', async () => {
    const { status, body } = await testApp().post(path, asks('bees', { model: 'perplexity/sonar-pro' }))
    expect(status).toBe(200)
    expect(body).toMatchObject({
      id: 'id-1',
      model: 'perplexity/sonar-pro',
      created: 1795168800,
      object: 'chat.completion',
      usage: {
        prompt_tokens: 100,
        completion_tokens: 20,
        total_tokens: 120,
        search_context_size: 'low',
        num_search_queries: 1,
        cost: noCost,
      },
      choices: [
        {
          index: 0,
          finish_reason: 'stop',
          message: { role: 'assistant', content: 'It is 🙂 so [2].' },
          delta: { role: 'assistant', content: '' },
        },
      ],
    })
  })

  test('citations and search results are the same pages in the same order, each once', async () => {
    const done: SearchEvent = {
      type: 'done',
      reason: 'stop',
      usage: { searches: 2, inputTokens: 0, outputTokens: 0 },
      model: 'x',
    }
    const { body } = await testApp([
      { type: 'search-start', id: 'a', query: 'one' },
      { type: 'search-results', id: 'a', results: pages(2) },
      { type: 'search-start', id: 'b', query: 'two' },
      { type: 'search-results', id: 'b', results: pages(3) },
      done,
    ]).post(path, asks('bees'))
    expect(body.citations).toEqual([1, 2, 3].map((n) => `https://site${n}.example/docs/page`))
    expect(body.search_results.map(({ url }: { url: string }) => url)).toEqual(body.citations)
    expect(body.usage.num_search_queries).toBe(2)
  })

  test('the context size that was asked for is told back; the model of a request without one is sonar-pro', async () => {
    const { body } = await testApp().post(path, asks('bees', { web_search_options: { search_context_size: 'high' } }))
    expect(body.usage.search_context_size).toBe('high')
    expect(body.model).toBe('sonar-pro')
  })

  test('a refusal ends with stop, for want of a better word', async () => {
    const usage = { searches: 0, inputTokens: 0, outputTokens: 0 }
    const { body } = await testApp([{ type: 'done', reason: 'refusal', usage, model: 'x' }]).post(path, asks('bees'))
    expect(body.choices[0].finish_reason).toBe('stop')
    expect(body.citations).toEqual([])
  })
})

test('a stream has its sources and the role on every chunk, from the first', async () => {
  const response = await testApp().request(path, {
    method: 'POST',
    body: JSON.stringify(asks('bees', { model: 'sonar', stream: true })),
  })
  const text = await response.text()
  expect(framesOf(text).at(-1)).toBe('[DONE]')
  const chunks = chunksOf(text)
  expect(chunks.map(({ choices }) => [choices[0].delta.content, choices[0].finish_reason])).toEqual([
    ['It is 🙂 so ', null],
    ['[2].', null],
    ['', 'stop'],
  ])
  for (const { choices, citations, search_results, object, model, usage } of chunks) {
    expect(choices[0].delta.role).toBe('assistant')
    expect(citations).toHaveLength(3)
    expect(search_results).toHaveLength(3)
    expect([object, model]).toEqual(['chat.completion.chunk', 'sonar'])
    expect(usage.cost).toEqual(noCost)
  }
  expect(chunks[0].usage).toMatchObject({ total_tokens: 0, num_search_queries: 1 })
  expect(chunks.at(-1).usage).toMatchObject({ prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 })
})

describe('what is refused', () => {
  test.each([
    ['no messages', {}, 'messages', 'invalid_request'],
    ['a model', asks('bees', { model: 'gpt-9' }), 'gpt-9', 'invalid_model'],
    ['an empty model', asks('bees', { model: '' }), "''", 'invalid_model'],
    [
      'domains of both kinds',
      asks('bees', { search_domain_filter: ['a.com', '-b.com'] }),
      'search_domain_filter',
      'invalid_request',
    ],
    [
      'no such date',
      asks('bees', { search_before_date_filter: '13/01/2026' }),
      'search_before_date_filter',
      'invalid_request',
    ],
    [
      'a schema without a name',
      asks('bees', { response_format: { type: 'json_schema', json_schema: { schema: {} } } }),
      'response_format',
      'invalid_request',
    ],
    [
      'a file',
      { messages: [{ role: 'user', content: [{ type: 'file_url' }] }] },
      'messages[0].content[0].type',
      'invalid_request',
    ],
  ])('%s', async (_name, body, named, type) => {
    const { post, executor } = testApp()
    const reply = await post(path, body)
    expect(reply.status).toBe(400)
    expect(reply.body.error).toEqual({ message: expect.stringContaining(named), type, code: 400 })
    expect(executor.calls).toHaveLength(0)
  })
})
