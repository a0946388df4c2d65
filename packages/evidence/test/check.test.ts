import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type CheckOptions, checkClaims, checkSentences } from '../src/check.ts'
import { type CitedPage, countVerdicts, type Evidence } from '../src/evidence.ts'
import { hasRow } from '../src/quotes.ts'
import { languages } from './languages.ts'

function checkClaim(text: string, pages: readonly (CitedPage | undefined)[], options?: CheckOptions): Evidence {
  const sources = pages.map((_, place) => place + 1)
  const [evidence] = checkClaims([{ text, sources }], (source) => pages[source - 1], options)
  if (!evidence) throw new Error('A claim has no evidence.')
  return evidence
}

function checked(claim: string, ...texts: (string | undefined)[]): Evidence {
  return checkClaim(
    claim,
    texts.map((text) => (text === undefined ? undefined : { text })),
  )
}

/** An answer from sentences with the sources of each. */
function answerOf(...parts: readonly (readonly [sentence: string, ...sources: number[]])[]) {
  let text = ''
  const citations: { number: number; start: number; end: number }[] = []
  for (const [sentence, ...sources] of parts) {
    text += `${text ? ' ' : ''}${sentence}`
    for (const number of sources) {
      const start = text.length
      text += `[${number}]`
      citations.push({ number, start, end: text.length })
    }
  }
  return { text, citations }
}

describe.each(Object.entries(languages))('in %s', (_, { page, right, wrong, invented, unrelated }) => {
  test.each(right)('what the page says is found: %s', (sentence) => {
    const { verdict, missing, passage } = checked(sentence, page)
    expect({ verdict, missing }).toEqual({ verdict: 'found', missing: undefined })
    expect(passage?.source).toBe(1)
  })

  test.each(wrong)('a wrong figure or date is named: %s', (sentence, text) => {
    const { verdict, missing } = checked(sentence, page)
    expect({ verdict, missing: missing?.map((one) => one.text) }).toEqual({ verdict: 'partly', missing: [text] })
  })

  test('an invented quotation is not found', () => {
    const { verdict, missing } = checked(invented, page)
    expect({ verdict, kinds: missing?.map(({ kind }) => kind) }).toEqual({ verdict: 'not-found', kinds: ['quotation'] })
  })

  test('what is about something else is not found', () => {
    expect(checked(unrelated, page).verdict).toBe('not-found')
  })

  test('nothing is known of a page that was not read', () => {
    expect(checked(right[0] ?? '', undefined)).toMatchObject({ verdict: 'not-read', reason: 'unreadable' })
  })
})

describe('numbers and dates', () => {
  const found = (claim: string, page: string) => expect(checked(claim, page).missing ?? []).toEqual([])
  const missing = (claim: string, page: string) => expect(checked(claim, page).missing?.map(({ text }) => text) ?? [])

  test.each([
    ['1,000 seats', '1000 seats'],
    ['1.000 seats', '1 000 seats'],
    ["1'000 seats", '1,000 seats'],
    ['12,00,000 seats', '1,200,000 seats'],
    ['1.2 million seats', '1,234,567 seats'],
    ['$3.5bn in revenue', 'revenue of 3.5 billion dollars'],
    ['3 Milliarden Euro', '3 Mrd. €'],
    ['12.4 % of seats', '12,4 Prozent of seats'],
    ['12% of seats', '12.4 percent of seats'],
    ['7 seats', 'seven seats'],
    ['the 3rd seat', 'the third seat'],
    ['200 seats', 'two hundred seats'],
    ['at 10:30 p.m. the seats', 'the seats at 22.30'],
    ['seasons 2019–20', 'seasons 2019-2020'],
    ['12 seats', '١٢ seats'],
    ['12 seats', '1\u200b2 seats'],
    ['5万 seats', '50,000 seats'],
    ['on 2026-05-04 the seats', 'the seats on May 4th, 2026'],
    ['on 4 May 2026 the seats', 'the seats on 04.05.2026'],
    ['on 4 de mayo de 2026 seats', 'seats 5/4/2026'],
    ['in May 2026 the seats', 'the seats on 4 May 2026'],
    ['on 4 May 2026 the seats', 'News of 2026. The seats since May 4'],
  ])('%s is in: %s', found)

  test('are not found in other numbers', () => {
    missing('The hall has 1,500 seats.', 'The hall has 15,000 seats since 1 May 2015.').toEqual(['1,500'])
    missing('The hall has 12% of the seats.', 'The hall has 13.4% of the seats.').toEqual(['12'])
    missing('Opened on 4 May 2026.', 'Opened on 5 May 2026 and again on 4 June 2026.').toEqual(['4 May 2026'])
    missing('Opened on 4 May 2019.', 'Opened on 4 May in 2026.').toEqual(['4 May 2019'])
    missing('The hall has 4 seats.', 'The hall was opened on 4 May 2026.').toEqual(['4'])
  })

  test('the day of publication counts as a date of the page', () => {
    const page = { text: 'The hall was opened today with music.', publishedAt: '2026-05-04' }
    expect(checkClaim('The hall was opened with music on 4 May 2026.', [page]).missing).toBeUndefined()
  })
})

describe('an answer', () => {
  const { en, de } = languages
  const pages: Readonly<Record<number, { text: string } | undefined>> = {
    1: { text: en?.page ?? '' },
    2: { text: de?.page ?? '' },
  }

  test('each sentence is compared with the pages that it cites, and with no other', () => {
    const [claim = ''] = en?.right ?? []
    const { text, citations } = answerOf([claim, 1], [claim, 2], [claim, 1, 2], [claim, 3], ['Nobody is cited here.'])
    const evidence = checkSentences({ text, citations }, (source) => pages[source])
    expect(evidence.map(({ verdict, sources }) => [verdict, ...sources])).toEqual([
      ['found', 1],
      ['not-found', 2],
      ['found', 1, 2],
      ['not-read', 3],
    ])
    expect(checked(en?.unrelated ?? '', en?.page, undefined)).toMatchObject({
      verdict: 'not-read',
      reason: 'unreadable',
    })
    expect(countVerdicts(evidence)).toEqual({ found: 2, partly: 0, 'not-found': 1, 'not-read': 1 })
    for (const { sentence, start, end } of evidence) expect(text.slice(start, end)).toBe(sentence)
  })

  test('what is said of a site that is no source is no part of a sentence', () => {
    const text = 'It ran, says invented.example (not among the sources) [1]. Es lief (nicht unter den Quellen) [1].'
    const citations = [...text.matchAll(/\[1\]/g)].map(({ index: start }) => ({ number: 1, start, end: start + 3 }))
    const evidence = checkSentences({ text, citations }, () => undefined)
    expect(evidence.map(({ sentence }) => sentence)).toEqual(['It ran, says invented.example.', 'Es lief.'])
  })

  test('Markdown, list numbers, abbreviations and markers are no part of a sentence', () => {
    const text =
      '## Facts\n1. **The U.S. park** of Dr. No has 24 plants [2].\n2. It ran on 5. Mai at 7.5 GWh.[1][2]\n\nEnd.'
    const citations = [...text.matchAll(/\[(\d)\]/g)].map((found) => ({
      number: Number(found[1]),
      start: found.index,
      end: found.index + 3,
    }))
    const evidence = checkSentences({ text, citations }, () => undefined)
    expect(evidence.map(({ sentence, sources }) => [sentence, ...sources])).toEqual([
      ['The U.S. park of Dr. No has 24 plants.', 2],
      ['It ran on 5. Mai at 7.5 GWh.', 1, 2],
    ])
  })

  test('in another language than its page has its numbers compared, and nothing else', () => {
    const page =
      'The wind farm Uckermark went live on March 3, 2024. It has 24 turbines and it is one of the largest in the state.'
    const verdictOf = (claim: string) => checked(claim, page)
    const right = verdictOf('Der Windpark Uckermark hat 24 Anlagen und ist am 3. März 2024 ans Netz gegangen.')
    expect(right).toMatchObject({ verdict: 'partly', reason: 'other-language' })
    expect(right.missing).toBeUndefined()
    const wrong = verdictOf('Der Windpark Uckermark hat 30 Anlagen und ist am 3. März 2024 ans Netz gegangen.')
    expect(wrong).toMatchObject({ verdict: 'partly', missing: [{ kind: 'number', text: '30' }] })
    const open = verdictOf('die Leute sind mit dem neuen Bauwerk nicht zufrieden und klagen auf der Straße.')
    expect(open).toMatchObject({ verdict: 'not-read', reason: 'other-language' })
  })
})

describe('a link behind a sentence', () => {
  const title = 'Solar parks: what is new | The Daily Sun'
  const url = 'https://www.daily-sun.example/solar'

  test.each([
    [`The park has 24 plants. ${title} [1] It ran on Monday. ${title} [1]`],
    ['The park has 24 plants. Solar parks [1] It ran on Monday. The Daily Sun [1]'],
    ['The park has 24 plants. daily-sun.example [1] It ran on Monday. SOLAR PARKS [1]'],
    [`The park has 24 plants ${title} [1]. It ran on Monday [1].`],
    ['The park has 24 plants.\n- Solar parks [1]\nIt ran on Monday. [1]'],
  ])('is no part of what is said: %s', (text) => {
    const citations = [...text.matchAll(/\[1\]/g)].map(({ index }) => ({
      number: 1,
      start: index,
      end: index + 3,
      title,
      url,
    }))
    const evidence = checkSentences({ text, citations }, () => undefined)
    const sentences = evidence.map(({ sentence }) => sentence.replace(/\s*\.$/, ''))
    expect(sentences).toEqual(['The park has 24 plants', 'It ran on Monday'])
  })

  test('a word of the sentence that ends as a name does stays', () => {
    const text = 'They like subsolar parks [1].'
    const [one] = checkSentences({ text, citations: [{ number: 1, start: 25, end: 28, title, url }] }, () => undefined)
    expect(one?.sentence).toContain('subsolar parks')
  })
})

describe('hostile and large texts', () => {
  test('letters that nobody sees, wide letters and odd spaces hide nothing and add nothing', () => {
    const page = 'The\u00a0flo\u00adating so\u200blar park has\u202f１２，０００ panels.'
    const { verdict, passage } = checked('The floating solar park has 12,000 panels.', `Menu.\n\n${page}`)
    expect(verdict).toBe('found')
    expect(passage?.place).toBe('Menu.\n\n'.length)
  })

  test('the passage is the one with the figures, however many of the words stand elsewhere', () => {
    const lead = 'The floating solar park near Kerk powers the villages of the lake district.'
    const filler = 'Boats pass it. Birds rest there. Anglers know it. Children draw it. Tourists film it. '
    const fact = 'It has 12,000 panels since 4 May 2021.'
    for (const text of [`${lead} ${filler}${fact} ${filler}`, `${fact} ${filler}${lead} ${filler}`]) {
      const claim = 'The floating solar park near Kerk powers the villages of the lake district with 12,000 panels.'
      expect(checked(claim, text).passage?.text).toContain('12,000 panels')
      const opened = 'The floating solar park near Kerk powers the villages of the lake district since 4 May 2021.'
      expect(checked(opened, text).passage?.text).toContain('4 May 2021')
    }
    const claim = 'The floating solar park near Kerk, which powers the villages, has 12,000 panels.'
    expect(checked(claim, `${lead} ${filler}`, `${filler}${fact}`).passage).toMatchObject({
      source: 2,
      text: expect.stringContaining('12,000'),
    })
  })

  test('a passage has no markup, and its place is that in the page as it was given', () => {
    const text =
      'Zero\u200b width.\n\nSee [the floating solar park](https://example.com/a_(b)) with **12,000 panels**.\n\nMore.'
    const { passage } = checked('The floating solar park has 12,000 panels.', text)
    expect(passage?.text).toContain('See the floating solar park with 12,000 panels.')
    expect(text.slice(passage?.place).trimStart()).toStartWith('See')
  })

  test('addresses say nothing', () => {
    const page =
      'Welcome to our site, friends of music. [Here](https://example.com/floating-solar-park-12000-panels) is more.'
    expect(checked('The floating solar park has 12000 panels.', page).verdict).toBe('not-found')
  })

  test('of a page whose rest is for subscribers, what was not found is not known', () => {
    const claim = 'The floating solar park has 12,000 panels.'
    const verdictOf = (text: string) =>
      checkClaims([{ text: claim, sources: [1] }], () => ({ text, isPaywalled: true }))[0]
    expect(verdictOf('The floating solar park was opened in May by the mayor.')).toMatchObject({
      ...{ verdict: 'not-read', reason: 'unreadable' },
    })
    expect(verdictOf(`Yesterday's news. ${claim}`)?.verdict).toBe('found')
  })

  test('of a page that is too long, what was not found is not known', () => {
    const filler = 'Nothing of interest is said in this line of the page.\n'.repeat(40_000)
    const claim = 'The floating solar park has 12,000 panels.'
    expect(checked(claim, filler)).toMatchObject({ verdict: 'not-read', reason: 'too-long' })
    expect(checked(claim, `${claim}\n${filler}`).verdict).toBe('found')
  })

  test('a sentence of more than 5,000 characters is not read', () => {
    const longest = `${'word '.repeat(999)}words`
    expect(checked(longest, 'word')).not.toHaveProperty('reason')
    expect(checked(`${longest}s`, 'word')).toMatchObject({ verdict: 'not-read', reason: 'too-long' })
  })

  test('of hundreds of sentences over pages that are the same few words, as many are compared as there is room for', () => {
    const words = 'garden water stone river house light sound paper'
    const text = `All of the ${words}. `.repeat(3000)
    const claims = Array.from({ length: 400 }, () => ({ text: `Any ${words}.`, sources: [1, 2, 3] }))
    const reasons = checkClaims(claims, () => ({ text })).map(({ verdict, reason }) => reason ?? verdict)
    expect(reasons[0]).toBe('found')
    expect(reasons.at(-1)).toBe('too-long')
  })

  test('without time, nothing is known', () => {
    expect(checkClaim('A park.', [{ text: 'A park.' }], { budgetMs: -1 })).toMatchObject({
      verdict: 'not-read',
      reason: 'too-long',
    })
  })

  test.each([
    '"'.repeat(60_000),
    '](('.repeat(20_000),
    '1.'.repeat(30_000),
    '1 234'.repeat(12_000),
    '4 May '.repeat(10_000),
    'a-'.repeat(30_000),
    '漢'.repeat(50_000),
    '“ 「 '.repeat(12_000),
  ])('worst letters end (%#)', (text) => {
    const claim = `On 4 May 2026 1,234 a's "said 漢字 to all of us"`
    const claims = [claim, text.slice(0, 4900)].map((said) => ({ text: said, sources: [1] }))
    const [about, same] = checkClaims(claims, () => ({ text }))
    expect(['not-found', 'not-read', 'partly']).toContain(about?.verdict ?? '')
    expect(same?.sources).toEqual([1])
  })
})

describe('words in a row', () => {
  test('are found wherever they stand', () => {
    const words = fc.array(fc.constantFrom('a', 'b'), { maxLength: 12 })
    fc.assert(
      fc.property(words, words, (all, row) => {
        const places = Array.from({ length: all.length + 1 }, (_, start) => all.slice(start, start + row.length))
        expect(hasRow(all, row)).toBe(places.some((some) => some.join(' ') === row.join(' ')))
      }),
    )
  })

  test('that nearly repeat take linear time', () => {
    const page = Array.from({ length: 400_000 }, () => 'a')
    expect(hasRow(page, [...page.slice(200_000), 'b'])).toBe(false)
    expect(hasRow([...page, 'b'], [...page.slice(200_000), 'b'])).toBe(true)
  })
})
