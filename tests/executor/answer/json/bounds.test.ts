import { describe, expect, test } from 'bun:test'
import type { JsonSchema } from '../../../../src/domain/search.ts'
import { findJson } from '../../../../src/executor/answer/json/answer.ts'
import { JsonShape } from '../../../../src/executor/answer/json/shape.ts'

// Without a bound the work below takes longer than the time limit of a test, and most of it would never end.

/** 40 definitions, each of which uses the next one twice. */
function doubling(keyword: (next: JsonSchema) => JsonSchema, levels = 40): JsonSchema {
  const names = Array.from({ length: levels }, (_, index) => `d${index}`)
  const defs = Object.fromEntries(names.map((name, index) => [name, keyword({ $ref: `#/$defs/d${index + 1}` })]))
  return { $ref: '#/$defs/d0', $defs: { ...defs, [`d${levels}`]: { type: 'object' } } }
}

describe('a JSON Schema whose references double at each step', () => {
  test.each<[string, (next: JsonSchema) => JsonSchema]>([
    ['allOf', (next) => ({ allOf: [next, next] })],
    ['anyOf', (next) => ({ anyOf: [next, next] })],
    ['oneOf', (next) => ({ oneOf: [next, next] })],
    ['not and if', (next) => ({ not: next, if: next })],
    ['dependentSchemas', (next) => ({ dependentSchemas: { a: next, b: next } })],
    ['$ref beside allOf', (next) => ({ ...next, allOf: [next] })],
  ])('with %s is refused before it is applied', (_, keyword) => {
    let thrown: unknown
    try {
      new JsonShape(doubling(keyword))
    } catch (error) {
      thrown = error
    }
    expect(thrown).toMatchObject({ code: 'invalid-request', message: expect.stringContaining('references expand to') })
  })

  test('with properties is used: each level of a value needs one step', () => {
    const shape = new JsonShape(doubling((next) => ({ type: 'object', properties: { a: next, b: next } })))
    expect(shape.problems({ a: { b: { a: 1 } } })).not.toEqual([])
    expect(shape.problems({ a: { b: { a: {} } } })).toEqual([])
  })

  test('with a value that doubles the work ends in an error, not in a hang', () => {
    const node = { properties: { a: { $ref: '#/$defs/node' } } }
    const shape = new JsonShape({ $defs: { node: { allOf: [node, node] } }, $ref: '#/$defs/node' })
    const deep = JSON.parse(`${'{"a":'.repeat(60)}1${'}'.repeat(60)}`)
    let message = ''
    try {
      shape.problems(deep)
    } catch (error) {
      message = String(error)
    }
    expect(message).toContain('too many steps')
    expect(shape.problems({ a: { a: {} } })).toEqual([])
  })

  test('with an $id at each of 60 levels is refused', () => {
    let schema: JsonSchema = { type: 'object' }
    for (let level = 0; level < 60; level++) schema = { $id: `https://x.example/${level}`, items: schema }
    expect(() => new JsonShape(schema)).toThrow('$id')
  })

  test('as most schemas have them, a few deep and used often, is accepted', () => {
    const shape = new JsonShape(doubling((next) => ({ allOf: [next, next] }), 8))
    expect(shape.problems({})).toEqual([])
    expect(shape.problems(1)).not.toEqual([])
  })
})

describe('a pattern', () => {
  test.each(['^(a+)+$', '^[A-Z]{2}\\d+$', '('])('such as %s is not checked, and named', (pattern) => {
    const shape = new JsonShape({ properties: { a: { type: 'string', pattern } } })
    expect(shape.problems({ a: `${'a'.repeat(5000)}!` })).toEqual([])
    expect(shape.problems({ a: 1 })).not.toEqual([])
    expect(shape.unchecked).toEqual(['pattern'])
  })

  test.each<[string, JsonSchema]>([
    ['a property that is called “default”', { properties: { default: { pattern: '^(a+)+$' } } }],
    ['a dependency that is called “default”', { dependencies: { default: { propertyNames: { pattern: '^(a+)+$' } } } }],
    [
      'a definition behind a reference',
      { $defs: { enum: { properties: { default: { pattern: '^(a+)+$' } } } }, $ref: '#/$defs/enum' },
    ],
    ['names', { patternProperties: { '^(a+)+$': { type: 'null' } }, additionalProperties: false }],
  ])('is not run for %s', (_, schema) => {
    const text = `${'a'.repeat(5000)}!`
    expect(new JsonShape(schema).problems({ default: text, [text]: 1 })).toEqual([])
  })

  test('that is not checked makes no value fail', () => {
    const digits = { type: 'string', pattern: '^\\d+$' }
    const letters = { type: 'string', pattern: '^[a-z]+$' }
    const one = new JsonShape({ oneOf: [digits, letters] })
    expect(one.problems('a')).toEqual([])
    expect(one.problems(1)).not.toEqual([])
    expect(one.unchecked).toEqual(['pattern', 'oneOf'])
    expect(new JsonShape({ not: digits }).problems('a')).toEqual([])
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    expect(new JsonShape({ if: letters, then: { const: 'b' } }).problems('1')).toEqual([])
  })

  test('is a property where it stands among the properties', () => {
    const shape = new JsonShape({
      properties: { pattern: { type: 'string' }, uniqueItems: true },
      additionalProperties: false,
    })
    expect(shape.problems({ pattern: 1 })).toEqual([expect.stringContaining('At pattern: ')])
    expect(shape.problems({ pattern: '', uniqueItems: 1 })).toEqual([])
    expect(shape.unchecked).toEqual([])
  })

  test.each([
    ['url', 'https://example.org/', 'example'],
    ['uri', 'https://example.org/', 'example'],
    ['uri-reference', '/a?b', 'a b'],
    ['uri-template', '/a/{b}', 'a b'],
  ])('is never the validator’s own one for the format “%s”, which may not end', (format, good, bad) => {
    const shape = new JsonShape({ type: 'string', format })
    expect(shape.problems(`http://${'a'.repeat(300_000)}!`)).toEqual([])
    expect(shape.problems(good)).toEqual([])
    expect(shape.problems(bad)).not.toEqual([])
  })
})

describe('JSON in a text of the model', () => {
  test.each([
    ['a fence with 400,000 line breaks', `\`\`\`${'\n'.repeat(400_000)}`, 0],
    ['400,000 open brackets', '['.repeat(400_000), 0],
    ['120,000 fences', '```json\n'.repeat(120_000), 0],
    ['400,000 deep', '['.repeat(400_000) + ']'.repeat(400_000), 1],
  ])('is looked for in linear time: %s', (_, text, found) => {
    expect([...findJson(text)]).toHaveLength(found)
  })

  test('is found behind a long text, whichever of several it is', () => {
    const text = `${'word '.repeat(120_000)}{"a":1} {"b":2} {"c":3} {"d":4}`
    expect([...findJson(text)]).toEqual([{ a: 1 }, { b: 2 }, { c: 3 }, { d: 4 }])
  })

  test('with 100,000 items that must differ is not compared pair by pair', () => {
    const shape = new JsonShape({ type: 'array', uniqueItems: true })
    const many = Array.from({ length: 100_000 }, (_, index) => ({ index }))
    expect(shape.problems(many)).toEqual([])
    expect(shape.unchecked).toEqual(['uniqueItems'])
  })
})
