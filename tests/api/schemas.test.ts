import { describe, expect, test } from 'bun:test'
import { createApp } from '../../src/app.ts'
import type { JsonSchema } from '../../src/domain/search.ts'
import { fakeExecutor } from '../support/fake-executor.ts'

const levels = Array.from({ length: 40 }, (_, index) => index)
const step = (index: number) => ({ allOf: [{ $ref: `#/$defs/d${index}` }, { $ref: `#/$defs/d${index}` }] })
const bomb = {
  $ref: '#/$defs/d0',
  $defs: { ...Object.fromEntries(levels.map((index) => [`d${index}`, step(index + 1)])), d40: {} },
}
const messages = [{ role: 'user', content: 'bees' }]
const claude = { model: 'claude-sonnet-4-5', max_tokens: 100, messages }

/** The route, the field of the schema, a request with it. */
const schemaRoutes = (schema: JsonSchema): readonly [string, string, object][] => {
  const format = { type: 'json_schema', schema }
  const nested = { type: 'json_schema', json_schema: { name: 'a', schema } }
  const generationConfig = { responseMimeType: 'application/json', responseJsonSchema: schema }
  const structuredOutputSchema = JSON.stringify(schema)
  const contents = [{ parts: [{ text: 'bees' }] }]
  return [
    ['/v1/chat/completions', 'response_format.json_schema.schema', { messages, response_format: nested }],
    [
      '/v1/chat/completions',
      'response_format.json_schema.schema',
      { model: 'sonar', messages, response_format: nested },
    ],
    [
      '/v1/responses',
      'text.format.schema',
      { model: 'sonnet', input: 'bees', text: { format: { name: 'a', ...format } } },
    ],
    ['/v1/agent', 'response_format.json_schema.schema', { input: 'bees', response_format: nested }],
    ['/v1/messages', 'output_format.schema', { ...claude, output_format: format }],
    ['/v1/messages', 'output_config.format.schema', { ...claude, output_config: { format } }],
    ['/v1beta/models/gemini-2.5-flash:generateContent', 'responseJsonSchema', { contents, generationConfig }],
    ['/exa/answer', 'outputSchema', { query: 'bees', outputSchema: schema }],
    ['/linkup/v1/search', 'structuredOutputSchema', { q: 'bees', outputType: 'structured', structuredOutputSchema }],
  ]
}

async function post(path: string, body: object) {
  const usage = { searches: 1, inputTokens: 1, outputTokens: 1 }
  const executor = fakeExecutor(async function* () {
    yield { type: 'text-delta', text: '{}' }
    yield { type: 'done', reason: 'stop', usage, model: 'sonnet' }
  })
  const app = createApp({ executor, version: '1' })
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const response = await app.request(path, init)
  return {
    status: response.status,
    headers: response.headers,
    text: await response.text(),
    requests: executor.requests,
  }
}

describe('a JSON Schema that expands to 2^40 schemas', () => {
  test.each(schemaRoutes(bomb))(
    'is refused by %s for %s, in its own words and without a search',
    async (path, field, body) => {
      const { status, text, requests } = await post(path, body)
      expect(status).toBe(400)
      expect(text).toContain(field)
      expect(text).toContain('references expand to')
      expect(requests).toHaveLength(0)
    },
  )
})

const patterned = { type: 'object', properties: { a: { pattern: '^a$' }, b: { type: 'array', uniqueItems: true } } }

describe('a JSON Schema with patterns', () => {
  test.each(schemaRoutes(patterned))(
    'is taken by %s as %s, and what is not checked is named',
    async (path, _, body) => {
      const { status, headers, requests } = await post(path, body)
      expect(status).toBe(200)
      expect(headers.get('x-csp-ignored')?.split(', ')).toEqual(
        expect.arrayContaining(['schema.pattern', 'schema.uniqueItems']),
      )
      expect(requests).toMatchObject([{ schema: patterned }])
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
