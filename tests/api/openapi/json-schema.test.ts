import { expect, test } from 'bun:test'
import { z } from 'zod'
import { inputSchema, schemaOfExample } from '../../../src/api/openapi/json-schema.ts'

const text = { type: 'string' }
const list = { type: 'array', items: text }
const either = z.union([z.string(), z.array(z.string())])

test.each([
  [z.string(), text],
  [z.string().nullish(), { type: ['string', 'null'] }],
  [z.string().meta({ description: 'Words' }).nullish(), { type: ['string', 'null'], description: 'Words' }],
  [z.enum(['a', 'b']).nullish(), { type: ['string', 'null'], enum: ['a', 'b', null] }],
  [z.literal('a').nullable(), { anyOf: [{ type: 'string', const: 'a' }, { type: 'null' }] }],
  [z.unknown().nullish(), {}],
  [either, { anyOf: [text, list] }],
  [z.union([z.array(z.string())]), { anyOf: [list] }],
  [either.nullable(), { anyOf: [{ anyOf: [text, list] }, { type: 'null' }] }],
  [z.union([...either.options, z.null()]), { anyOf: [text, list, { type: 'null' }] }],
  [z.int(), { type: 'integer' }],
  [z.int().min(-5).max(5), { type: 'integer', minimum: -5, maximum: 5 }],
  [z.array(z.string().nullable()).max(3), { type: 'array', items: { type: ['string', 'null'] }, maxItems: 3 }],
  [
    z.object({ a: z.int(), b: z.string().nullish() }),
    {
      ...{ type: 'object', required: ['a'] },
      properties: { a: { type: 'integer' }, b: { type: ['string', 'null'] } },
    },
  ],
] as const)('what a client sends is described without what says nothing: %#', (schema, described) => {
  expect<unknown>(inputSchema(schema)).toEqual(described)
})

test.each([
  ['a', text],
  [1, { type: 'number' }],
  [true, { type: 'boolean' }],
  [null, {}],
  [undefined, {}],
  [[], { type: 'array', items: {} }],
  [['a', 'b'], list],
  [['a', 1, 'b'], { type: 'array', items: { anyOf: [text, { type: 'number' }] } }],
  [
    { a: 'x', b: [{ c: null }] },
    { a: text, b: { type: 'array', items: { type: 'object', properties: { c: {} } } } },
  ],
])('the example %j is described by its types', (example, described) => {
  const isObject = typeof example === 'object' && example !== null && !Array.isArray(example)
  expect<unknown>(schemaOfExample(example)).toEqual(isObject ? { type: 'object', properties: described } : described)
})
