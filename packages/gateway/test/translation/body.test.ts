import { describe, expect, test } from 'bun:test'
import { foldMessage } from '@csp/messages-api/fold'
import { chatUpstream } from '../../src/chat-completions/chat-completions.ts'
import { toCounts as chatCounts } from '../../src/chat-completions/reply/usage.ts'
import { toCounts as responseCounts } from '../../src/responses/reply/usage.ts'
import { responsesBody } from '../../src/responses/request/body.ts'
import { responsesUpstream } from '../../src/responses/responses.ts'
import { toMessageUsage } from '../../src/translation/reply/token-counts.ts'
import { ToolNames } from '../../src/translation/tool-names.ts'
import { sentBody } from '../support/sent-body.ts'

const tools = [{ name: 'f', input_schema: { type: 'object' } }]
const pdf = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AA' } }

describe('a body for chat completions', () => {
  test.each(['openai', 'openrouter', 'ollama', 'other'] as const)('has files where %s takes them', async (kind) => {
    const messages = [{ role: 'user' as const, content: [pdf] }]
    const body = await sentBody.chat({ max_tokens: 9, messages }, kind)
    expect(JSON.stringify(body).includes('file_data')).toBe(kind === 'openai' || kind === 'openrouter')
  })

  test('has the limit under the newer name, but for Ollama', async () => {
    expect(await sentBody.chat({ max_tokens: 9 }, 'other')).toMatchObject({ max_completion_tokens: 9 })
    expect(await sentBody.chat({ max_tokens: 9 }, 'ollama')).toMatchObject({ max_tokens: 9 })
    const without = await sentBody.chat({ max_tokens: null }, 'other')
    expect(Object.keys(without).filter((name) => name.includes('max'))).toEqual([])
  })

  test('has four stop sequences at most for OpenAI, all of them for others, and none where none were given', async () => {
    const stop_sequences = ['a', 'b', 'c', 'd', 'e']
    expect((await sentBody.chat({ max_tokens: 9, stop_sequences }, 'openai'))['stop']).toEqual(['a', 'b', 'c', 'd'])
    expect((await sentBody.chat({ max_tokens: 9, stop_sequences }, 'other'))['stop']).toEqual(stop_sequences)
    expect(await sentBody.chat({ max_tokens: 9, stop_sequences: [] })).not.toHaveProperty('stop')
  })

  test('has the temperature and the rest only where they were given, zero among them', async () => {
    const given = { temperature: 0, top_p: 0, top_k: 0 }
    expect(await sentBody.chat({ max_tokens: 9, ...given })).toMatchObject(given)
    const bare = await sentBody.chat({ max_tokens: 9 })
    for (const name of Object.keys(given)) expect(bare).not.toHaveProperty(name)
  })
})

test('a body for chat completions asks for usage, and has a key of the cache for OpenAI alone', async () => {
  for (const kind of ['openai', 'openrouter', 'ollama', 'other'] as const) {
    const body = await sentBody.chat({ max_tokens: 9, metadata: { user_id: 'a session' } }, kind)
    expect(body).toMatchObject({ stream: true, stream_options: { include_usage: true } })
    expect('prompt_cache_key' in body).toBe(kind === 'openai')
    expect(body).not.toHaveProperty('tool_choice')
  }
})

test('a body for responses says how to think as far as the model has not refused that', () => {
  const refusing = (...refused: string[]) => {
    const thinker = { baseUrl: 'http://provider.example/v1', model: 'm' }
    const options = { model: 'm', thinker, without: new Set(refused), names: new ToolNames() }
    const thinking = { type: 'enabled', budget_tokens: 9999 }
    return responsesBody({ model: 'm', messages: [], thinking }, options)['reasoning']
  }
  expect(refusing()).toEqual({ effort: 'medium', summary: 'auto' })
  expect(refusing('reasoning.effort')).toEqual({ summary: 'auto' })
  expect(refusing('reasoning.summary')).toEqual({ effort: 'medium' })
  expect(refusing('reasoning.effort', 'reasoning.summary')).toBeUndefined()
})

describe('a body of either API', () => {
  test.each(['chat', 'responses'] as const)(
    'says that calls are one at a time, where that was asked for: %s',
    async (api) => {
      const body = (tool_choice: object, more: object = { tools }) =>
        sentBody[api]({ max_tokens: 9, ...more, tool_choice })
      expect(await body({ type: 'any', disable_parallel_tool_use: true })).toMatchObject({ parallel_tool_calls: false })
      expect(await body({ type: 'any', disable_parallel_tool_use: false })).not.toHaveProperty('parallel_tool_calls')
      expect(await body({ type: 'any' })).not.toHaveProperty('parallel_tool_calls')
      const none = await body({ type: 'any', disable_parallel_tool_use: true }, {})
      expect(Object.keys(none).filter((name) => name.includes('tool'))).toEqual([])
    },
  )
})

describe('the counts of a provider', () => {
  const estimate = { input: 100, output: 50 }

  test('are estimates where it tells nothing', () => {
    expect(chatCounts(undefined, estimate)).toEqual({ ...estimate, cached: 0, written: 0, thought: undefined })
  })

  test('leave out of the input what the caches have to do with', () => {
    expect(toMessageUsage({ input: 10, cached: 3, written: 2, output: 7 })).toEqual({
      ...{ input_tokens: 5, cache_creation_input_tokens: 2, cache_read_input_tokens: 3, output_tokens: 7 },
    })
    expect(toMessageUsage({ input: 1, cached: 0, written: 0, output: 7, thought: 0 })).toMatchObject({
      output_tokens_details: { thinking_tokens: 0 },
    })
  })

  test('never have more in the caches than in the prompt', () => {
    const usage = {
      prompt_tokens: 10,
      completion_tokens: 0,
      prompt_tokens_details: { cached_tokens: 8, cache_write_tokens: 8 },
    }
    expect(chatCounts(usage as never, estimate)).toMatchObject({ input: 10, cached: 8, written: 2, output: 0 })
    const other = { input_tokens: 10, input_tokens_details: { cached_tokens: 8, cache_write_tokens: 8 } }
    expect(responseCounts(other as never, estimate)).toMatchObject({ input: 10, cached: 8, written: 2, output: 50 })
    const more = { prompt_tokens: 10, prompt_tokens_details: { cached_tokens: 12 } }
    expect(chatCounts(more as never, estimate)).toMatchObject({ input: 10, cached: 10, written: 0, output: 50 })
  })
})

describe('an upstream that is translated', () => {
  const signal = new AbortController().signal
  const messages = [{ role: 'user' as const, content: 'hi' }]

  test('gets the key where there is one, and headers of its own', async () => {
    const sent = async (options: { key?: string; headers?: Record<string, string> }) => {
      let headers = new Headers()
      const fetch = async (_: string, init: RequestInit) => {
        headers = new Headers(init.headers)
        return Response.json({ choices: [{ message: { content: 'Hi.' }, finish_reason: 'stop' }] })
      }
      const upstream = chatUpstream({ name: 'x', baseUrl: 'http://a.example/v1', kind: 'other', fetch, ...options })
      await foldMessage(upstream.send({ model: 'm', messages }, { signal }))
      return [headers.get('authorization'), headers.get('x-own')]
    }
    expect(await sent({ key: 'k' })).toEqual(['Bearer k', null])
    expect(await sent({ headers: { 'x-own': '1' } })).toEqual([null, '1'])
  })

  test.each([
    [Array(64).fill('a'), undefined],
    [Array(65).fill('a'), 'stop_sequences: must be at most 64, not 65'],
    [['a', 'x'.repeat(200)], undefined],
    [['a', 'x'.repeat(201)], 'stop_sequences.1: must have at most 200 characters'],
  ])('takes stop sequences within bounds (%#)', async (stop_sequences, message) => {
    const fetch = async () => Response.json({ choices: [{ message: { content: 'Hi.' }, finish_reason: 'stop' }] })
    const upstream = chatUpstream({ name: 'x', baseUrl: 'http://a.example/v1', kind: 'other', fetch })
    const failure = await foldMessage(upstream.send({ model: 'm', messages, stop_sequences }, { signal })).then(
      () => undefined,
      (error) => [error.status, error.message],
    )
    expect(failure).toEqual(message === undefined ? undefined : [400, message])
  })

  test('counts no tokens once it is closed', async () => {
    let asked = 0
    const fetch = async () => {
      asked++
      return Response.json({ input_tokens: 7 })
    }
    const upstream = responsesUpstream({ name: 'x', baseUrl: 'http://a.example/v1', fetch })
    expect(await upstream.countTokens?.({ model: 'm', messages }, { signal })).toBe(7)
    await upstream.close()
    expect(await upstream.countTokens?.({ model: 'm', messages }, { signal })).toBeUndefined()
    expect(asked).toBe(1)
  })
})
