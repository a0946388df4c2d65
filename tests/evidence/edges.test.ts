import { describe, expect, test } from 'bun:test'
import { checkClaims } from '../../src/evidence/check.ts'
import { passageFinder } from '../../src/evidence/has-passage.ts'

function checked(text: string, page: string) {
  const [evidence] = checkClaims([{ text, sources: [1] }], () => ({ text: `${page} It rained all day.` }))
  return { verdict: evidence?.verdict, score: evidence?.score ?? 0, missing: evidence?.missing?.map((one) => one.text) }
}

describe('a word in two parts', () => {
  const claim = 'The prewar harbour of Oslo had one desk.'
  const score = (page: string) => checked(claim, page).score

  test('is one if a hyphen joins them, also at the end of a line', () => {
    expect(score('The pre-war harbour of Oslo had one desk.')).toBe(1)
    expect(score('The pre-\nwar harbour of Oslo had one desk.')).toBe(1)
  })

  test('is two behind a space, or without a hyphen', () => {
    expect(score('The pre- war harbour of Oslo had one desk.')).toBeLessThan(1)
    expect(score('The pre war harbour of Oslo had one desk.')).toBeLessThan(1)
    expect(score('The pre-\n\nwar harbour of Oslo had one desk.')).toBeLessThan(1)
  })
})

test('capital letters that count are an abbreviation as well', () => {
  expect(checked('The team MIX won in Oslo.', 'The team MIX won in Oslo.').missing).toBeUndefined()
  expect(checked('The team MIX won in Oslo.', 'The team won in Oslo.').missing).toEqual(['MIX'])
  expect(
    checked('Chapter XII tells of seals in Oslo.', 'It tells of seals in Oslo in chapter 12.').missing,
  ).toBeUndefined()
})

test.each([
  ['−5 degrees', '5 degrees', ['−5 degrees']],
  ['-5 degrees', '5 degrees', ['-5 degrees']],
  ['(-5 degrees)', '-5 degrees', undefined],
  ['A-5 degrees', '5 degrees', undefined],
  ['4-5 degrees', '4-5 degrees', undefined],
])('the sign of %s', (claimed, there, missing) => {
  expect(checked(`It was ${claimed} in Oslo in May.`, `It was ${there} in Oslo in May.`).missing).toEqual(missing)
})

test.each([
  ['Version 5.5.5', 'version 5.5.5', undefined],
  ['Version 5.5.5', 'version 5.5.6 or 55.5', ['5.5.5']],
  ['Version 55.5', 'version 5.5.5', ['55.5']],
  ['Two million copies', '2,000,000 copies', undefined],
  ['Two million copies', 'three million copies', ['Two million']],
  ['A hundred and four copies', '104 copies', undefined],
  ['A hundred and four copies', 'four copies', ['A hundred and four']],
  ['Half a million euros', '€500,000', undefined],
  ['Two and a half million euros', '€2.5 million', undefined],
  ['NZ$5', '$5', undefined],
  ['5 dollars', 'SGD5', undefined],
  ['NZ$5', 'US$5', ['NZ$5']],
  ['$5', '€5', ['$5']],
])('%s beside a page with %s', (claimed, there, missing) => {
  expect(checked(`${claimed} came out in Oslo.`, `In Oslo came out ${there}.`).missing).toEqual(missing)
})

test('what a page in another language does not have is not known while another page was not read', () => {
  const page = 'The wind farm went live in the spring. It has 24 turbines and it is one of the largest in the state.'
  const said = (text: string, sources: readonly number[]) => {
    const [one] = checkClaims([{ text, sources }], (source) => (source === 1 ? { text: page } : undefined))
    return [one?.verdict, one?.reason, one?.missing?.map(({ text }) => text)]
  }
  const claim = 'Der Windpark hat 30 Anlagen und ist damit einer der größten in dem Land.'
  expect(said(claim, [1])).toEqual(['not-found', 'other-language', ['30']])
  expect(said(claim, [1, 2])).toEqual(['not-read', 'unreadable', undefined])
  expect(said(claim.replace('30', '24'), [1, 2])).toEqual(['partly', 'other-language', undefined])
})

describe('a sentence that cites two pages', () => {
  const page = 'The harbour of Oslo has 40 cranes. It rained all day.'
  const said = (text: string, second: string | undefined) => {
    const pages = [page, second]
    const [one] = checkClaims([{ text, sources: [1, 2] }], (source) => {
      const known = pages[source - 1]
      return known === undefined ? undefined : { text: known }
    })
    return [one?.verdict, one?.reason, one?.passages?.length]
  }

  test('of which one was not read is found on the other, or it is not known', () => {
    expect(said('The harbour of Oslo has 40 cranes.', undefined)).toEqual(['found', undefined, undefined])
    expect(said('The harbour of Oslo has 50 cranes.', undefined)).toEqual(['not-read', 'unreadable', undefined])
    expect(said('Nobody likes the old opera.', undefined)).toEqual(['not-read', 'unreadable', undefined])
  })

  test('has a passage of each that has a good part of it', () => {
    expect(said('The harbour of Oslo has 40 cranes.', 'Oslo has 40 cranes in its harbour.')).toEqual([
      'found',
      undefined,
      2,
    ])
    expect(said('The harbour of Oslo has 40 cranes.', 'Nobody likes the old opera.')).toEqual([
      'found',
      undefined,
      undefined,
    ])
    expect(said('Nobody likes the ships.', 'Nobody likes the old opera.')[2]).toBeUndefined()
  })
})

test('of a table of dates a hundred are looked for', () => {
  const dates = Array.from({ length: 140 }, (_, at) => `${1 + (at % 28)} May ${1800 + at}`)
  const { missing } = checked(`Oslo: ${dates.join(', ')}`, 'Oslo has no dates.')
  expect(missing?.filter((text) => text.includes('May'))).toHaveLength(100)
})

describe('a passage is still on a page', () => {
  const find = passageFinder('# Seals\n\nSeals bark at [night](https://a.example/) on the **ice**. They sleep by day.')
  const found = (text: string) => find({ text, source: 1, place: 0 })

  test('whatever its layout is, and if it ends within a word', () => {
    expect(found('Seals bark at night on the i')).toBe(true)
    expect(found('Seals bark at night\non the ice. They')).toBe(true)
  })

  test('but not with another word, or in another order', () => {
    expect(found('Seals bark at noon on the ice')).toBe(false)
    expect(found('on the ice Seals bark at night')).toBe(false)
    expect(found('Seals bark at night on the ice. They sing by')).toBe(false)
  })
})
