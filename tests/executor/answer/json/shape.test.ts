import { describe, expect, test } from 'bun:test'
import type { JsonSchema } from '../../../../src/domain/search.ts'
import { JsonShape, parametersProblem, uncheckedKeywords } from '../../../../src/executor/answer/json/shape.ts'

const typeError = (is: string, wanted: string) => `Instance type "${is}" is invalid. Expected "${wanted}".`

describe('what does not fit a schema', () => {
  test('is said in a line for each innermost error, with its place', () => {
    const shape = new JsonShape({
      properties: {
        a: { items: { type: 'string' } },
        b: { $ref: '#/$defs/b' },
        d: { prefixItems: [{ type: 'null' }] },
      },
      additionalProperties: false,
      required: ['c'],
      allOf: [{ required: ['c'] }],
      $defs: { b: { enum: [1] } },
    })
    expect(shape.problems({ a: [1, 'x'], b: 2, d: [3], z: 1 })).toEqual([
      'Instance does not have required property "c".',
      `At a/0: ${typeError('number', 'string')}`,
      'At b: Instance does not match any of [1].',
      `At d/0: ${typeError('number', 'null')}`,
      'At z: False boolean schema.',
    ])
    expect(new JsonShape({ anyOf: [{ type: 'string' }, { type: 'null' }] }).problems(1)).toEqual([
      'Instance does not match any subschemas.',
      typeError('number', 'string'),
      typeError('number', 'null'),
    ])
  })

  test.each([
    ['http://json-schema.org/draft-04/schema#', [true, true]],
    ['http://json-schema.org/draft-07/schema#', [true, false]],
    ['https://json-schema.org/draft/2019-09/schema', [false, false]],
    [undefined, [false, false]],
    [{ toString: 1 }, [false, false]],
  ] as const)('depends on the draft, such as %p', ($schema, fits) => {
    const beside = { $schema, $defs: { a: true }, $ref: '#/$defs/a', type: 'string' }
    const exclusive = { $schema, maximum: 5, exclusiveMaximum: true }
    const results = [beside, exclusive].map((schema) => new JsonShape(schema as JsonSchema).problems(3).length === 0)
    expect(results).toEqual([...fits])
  })

  test('changes neither the schema nor the value', () => {
    const frozen = Object.freeze({
      type: 'object',
      properties: Object.freeze({ a: Object.freeze({ type: 'string', pattern: 'x' }) }),
    })
    expect(new JsonShape(frozen).problems({ a: 1 })).toEqual([expect.stringContaining('At a: ')])
    expect(uncheckedKeywords(frozen)).toEqual(['schema.pattern'])
  })
})

describe('a schema is refused', () => {
  const listOf = (count: number, item: unknown) => Array.from({ length: count }, () => item)
  const nested = (levels: number): JsonSchema => ({
    $id: `https://x.example/${levels}`,
    ...(levels > 1 && { items: nested(levels - 1) }),
  })

  test.each<[string, JsonSchema, string]>([
    ['an unknown type', { type: 'strin' }, 'At type: Instance does not match any subschemas.'],
    ['a type deep inside', { properties: { a: { items: { type: 5 } } } }, 'At properties/a/items/type: '],
    ['two that are unknown, the deeper of them', { type: 'x', items: { type: 'y' } }, 'At items/type: '],
    ['required that is no list', { required: 'a' }, 'At required: '],
    ['a reference to nothing', { properties: { a: { $ref: '#/$defs/b' } } }, '“#/$defs/b” points to nothing.'],
    ['an empty reference', { properties: { a: { $ref: '' } } }, '“” points to nothing.'],
    ['a long reference to nothing', { $ref: `#${'x'.repeat(200)}` }, `: “#${'x'.repeat(99)}” points to nothing.`],
    ['nothing but itself', { $ref: '#' }, 'it cannot be applied.'],
    ['an address that is none', { $defs: { a: { $id: 'https://[' } } }, 'its $id is not an address.'],
    ['20,001 values', { title: 'x', enum: listOf(19_998, 'a') }, 'it has more than 20000 values.'],
    ['10,001 schemas for one value', { allOf: listOf(10_000, {}) }, 'more than 10000 schemas for a single value.'],
    ['five schemas with an $id inside one another', nested(5), 'too many schemas with an $id are inside one another.'],
  ])('with %s', (_, schema, message) => {
    expect(() => new JsonShape(schema)).toThrow(
      expect.objectContaining({ code: 'invalid-request', message: expect.stringContaining(message) }),
    )
  })

  test.each<[string, JsonSchema]>([
    ['20,000 values', { title: 'x', enum: listOf(19_997, 'a') }],
    ['10,000 schemas for one value', { allOf: listOf(9999, {}) }],
    ['four schemas with an $id inside one another', nested(4)],
    [
      'values that are like keywords',
      { const: null, default: { $ref: 5, properties: null, not: 'x' }, 'x-a': { $ref: 5 } },
    ],
    ['a property that is called id', { properties: { id: { type: 'string' }, $ref: true } }],
  ])('but not with %s', (_, schema) => {
    expect(new JsonShape(schema).problems('a')).toBeArray()
  })
})

describe('the parameters of a function', () => {
  test.each<[string, JsonSchema, string | undefined]>([
    ['none', {}, undefined],
    ['names of 64 signs', { properties: { ['a'.repeat(64)]: {}, 'B_c.1-': {} } }, undefined],
    [
      'a longer name',
      { properties: { a: {}, ['b'.repeat(100)]: {} } },
      `The property name “${'b'.repeat(80)}” should be`,
    ],
    ['no name', { properties: { '': {} } }, 'The property name “” should be 1 to 64 letters,'],
    ['properties that are no object', { properties: null }, 'At properties: '],
    ['a type that is none', { properties: { a: { type: 'x' } } }, 'At properties/a/type: '],
    ['an address that is none', { $id: 'https://[' }, 'its $id is not an address.'],
  ])('may have %s, or the problem is said', (_, parameters, problem) => {
    const said = parametersProblem(parameters)
    if (problem === undefined) expect(said).toBeUndefined()
    else expect(said).toContain(problem)
  })
})
