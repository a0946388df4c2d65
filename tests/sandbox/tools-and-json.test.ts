import { describe, expect, test } from 'bun:test'
import { JsonShape } from '../../src/executor/answer/json/shape.ts'
import { exampleValue } from '../../src/sandbox/replies/json-reply.ts'
import { decideReply } from '../../src/sandbox/replies/tool-reply.ts'
import { writeReply } from '../../src/sandbox/replies/write-reply.ts'
import type { ReplyContext, Scenario } from '../../src/sandbox/scenario.ts'
import { requestOf } from './sample-requests.ts'

const tool = (name: string, input_schema: object = {}) => ({ name: `mcp__client__${name}`, input_schema })
const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const webSearch = { name: 'WebSearch', input_schema: {} }

const contextOf = (scenario: Scenario): ReplyContext => {
  let last = 0
  return { scenario, resultCount: 8, excerptLength: 0, now: new Date(0), newId: (prefix) => `${prefix}_${++last}` }
}

const ask = (prompt: string, tools: readonly ReturnType<typeof tool>[] = []) =>
  requestOf([{ role: 'user', content: prompt }], { tools: [...tools] })

describe('a tool of the caller’s on the sandbox', () => {
  const question = '<question>\nIs it raining?\n</question>'

  test('is called where the scenario requires it, with arguments that fit', () => {
    for (const reply of [decideReply, writeReply]) {
      const blocks = reply(ask(question, [webSearch, tool('weather', city)]), contextOf('use-tool'))
      expect(blocks).toEqual([
        { type: 'tool_use', id: 'toolu_1', name: 'mcp__client__weather', input: { city: 'Is it raining?' } },
      ])
    }
  })

  test.each([
    [
      [tool('a'), tool('b')],
      ['mcp__client__a', 'mcp__client__b'],
    ],
    [[tool('a')], ['mcp__client__a', 'mcp__client__a']],
  ])('is called with another in the scenario use-two-tools: %j gives %j', (tools, names) => {
    const blocks = writeReply(ask(question, tools), contextOf('use-two-tools'))
    expect(blocks.flatMap((block) => (block.type === 'tool_use' ? [block.name] : []))).toEqual(names)
  })

  test('is not called in other scenarios, without tools, or after it has answered', () => {
    const answered = '<since-then>\n<tool-result call="a" name="weather">\nIt rains.\n</tool-result>\n</since-then>'
    const texts = [
      writeReply(ask(question, [tool('a')]), contextOf('ok')),
      writeReply(ask(question, [webSearch]), contextOf('use-tool')),
      writeReply(ask(`${question}\n${answered}`, [tool('a')]), contextOf('use-tool')),
    ].map(([block]) => block?.type === 'text' && block.text)
    const plain = 'Sandbox answer: “Is it raining?”.'
    expect(texts).toEqual([plain, plain, 'Sandbox answer: the tool gave “It rains.”.'])
  })
})

describe('a schema in the prompt', () => {
  const sources = '<sources>\n[1] A — https://a.example/x\n</sources>'
  const schema = {
    type: 'object',
    properties: { answer: { type: 'string' }, url: { type: 'string' } },
    required: ['url'],
  }
  const prompt = `${sources}\n<question>\nSeals?\n</question>\n<schema>\n${JSON.stringify(schema)}\n</schema>`

  test('is followed, also in the later turns', () => {
    const json = { type: 'text', text: '{"answer":"Sandbox answer: “Seals?”.","url":"https://a.example/x"}' } as const
    expect(writeReply(ask(prompt), contextOf('ok'))).toEqual([json])
    const later = requestOf([
      { role: 'user', content: prompt },
      { role: 'assistant', content: 'No.' },
      { role: 'user', content: 'Once more.' },
    ])
    expect(writeReply(later, contextOf('ok'))).toEqual([json])
  })

  test('is not followed when the model does not comply', () => {
    const [block] = writeReply(ask(prompt), contextOf('non-compliant'))
    expect(block?.type === 'text' && block.text).toStartWith('Sandbox answer: all of this is invented.')
  })
})

describe('the example for a schema', () => {
  const person = { type: 'object', properties: { name: { type: 'string' }, friend: { $ref: '#/$defs/person' } } }
  test.each([
    {
      type: 'object',
      properties: { a: { type: 'integer', minimum: 7 }, b: { type: ['number', 'null'] } },
      required: ['a'],
    },
    { type: 'array', items: { enum: ['x', 'y'] }, minItems: 3 },
    { anyOf: [{ type: 'boolean' }, { type: 'string' }] },
    { allOf: [{ type: 'object', required: ['a'] }, { properties: { a: { const: 5 } } }] },
    { type: 'string', minLength: 30, maxLength: 40 },
    { type: 'string', maxLength: 3 },
    { type: 'string', format: 'date-time' },
    { type: 'string', format: 'email' },
    { properties: { url: { type: 'string', format: 'uri' } }, required: ['url', 'more'] },
    { type: 'number', exclusiveMinimum: 3, multipleOf: 2 },
    { type: 'object', additionalProperties: false },
    { $defs: { a: { type: 'null' } }, $ref: '#/$defs/a' },
  ])('fits %o', (schema) => {
    const value = exampleValue(schema, { text: 'Sandbox answer.', url: 'https://a.example/' })
    expect(new JsonShape(schema).problems(value)).toEqual([])
  })

  test('ends where the schema does not', () => {
    const value = exampleValue({ $defs: { person }, $ref: '#/$defs/person' }, { text: 'Sandbox answer.' })
    expect(JSON.stringify(value).length).toBeLessThan(2000)
  })
})
