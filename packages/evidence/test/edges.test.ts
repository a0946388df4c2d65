import { describe, expect, test } from 'bun:test'
import { checkClaims, checkingClaims } from '../src/check.ts'
import { passageFinder } from '../src/has-passage.ts'

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
  // A date may be read in two ways, and each date is one of its own.
  ['On 4/5/2026 it', 'it on 5 April 2026', undefined],
  ['On 4/5/2026 it', 'it on 5 June 2026', ['4/5/2026']],
  ['On 4 May 2026 and on 4 June 2026 it', 'it on 4 May 2026', ['4 June 2026']],
  // The day of a date is no number of anything else.
  ['Seven seats', 'it on 7 May 2026', ['Seven']],
  // A word that may mean something else must be there if a unit is behind it; two may be loose.
  ['Vier Meter', 'fünf Meter', ['Vier']],
  ['Vier Glocken', 'fünf Glocken', undefined],
  ['Three metres', 'five metres', ['Three']],
  ['Two metres', 'five metres', undefined],
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

test('words in another language leave its names: half of them are a sign', () => {
  const page = 'The wind farm in Uckermark went live in the spring. It has turbines and it is one of the largest.'
  const said = (text: string) => {
    const [one] = checkClaims([{ text, sources: [1] }], () => ({ text: page }))
    return [one?.verdict, one?.reason]
  }
  expect(said('In Uckermark ist es nicht so, sagt Anna.')).toEqual(['partly', 'other-language'])
  expect(said('In Uckermark ist es nicht so, sagt Anna mit Bert.')).toEqual(['not-read', 'other-language'])
  expect(said('es ist nicht so, wie sie sagt, und das war nie anders.')).toEqual(['not-read', 'other-language'])
})

test('a sentence whose language nothing tells is read as its page is', () => {
  const german = 'Der Fluss ist 3,6 km lang und er ist nicht so breit wie der andere.'
  const english = 'The length of the river is 3.6 km and it is not as wide as the other.'
  expect(checked('Länge: 3.600 km', german).missing).toEqual(['3.600'])
  expect(checked('Length: 3.600 km', english).missing).toBeUndefined()
})

test('several numbers that are there are a sign, however many of the words are others', () => {
  const page = 'There are 512 seals on 37 islands.'
  const { verdict, score } = checked('some 512 furry creatures inhabit 37 rocky isles', page)
  expect([verdict, score]).toEqual(['partly', 0.46])
  expect(checked('some 512 furry creatures inhabit nine rocky isles', page).verdict).toBe('not-found')
})

test('of two pages the one that has more of a sentence is shown', () => {
  const pages = ['Oslo is old. It rained all day.', 'The harbour of Oslo has cranes. It rained all day.']
  const shown = (...sources: readonly number[]) => {
    const claim = { text: 'The harbour of Oslo has cranes.', sources }
    return checkClaims([claim], (source) => ({ text: pages[source - 1] ?? '' }))[0]?.passage?.source
  }
  expect([shown(1, 2), shown(2, 1)]).toEqual([2, 2])
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

  test('if each line of it is, where it stood in the earlier text, but for headings', () => {
    const earlier = 'Menu of all\n# Old heading\nSeals bark at night\nThey sleep by day and dream'
    const passage = { source: 1, place: earlier.indexOf('# Old') }
    const text = 'Old heading Seals bark at night They sleep by day and'
    const isOn = (page: string) => passageFinder(page)({ ...passage, text }, earlier)
    expect(isOn('# New heading\nSeals bark at night\n\nBuy now.\n\nThey sleep by day and dream')).toBe(true)
    expect(isOn('Seals bark at night. They sleep by night and dream')).toBe(false)
    expect(isOn('Seals bark at\n\nBuy now.\n\nnight. They sleep by day and dream')).toBe(false)
  })
})

test.each([
  ['seal ', 20_000],
  ['4 May 2026, ', 1500],
])('a page that is nothing but %j, %d times, is read in some pieces', (words, times) => {
  const claim = { text: 'The harbour of Oslo has 40 cranes.', sources: [1] }
  const reading = checkingClaims([claim], () => ({ text: words.repeat(times) }), { budgetMs: 600_000 })
  let pieces = 0
  while (!reading.next().done) pieces++
  expect(pieces).toBeWithin(8, 60)
})
