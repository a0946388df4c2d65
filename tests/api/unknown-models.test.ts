import { describe, expect, test } from 'bun:test'
import { configuredModels, type ModelSettings } from '../../src/domain/model.ts'
import { asks, testApp } from './test-app.ts'

// Any model name works: what means nothing here is served as it is configured, and the reply says so.

const responses = (model: string) => ({ model, input: 'Why do bees hum?' })
const prompt = (model: string) => ({ ...asks('Why do bees hum?', { model }), max_tokens: 100 })
const chat = (model: string) => asks('Why do bees hum?', { model, stream: false })
const gemini = () => ({ contents: [{ role: 'user', parts: [{ text: 'Why do bees hum?' }] }] })

const calls: readonly [path: string, body: (model: string) => Record<string, unknown>, field?: string][] = [
  ['/v1/chat/completions', chat, 'model'],
  ['/chat/completions', chat, 'model'],
  ['/v1/responses', responses, 'model'],
  ['/agent', responses, 'model'],
  ['/v1/messages', prompt, 'model'],
  ['/res/v1/chat/completions', chat, 'model'],
  ['/v1beta/models/MODEL:generateContent', gemini],
]

function settings(more: Partial<ModelSettings> = {}) {
  return { models: configuredModels({ defaultEffort: 'standard', unknownModels: 'serve', models: {}, ...more }) }
}

describe.each(calls)('%s', (path, body, field) => {
  const at = (model: string) => path.replace('MODEL', encodeURIComponent(model))

  test.each(['gpt-4o', 'gpt-5', 'o3', 'mistral-large-latest', 'llama3.2:3b', 'qwen3'])(
    'answers as %s',
    async (model) => {
      const { post, executor } = testApp(undefined, { defaultModel: 'opus', ...settings({ defaultEffort: 'deep' }) })
      const reply = await post(at(model), body(model))
      expect(reply.status).toBe(200)
      if (field) expect(reply.body[field]).toBe(model)
      expect(reply.headers.get('x-csp-model')).toBe('deep, written by opus')
      expect(executor.requests.map(({ model: writer }) => writer)).toEqual([undefined])
    },
  )

  test('says which name was perhaps meant', async () => {
    const { headers } = await testApp(undefined, settings()).post(at('sonar-por'), body('sonar-por'))
    expect(headers.get('x-csp-model')).toBe('standard, written by sonnet; did you mean sonar-pro?')
  })

  test('says nothing of a name that it knows', async () => {
    const { status, headers } = await testApp(undefined, settings()).post(at('sonar-pro'), body('sonar-pro'))
    expect([status, headers.get('x-csp-model')]).toEqual([200, null])
  })

  test('refuses an unknown name where that is set, and searches for nothing', async () => {
    const { post, executor } = testApp(undefined, settings({ unknownModels: 'refuse' }))
    expect((await post(at('gpt-4o'), body('gpt-4o'))).status).toBeGreaterThanOrEqual(400)
    expect(executor.calls).toHaveLength(0)
    expect((await post(at('sonar-pro'), body('sonar-pro'))).status).toBe(200)
  })
})

test('of a list of models the first that means something here is asked', async () => {
  const { post, executor } = testApp(undefined, settings())
  const { headers } = await post('/agent', { models: ['openai/gpt-9', 'perplexity/sonar'], input: 'bees' })
  expect([headers.get('x-csp-model'), executor.requests[0]?.effort]).toEqual([null, 'fast'])
})

test('an empty name counts as none', async () => {
  const { status, headers } = await testApp(undefined, settings()).post('/v1/chat/completions', chat(''))
  expect([status, headers.get('x-csp-model')]).toEqual([200, null])
})
