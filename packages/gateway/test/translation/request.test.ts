import { describe, expect, test } from 'bun:test'
import type { MessagesRequest } from '@csp/messages-api/request'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import { outputSchema, withSchemaInWords } from '../../src/translation/request/output-format.ts'
import { serverResultText } from '../../src/translation/request/server-results.ts'
import { effortFeature, effortOf, reasons, wantsThoughts } from '../../src/translation/request/thinking.ts'
import { chosenTool, functionTools } from '../../src/translation/request/tools.ts'
import { ToolNames } from '../../src/translation/tool-names.ts'

const asking = (more: object = {}): MessagesRequest => ({ model: 'm', messages: [], ...more })
const nested = (depth: number, leaf: object = { type: 'array' }) => {
  let schema: object = leaf
  for (let at = 0; at < depth; at++) schema = { type: 'object', properties: { a: schema } }
  return schema
}

describe('the result of a tool of the vendor is told', () => {
  test('as titles, addresses and pages, an error as one, and a text as itself', () => {
    const page = {
      type: 'web_fetch_result',
      url: 'https://b.example/',
      content: { source: { type: 'text', data: 'Bee.' } },
    }
    const items = [{ type: 'web_search_result', title: 'A', url: 'https://a.example/', page_age: '1 day' }, page]
    expect(serverResultText(items)).toBe('A\nhttps://a.example/\n1 day\n\nhttps://b.example/\nBee.')
    expect(serverResultText({ type: 'x', error_code: 'unavailable' })).toBe('Error: unavailable')
    expect(serverResultText([{ type: 'text', text: 'Words.' }])).toBe('Words.')
    expect(serverResultText([])).toBe('No results.')
    expect(serverResultText([{ type: 'x', title: '', url: 'https://a.example/', page_age: 5 }])).toBe(
      'https://a.example/',
    )
  })

  test('as its JSON where it has another form, up to a bound', () => {
    expect(serverResultText([{ type: 'new', form: '1' }])).toBe('{"type":"new","form":"1"}')
    expect(serverResultText([1])).toBe('[1]')
    expect(serverResultText('x'.repeat(30_000))).toBe('x'.repeat(20_000))
    expect(serverResultText(undefined)).toBe('')
  })
})

describe('the schema of a tool', () => {
  const parametersOf = (input_schema: object) => {
    const tools = [{ name: 'f', description: 'd', input_schema }]
    return functionTools(asking({ tools }), new ToolNames(), new Set())[0]?.parameters
  }

  test('is complete at any depth that a person writes, wherever schemas stand', () => {
    const inner = { properties: { b: { type: 'array' } }, type: 'object' }
    const full = { properties: { b: { type: 'array', items: {} } }, type: 'object' }
    for (const name of ['items', 'anyOf', 'oneOf', 'allOf', 'additionalProperties']) {
      expect(parametersOf({ [name]: inner })).toEqual({ type: 'object', properties: {}, [name]: full })
      expect(parametersOf({ [name]: [inner] })).toEqual({ type: 'object', properties: {}, [name]: [full] })
    }
    for (const name of ['properties', '$defs', 'definitions'])
      expect(parametersOf({ [name]: { x: inner, y: true } })).toMatchObject({ [name]: { x: full, y: true } })
    expect(parametersOf({ enum: [inner] })).toMatchObject({ enum: [inner] })
  })

  test('is left alone below a depth of 32, however deep it goes', () => {
    expect(JSON.stringify(parametersOf(nested(31)))).toContain('"items"')
    expect(JSON.stringify(parametersOf(nested(33)))).not.toContain('"items"')
    expect(() => parametersOf(nested(100_000))).not.toThrow()
  })

  test('goes without the name of its dialect', () => {
    expect(parametersOf({ $schema: 'x', type: 'object' })).toEqual({ type: 'object', properties: {} })
  })
})

describe('the choice of a tool', () => {
  const tools = [{ name: 'f', parameters: {} }]
  test.each([
    [undefined, undefined],
    [{ type: 'none' }, 'none'],
    [{ type: 'any' }, 'required'],
    [{ type: 'auto' }, 'auto'],
    [{ type: 'tool', name: 'f' }, { name: 'f' }],
    [{ type: 'tool', name: 'missing' }, 'auto'],
    [{ type: 'tool' }, 'auto'],
    [{ type: 'auto', name: 'f' }, 'auto'],
  ] as const)('%j is %j', (tool_choice, expected) => {
    expect(chosenTool(asking({ tool_choice }), tools, new ToolNames())).toEqual(expected)
  })
})

describe('a schema of the reply', () => {
  const strictness = (schema: object) =>
    outputSchema(asking({ output_format: { type: 'json_schema', schema } }))?.strict
  const closed = (properties: object, required = Object.keys(properties)) => ({
    type: 'object',
    properties,
    required,
    additionalProperties: false,
  })

  test('is strict where each object names all of its properties and allows no others', () => {
    const leaf = fc.constantFrom<object>({ type: 'string' }, { type: 'array', items: { type: 'number' } })
    const { object } = fc.letrec<{ object: object; any: object }>((tie) => ({
      object: fc.dictionary(fc.stringMatching(/^[a-z]{1,3}$/), tie('any'), { maxKeys: 3 }).map((all) => closed(all)),
      any: fc.oneof({ maxDepth: 3 }, leaf, tie('object')),
    }))
    fc.assert(
      fc.property(object, (schema) => {
        expect(strictness(schema)).toBe(true)
        expect(strictness(closed({ a: { anyOf: [schema, { type: 'object', properties: {} }] } }))).toBe(false)
        expect(strictness(closed({ a: schema, b: {} }, ['a']))).toBe(false)
        expect(strictness({ ...closed({ a: schema }), additionalProperties: true })).toBe(false)
      }),
      { numRuns: runs(50) },
    )
    expect(strictness({ properties: { a: {} }, required: ['a'] })).toBe(false)
    expect(strictness({ type: 'object' })).toBe(false)
    expect(strictness({ type: 'object', required: 'all' })).toBe(false)
    const deep = (levels: number): object => closed(levels === 0 ? {} : { a: deep(levels - 1) })
    expect([10, 20].map((levels) => strictness(deep(levels)))).toEqual([true, false])
    expect(strictness(nested(100_000))).toBe(false)
    let list: unknown = []
    for (let depth = 0; depth < 100_000; depth++) list = [list]
    expect(strictness({ anyOf: list })).toBe(false)
  })

  test.each([
    [{ output_format: { type: 'text' } }, 'output_format.type'],
    [{ output_config: { format: { type: 'json_schema', schema: 'no' } } }, 'output_config.format.schema'],
  ])('%j is refused by the name of its field', (more, field) => {
    const failure = (() => {
      try {
        return outputSchema(asking(more))
      } catch (error) {
        return error
      }
    })()
    expect(failure).toMatchObject({ status: 400, message: expect.stringContaining(`${field}: Invalid input`) })
  })

  test('stands in words behind the system prompt, in whichever form that is', () => {
    const output_format = { type: 'json_schema', schema: closed({}) }
    const words = expect.stringContaining(JSON.stringify(output_format.schema))
    const systemFor = (system: unknown) => withSchemaInWords(asking({ output_format, system })).system
    expect(systemFor(undefined)).toEqual(words)
    expect(systemFor('')).toStartWith('Reply with')
    expect(systemFor('You are.')).toStartWith('You are.\n\nReply with')
    const blocks = [{ type: 'text', text: 'You are.' }]
    expect(systemFor(blocks)).toEqual([...blocks, { type: 'text', text: words }])
    const plain = asking()
    expect(withSchemaInWords(plain)).toBe(plain)
  })
})

describe('how hard a model thinks', () => {
  test.each([
    [{ thinking: { type: 'disabled' } }, 'none'],
    [{ output_config: { effort: 'max' } }, 'max'],
    [{ output_config: { effort: 'xhigh' } }, 'xhigh'],
    [{ output_config: { effort: 'low' } }, 'low'],
    [{ thinking: { type: 'enabled', budget_tokens: 4999 } }, 'low'],
    [{ thinking: { type: 'enabled', budget_tokens: 5000 } }, 'medium'],
    [{ thinking: { type: 'enabled', budget_tokens: 9999 } }, 'medium'],
    [{ thinking: { type: 'enabled', budget_tokens: 10_000 } }, 'high'],
    [{}, 'usual'],
  ])('%j is %s', (more, effort) => {
    expect(effortOf(asking(more), new Set(), 'usual')).toBe(effort)
  })

  test('is the next that was not refused', () => {
    const refused = new Set(['none', 'minimal'].map(effortFeature))
    expect(effortOf(asking({ thinking: { type: 'disabled' } }), refused)).toBe('low')
    expect(effortOf(asking(), new Set([effortFeature('usual')]), 'usual')).toBeUndefined()
    expect(effortOf(asking(), new Set())).toBeUndefined()
  })

  test.each([
    [undefined, true, false],
    [{ type: 'disabled' }, false, false],
    [{ type: 'adaptive' }, true, true],
  ])('%j thinks: %p, and its thoughts are wanted: %p', (thinking, thinks, wants) => {
    expect([reasons(asking({ thinking })), wantsThoughts(asking({ thinking }))]).toEqual([thinks, wants])
  })
})
