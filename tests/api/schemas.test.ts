import { describe, expect, test } from 'bun:test'
import { createApp } from '../../src/app.ts'
import { fakeExecutor } from '../support/fake-executor.ts'

const levels = Array.from({ length: 40 }, (_, index) => index)
const step = (index: number) => ({ allOf: [{ $ref: `#/$defs/d${index}` }, { $ref: `#/$defs/d${index}` }] })
const bomb = {
  $ref: '#/$defs/d0',
  $defs: { ...Object.fromEntries(levels.map((index) => [`d${index}`, step(index + 1)])), d40: {} },
}
const messages = [{ role: 'user', content: 'bees' }]
const claude = { model: 'claude-sonnet-4-5', max_tokens: 100, messages }

const schemaRoutes: readonly [string, object, string][] = [
  [
    '/v1/chat/completions',
    { messages, response_format: { type: 'json_schema', json_schema: { name: 'a', schema: bomb } } },
    'response_format.json_schema.schema',
  ],
  [
    '/v1/chat/completions',
    { model: 'sonar', messages, response_format: { type: 'json_schema', json_schema: { schema: bomb } } },
    'response_format.json_schema.schema',
  ],
  [
    '/v1/responses',
    { model: 'sonnet', input: 'bees', text: { format: { type: 'json_schema', name: 'a', schema: bomb } } },
    'text.format.schema',
  ],
  [
    '/v1/agent',
    { input: 'bees', response_format: { type: 'json_schema', json_schema: { schema: bomb } } },
    'response_format.json_schema.schema',
  ],
  ['/v1/messages', { ...claude, output_format: { type: 'json_schema', schema: bomb } }, 'output_format.schema'],
  [
    '/v1/messages',
    { ...claude, output_config: { format: { type: 'json_schema', schema: bomb } } },
    'output_config.format.schema',
  ],
  ['/exa/answer', { query: 'bees', outputSchema: bomb }, 'outputSchema'],
  [
    '/linkup/v1/search',
    { q: 'bees', outputType: 'structured', structuredOutputSchema: JSON.stringify(bomb) },
    'structuredOutputSchema',
  ],
]

async function post(path: string, body: object) {
  const executor = fakeExecutor()
  const app = createApp({ executor, version: '1' })
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const response = await app.request(path, init)
  return {
    status: response.status,
    text: await response.text(),
    requests: executor.requests,
  }
}

describe('a JSON Schema that expands to 2^40 schemas', () => {
  test.each(schemaRoutes)(
    'is refused by %s with %o, in its own words and without a search',
    async (path, body, field) => {
      const { status, text, requests } = await post(path, body)
      expect(status).toBe(400)
      expect(text).toContain(field)
      expect(text).toContain('references expand to')
      expect(requests).toHaveLength(0)
    },
  )
})

const badParameters: readonly [string, object, string][] = [
  ['a property name with a space', { type: 'object', properties: { 'a b': { type: 'string' } } }, 'a b'],
  ['a property name that is too long', { type: 'object', properties: { [`x${'y'.repeat(64)}`]: {} } }, 'xyyy'],
  ['a type that JSON Schema lacks', { type: 'object', properties: { a: { type: 'text' } } }, 'a'],
  ['properties that are no schemas', { type: 'object', properties: { a: 5 } }, 'a'],
]

describe('a function whose parameters the model’s API would reject', () => {
  test.each(badParameters)(
    '%s: is refused by a chat without a search, and the error names the field',
    async (_, parameters, what) => {
      const tools = [{ type: 'function', function: { name: 'look', parameters } }]
      const { status, text, requests } = await post('/v1/chat/completions', { messages, tools })
      expect(status).toBe(400)
      expect(text).toContain('tools[0].function.parameters')
      expect(text).toContain(what)
      expect(requests).toHaveLength(0)
    },
  )

  test.each(badParameters)('%s: is refused by the Messages API', async (_, parameters, what) => {
    const { status, text, requests } = await post('/v1/messages', {
      ...claude,
      tools: [{ name: 'look', input_schema: parameters }],
    })
    expect(status).toBe(400)
    expect(text).toContain('input_schema')
    expect(text).toContain(what)
    expect(requests).toHaveLength(0)
  })
})
