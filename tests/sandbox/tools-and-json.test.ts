import { describe, expect, test } from 'bun:test'
import type { Scenario } from '@csp/sandbox/scenario'
import type { ReplyContext } from '../../packages/sandbox/src/replies/context.ts'
import { decideReply } from '../../packages/sandbox/src/replies/decide-reply.ts'
import { exampleValue } from '../../packages/sandbox/src/replies/example-value.ts'
import { textReply } from '../../packages/sandbox/src/replies/write-reply.ts'
import { requestOf } from '../../packages/sandbox/test/sample-requests.ts'
import { JsonShape } from '../../src/executor/answer/json/shape.ts'

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
    for (const reply of [decideReply, textReply]) {
      const blocks = reply(ask(question, [webSearch, tool('weather', city)]), contextOf('use-tool'))
      expect(blocks).toEqual([
        { type: 'tool_use', id: 'toolu_1', name: 'mcp__client__weather', input: { city: 'raining' } },
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
    const blocks = textReply(ask(question, tools), contextOf('use-two-tools'))
    expect(blocks.flatMap((block) => (block.type === 'tool_use' ? [block.name] : []))).toEqual(names)
  })

  test('is not called where the question does not ask for it, without tools, or after it has answered', () => {
    const answered = '<since-then>\n<tool-result call="a" name="weather">\nIt rains.\n</tool-result>\n</since-then>'
    const texts = [
      textReply(ask(question, [tool('a')]), contextOf('ok')),
      textReply(ask(question, [webSearch]), contextOf('use-tool')),
      textReply(ask(`${question}\n${answered}`, [tool('a')]), contextOf('use-tool')),
    ].map(([block]) => block?.type === 'text' && block.text)
    const plain = 'Sandbox answer: “Is it raining?”.'
    expect(texts).toEqual([plain, plain, 'Sandbox answer: the tool gave “It rains.”.'])
  })
})

describe('a tool of the caller’s on a sandbox without a scenario', () => {
  const offered = [tool('get_time', {}), { ...tool('get_weather', city), description: 'The weather of a city.' }]
  const wish = 'You have tools of the caller’s. You must call one of them before anything else.'
  const question = (text: string) => `<question>\n${text}\n</question>\n\nAnswer the question.`
  const since =
    '<since-then>\n<tool-call id="a" name="get_weather">\n{}\n</tool-call>\n<tool-result call="a">\nRain\n</tool-result>\n</since-then>'
  const callsOf = (prompt: string, scenario: Scenario = 'ok') =>
    textReply(ask(prompt, offered), contextOf(scenario)).flatMap((block) =>
      block.type === 'tool_use' ? [[block.name.split('__')[2], block.input]] : [],
    )

  test.each([
    ['What is the weather in New York today?', { city: 'New York' }],
    ['weather bergen', { city: 'bergen' }],
    ['Tell me about the weather. Is Oslo cold?', { city: 'Oslo' }],
  ])('is called when the question has a word of its name: %s', (text, input) => {
    expect(callsOf(question(text))).toEqual([['get_weather', input]])
  })

  test.each(['Who gets the data?', 'How large is the city of Bergen?', 'Timely whether'])(
    'is not called for: %s',
    (text) => {
      expect(callsOf(question(text))).toEqual([])
    },
  )

  test('is called where a call is demanded, whatever the question, but not by a model that does not comply', () => {
    const prompt = `${question('How large is Bergen?')} ${wish}`
    expect(callsOf(prompt)).toEqual([['get_time', {}]])
    expect(callsOf(`${question('Weather in Bergen?')} ${wish}`)).toEqual([['get_weather', { city: 'Bergen' }]])
    expect(callsOf(prompt, 'non-compliant')).toEqual([])
    expect(callsOf(question(`How large is Bergen? ${wish}`))).toEqual([])
  })

  test('is called once, and the answer names what each call gave', () => {
    const prompt = `<sources>\n[1] A — https://a.example/x\n</sources>\n${question('What is the weather in Bergen?')}\n${since}`
    const [block] = textReply(ask(prompt, offered), contextOf('ok'))
    expect(block).toEqual({
      type: 'text',
      text: 'Sandbox answer: all of this is invented. The tool gave “Rain”. A has something to say on it [1].',
    })
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
    expect(textReply(ask(prompt), contextOf('ok'))).toEqual([json])
    const later = requestOf([
      { role: 'user', content: prompt },
      { role: 'assistant', content: 'No.' },
      { role: 'user', content: 'Once more.' },
    ])
    expect(textReply(later, contextOf('ok'))).toEqual([json])
  })

  test('is not followed when the model does not comply', () => {
    const [block] = textReply(ask(prompt), contextOf('non-compliant'))
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
    { type: 'object', properties: { id: { format: 'uuid' }, code: { type: 'string', pattern: '^[A-Z]{2}$' } } },
    { type: 'object', properties: { a: { pattern: '^\\d+$' }, b: { not: {} } }, required: ['a'] },
  ])('fits %o', (schema) => {
    const options = { text: 'Sandbox answer.', url: 'https://a.example/' }
    const shape = new JsonShape(schema)
    const isPossible = !JSON.stringify(schema).includes('"not"')
    if (isPossible) expect(shape.problems(exampleValue(schema, options))).toEqual([])
    expect(shape.problems(exampleValue(schema, { ...options, isLeast: true }))).toEqual([])
  })

  test('has the choice of an enum that the text names', () => {
    const schema = { enum: ['celsius', 'fahrenheit'] }
    expect(exampleValue(schema, { text: 'In Fahrenheit?' })).toBe('fahrenheit')
    expect(exampleValue(schema, { text: 'How warm?' })).toBe('celsius')
  })

  test('ends where the schema does not', () => {
    const value = exampleValue({ $defs: { person }, $ref: '#/$defs/person' }, { text: 'Sandbox answer.' })
    expect(JSON.stringify(value).length).toBeLessThan(2000)
  })
})
