import { describe, expect, test } from 'bun:test'
import { z } from 'zod'
import type { Issue } from '../../../src/api/exchange/failure.ts'
import { Refusal } from '../../../src/api/exchange/refusal.ts'
import { Rejection, textField } from '../../../src/api/fields/field.ts'
import { validate } from '../../../src/api/http/validate.ts'

function issuesOf(schema: z.ZodType, input: unknown): readonly Issue[] {
  try {
    validate(schema, input)
  } catch (error) {
    if (error instanceof Refusal) return error.issues
    throw error
  }
  return []
}

const limited = textField((text) => (text === 'odd' ? new Rejection('odd_type', 'Odd', { odd: true }) : text))

describe('what is wrong with a value is said in the words of vendors', () => {
  test.each([
    [z.string(), undefined, 'missing', 'Field required', undefined],
    [z.enum(['a', 'b']), undefined, 'missing', 'Field required', undefined],
    [z.union([z.string(), z.number()]), undefined, 'missing', 'Field required', undefined],
    [z.string(), 1, 'string_type', 'Input should be a valid string', undefined],
    [z.boolean(), 1, 'bool_type', 'Input should be a valid boolean', undefined],
    [z.array(z.string()), 1, 'list_type', 'Input should be a valid list', undefined],
    [z.object({}), 1, 'dict_type', 'Input should be a valid object', undefined],
    [z.int(), '1x', 'int_parsing', 'Input should be a whole number', undefined],
    [z.int(), 1.5, 'int_from_float', 'Input should be a whole number', undefined],
    [z.int(), true, 'int_type', 'Input should be a valid integer', undefined],
    [z.number(), true, 'int_type', 'Input should be a valid integer', undefined],
    [z.int().min(2), 1, 'greater_than_equal', 'Input should be greater than or equal to 2', { ge: 2 }],
    [z.number().min(2), 1, 'greater_than_equal', 'Input should be greater than or equal to 2', { ge: 2 }],
    [z.int().max(2), 3, 'less_than_equal', 'Input should be less than or equal to 2', { le: 2 }],
    [z.number().max(2), 3, 'less_than_equal', 'Input should be less than or equal to 2', { le: 2 }],
    [z.array(z.number()).min(1), [], 'too_short', 'Input should have at least 1 item', { min_length: 1 }],
    [z.array(z.number()).max(1), [1, 2], 'too_long', 'Input should have at most 1 item', { max_length: 1 }],
    [z.enum(['a']), 'x', 'enum', "Input should be 'a'", { expected: "'a'" }],
    [z.enum(['a', 'b', 'c']), 'x', 'enum', "Input should be 'a', 'b' or 'c'", { expected: "'a', 'b' or 'c'" }],
    [z.union([z.string(), z.number()]), true, 'union_type', 'Input has the wrong type', undefined],
    [z.string().regex(/^a$/), 'b', 'value_error', expect.any(String), undefined],
    [limited, 'odd', 'odd_type', 'Odd', { odd: true }],
    [z.number().refine(() => false, 'Never'), 1, 'value_error', 'Never', undefined],
  ] as const)('%#', (schema, input, type, message, context) => {
    expect(issuesOf(schema, input)).toEqual([{ path: [], type, message, input, ...(context && { context }) }])
  })
})

test('the branch of a union that got furthest is the one that was meant', () => {
  const schema = z.object({
    at: z.union([
      z.string(),
      z.array(z.union([z.number(), z.object({ to: z.string(), of: z.object({ no: z.string() }) })])),
    ]),
  })
  expect(issuesOf(schema, { at: [1, { to: 'x', of: { no: 5 } }] })).toMatchObject([
    { path: ['at', 1, 'of', 'no'], type: 'string_type', input: 5 },
  ])
  expect(issuesOf(schema, { at: 5 })).toMatchObject([{ path: ['at'], type: 'union_type', input: 5 }])
  // What a branch finds first stands for it.
  const two = z.union([z.object({ a: z.string(), b: z.object({ c: z.string() }) }), z.number()])
  expect(issuesOf(two, { a: 1, b: { c: 1 } })).toMatchObject([{ path: ['a'] }])
})

test('what is right comes back as the schema reads it', () => {
  expect(validate(z.object({ a: z.string().transform((text) => text.length) }), { a: 'four' })).toEqual({ a: 4 })
})

test('an error echoes what was sent: of a text 500 characters, and nothing of a larger object', () => {
  const echoed = (input: unknown) => issuesOf(z.boolean(), input)[0]?.input
  expect(echoed('x'.repeat(501))).toBe('x'.repeat(500))
  const list = [`${'x'.repeat(496)}`]
  expect(JSON.stringify(list)).toHaveLength(500)
  expect(echoed(list)).toEqual(list)
  expect(echoed([`${list}x`])).toBeUndefined()
  expect(echoed(null)).toBeNull()
})

test('the input of an item of a list that came as text is the whole text, and inherited fields are none', () => {
  const list = z.preprocess((value) => (typeof value === 'string' ? value.split(',') : value), z.array(z.enum(['a'])))
  expect(issuesOf(z.object({ list }), { list: 'a,b' })).toMatchObject([{ path: ['list', 1], input: 'a,b' }])
  expect(issuesOf(z.object({ list: z.object({ a: z.string() }) }), { list: null })).toMatchObject([{ input: null }])
  const inherited = issuesOf(z.object({ constructor: z.string(), a: z.string().optional() }), { a: 'x' })
  expect(inherited).toMatchObject([{ path: ['constructor'], input: undefined }])
})

test('an error names twenty issues at most', () => {
  expect(
    issuesOf(
      z.array(z.string()),
      Array.from({ length: 25 }, () => 1),
    ),
  ).toHaveLength(20)
})
