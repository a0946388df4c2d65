import { describe, expect, test } from 'bun:test'
import type { JsonSchema } from '../../../../src/domain/search.ts'
import { findJson } from '../../../../src/executor/answer/json/answer.ts'
import { patternCost } from '../../../../src/executor/answer/json/pattern.ts'
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
  test.each([
    `^${'(?:a|aa)?'.repeat(26)}$`,
    '^(a+)+$',
    '(a|b|ab)*c',
    `^${'a?'.repeat(40)}b$`,
    '^(?:a?){40}$',
    '(?=a*)b',
    '(a*)\\1',
    'a*b*c*d*',
    '^(?:[a-z]+,?)+$',
  ])('%s could take too long, and is not checked', (pattern) => {
    const shape = new JsonShape({ properties: { a: { type: 'string', pattern } } })
    expect(shape.problems({ a: `${'a'.repeat(5000)}!` })).toEqual([])
  })

  test.each([
    '^[A-Z]{2}\\d+$',
    '^\\d{4}-\\d{2}(-\\d{2})?$',
    '^(?:GET|POST|PUT)$',
    '^https?://[^/]+/.*$',
    '^(\\.\\d{3})*$',
  ])('%s is bounded, and checked', (pattern) => {
    expect(patternCost(pattern)).toBeDefined()
    expect(new JsonShape({ type: 'string', pattern }).problems('ä')).not.toEqual([])
  })

  test('that many references apply to one long text is not checked once it took long', () => {
    const word = { $ref: '#/$defs/word' }
    const many = Array.from({ length: 60 }, () => word)
    const shape = new JsonShape({
      $defs: { word: { type: 'string', pattern: '^a*a*b$' }, many: { allOf: many } },
      allOf: Array.from({ length: 60 }, () => ({ $ref: '#/$defs/many' })),
    })
    expect(shape.problems('c')).not.toEqual([])
    expect(shape.problems('a'.repeat(2500))).toEqual([])
  })

  test('whose bound grows with the text is not checked on a very long one', () => {
    const shape = new JsonShape({ type: 'string', pattern: '^a*a*b$' })
    expect(shape.problems('c')).not.toEqual([])
    expect(shape.problems('a'.repeat(300_000))).toEqual([])
  })

  test('is never the validator’s own one for the format “url”, which may not end', () => {
    const shape = new JsonShape({ type: 'string', format: 'url' })
    expect(shape.problems(`http://${'a'.repeat(60)}!`)).toEqual([])
    expect(shape.problems('https://example.org/')).toEqual([])
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

  test('with 100,000 items that must differ is not compared pair by pair', () => {
    const shape = new JsonShape({ type: 'array', uniqueItems: true })
    expect(shape.problems([1, 1])).not.toEqual([])
    const many = Array.from({ length: 100_000 }, (_, index) => ({ index }))
    expect(shape.problems(many)).toEqual([])
  })
})
