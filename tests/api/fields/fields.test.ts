import { describe, expect, test } from 'bun:test'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import { z } from 'zod'
import {
  booleanField,
  given,
  ignoredFields,
  integerField,
  listField,
  nameField,
  numberField,
  Rejection,
  textField,
} from '../../../src/api/fields/field.ts'
import { oneQueryField, queryField, readQuery } from '../../../src/api/fields/query.ts'
import { readSiteOperators } from '../../../src/api/fields/site-operators.ts'
import { urlsField } from '../../../src/api/fields/urls.ts'

const read = (schema: z.ZodType, value: unknown): unknown => schema.safeParse(value).data

/** A word as a query string may have it: in any case, with space around it. */
const spelled = (word: string) =>
  fc
    .tuple(fc.constantFrom('', ' ', '\n\t'), fc.array(fc.boolean(), { minLength: word.length, maxLength: word.length }))
    .map(([space, uppers]) => {
      const letters = Array.from(word, (letter, at) => (uppers[at] ? letter.toUpperCase() : letter))
      return `${space}${letters.join('')}${space}`
    })

describe('a field', () => {
  test.each([
    ['a yes', booleanField, ['true', '1', 'yes', 'y', 'on', 't'], true],
    ['a no', booleanField, ['false', '0', 'no', 'n', 'off', 'f'], false],
    ['a name of a list', nameField(['News', 'web']), ['news'], 'News'],
    ['nothing', given(booleanField, ['unset']), ['', 'unset'], undefined],
  ] as const)('takes %s however it is spelled', (_name, schema: z.ZodType, words, value) => {
    fc.assert(
      fc.property(fc.constantFrom<string>(...words).chain(spelled), (text) => {
        expect(schema.safeParse(text)).toEqual({ success: true, data: value })
      }),
      { numRuns: runs(100) },
    )
  })

  test.each([
    [booleanField, 'maybe'],
    [booleanField, 2],
    [nameField(['web']), 'we b'],
    [integerField(1, 9), '1.5'],
    [integerField(1, 9), '1x'],
    [integerField(1, 9), ''],
    [numberField(0, 1), '-'],
    [numberField(0, 1), '.5'],
  ] as const)('that has another form is refused: %p %p', (schema: z.ZodType, value) => {
    expect(schema.safeParse(value).success).toBe(false)
  })

  test('that is a number is within its bounds, as JSON and as text', () => {
    fc.assert(
      fc.property(fc.integer({ min: -20, max: 20 }), (number) => {
        for (const value of [number, String(number), ` ${number} `]) {
          expect(read(integerField(-3, 9), value)).toBe(number >= -3 && number <= 9 ? number : undefined)
          const isNatural = number >= 0 || typeof value === 'number'
          expect(read(numberField(-3, 9), value)).toBe(isNatural && number >= -3 && number <= 9 ? number : undefined)
        }
      }),
      { numRuns: runs(100), examples: [[-3], [-4], [9], [10]] },
    )
  })

  test('that is a list has as many items as are allowed, without blank ones', () => {
    const list = listField(nameField(['a', 'b']), 2)
    expect(read(list, ' a ,, b ')).toEqual(['a', 'b'])
    expect(list.safeParse('a,b,a').success).toBe(false)
    expect(list.safeParse(['a', '']).success).toBe(false)
  })

  test('that is a text has a length, before it is read', () => {
    const lengths: number[] = []
    const field = textField((text) =>
      lengths.push(text.length) > 0 && text === 'bad' ? new Rejection('t', 'No.') : text,
    )
    expect(field.safeParse('x'.repeat(2048)).success).toBe(true)
    expect(field.safeParse('x'.repeat(2049)).success).toBe(false)
    expect(field.safeParse('bad').error?.issues).toMatchObject([{ message: 'No.', params: { type: 't' } }])
    expect(lengths).toEqual([2048, 3])
  })

  test.each([
    [booleanField, 1, true],
    [booleanField, 0, false],
    [given(nameField(['a', 'b']), ['b']), 'A', 'a'],
    [given(nameField(['a', 'b']), ['b']), ' B ', undefined],
    [listField(z.string(), 2), ' a , b', ['a', 'b']],
    [urlsField(2), 'a', ['a']],
    [urlsField(2), ['a', 'b'], ['a', 'b']],
    [oneQueryField, ' bees ', 'bees'],
    [oneQueryField, ['bees'], 'bees'],
  ] as const)('reads what clients send for it: %#', (schema: z.ZodType, sent, value) => {
    expect(schema.safeParse(sent)).toEqual({ success: true, data: value })
  })

  test.each([
    [urlsField(2), []],
    [urlsField(2), ['a', 'b', 'c']],
    [oneQueryField, ['bees', 'wasps']],
    [oneQueryField, []],
  ] as const)('has as many values as its kind: %#', (schema: z.ZodType, sent) => {
    expect(schema.safeParse(sent).success).toBe(false)
  })

  test('is ignored where the caller set it', () => {
    const input = { a: undefined, b: false, c: '', d: 0, e: true, f: null, g: 'x' }
    expect(ignoredFields(input, ['a', 'b', 'c', 'd', 'e', 'f'])).toEqual(['d', 'e', 'f'])
  })
})

describe('the sites in a query', () => {
  test.each([
    ['bees site:A.com', ['a.com'], undefined, 'bees'],
    ['bees -site:a.com', undefined, ['a.com'], 'bees'],
    ['bees NOT site:a.com', undefined, ['a.com'], 'bees'],
    ['(site:a.com OR site:b.com) bees', ['a.com', 'b.com'], undefined, 'bees'],
    ['bees -(site:a.com OR site:b.com) site:c.com', ['c.com'], ['a.com', 'b.com'], 'bees'],
    ['bees NOT (site:a.com OR site:b.com) site:c.com', ['c.com'], ['a.com', 'b.com'], 'bees'],
    ['bees (-site:a.com OR site:b.com)', ['b.com'], ['a.com'], 'bees'],
    ['bees AND site:a.com OR wasps', ['a.com'], undefined, 'bees OR wasps'],
  ])('%s', (query, includeDomains, excludeDomains, rest) => {
    expect(readSiteOperators(query)).toEqual({ sites: { includeDomains, excludeDomains }, rest })
  })

  test.each(['bees', '"site:a.com" bees', 'site:a.com/path', 'site: bees', 'NOT bees', 'mysite:a.com'])(
    'are none in %s',
    (query) => expect(readSiteOperators(query)).toEqual({ rest: query }),
  )
})

describe('a query', () => {
  const limits = { maxCharacters: 5, maxWords: 2 }

  test.each([
    [' be es ', 'be es'],
    ['🐝🐝🐝🐝🐝', '🐝🐝🐝🐝🐝'],
    ['b', 'b'],
    ['beeees', ['string_too_long', 'String should have at most 5 characters', { max_length: 5 }]],
    ['b e s', ['too_many_words', 'String should have at most 2 words', { max_words: 2 }]],
    [' \u0000 ', ['string_too_short', 'String should have at least 1 character', { min_length: 1 }]],
  ])('is cleaned and has its lengths: %j', (text, expected) => {
    const query = readQuery(text, limits)
    expect(query instanceof Rejection ? [query.type, query.message, query.context] : query).toEqual(expected)
  })

  test('has as many words as it likes where there is no limit, and keeps its lines where they count', () => {
    expect(readQuery('a b c', { maxCharacters: 5 })).toBe('a b c')
    expect([true, undefined].map((keepLines) => readQuery('a\nb', { maxCharacters: 5, keepLines }))).toEqual([
      'a\nb',
      'a b',
    ])
  })

  test('of any length is measured by its own limit, which the reference names', () => {
    expect(queryField({ maxCharacters: 5000 }).safeParse('x'.repeat(5000)).success).toBe(true)
    const words = (limit: Parameters<typeof queryField>[0]) =>
      z.toJSONSchema(queryField(limit), { io: 'input' }).description
    expect(words(limits)).toBe('text of 1 to 5 characters and 2 words')
    expect(words({ maxCharacters: 5 })).toBe('text of 1 to 5 characters')
  })
})
