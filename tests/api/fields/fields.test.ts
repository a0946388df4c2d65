import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { z } from 'zod'
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
import { readSiteOperators } from '../../../src/api/fields/site-operators.ts'
import { runs } from '../../support/runs.ts'

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

  test('is ignored where the caller set it', () => {
    const input = { a: undefined, b: false, c: '', d: 0, e: true, f: null, g: 'x' }
    expect(ignoredFields(input, ['a', 'b', 'c', 'd', 'e', 'f'])).toEqual(['d', 'e', 'f'])
  })
})

describe('the sites in a query', () => {
  test.each([
    ['bees site:a.com', ['a.com'], undefined, 'bees'],
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
