import { describe, expect, test } from 'bun:test'
import { pairPages } from '@csp/testing/pair-pages'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import { checkClaims } from '../src/check.ts'

function check(text: string, page: string) {
  const [evidence] = checkClaims([{ text, sources: [1] }], () => ({ text: page }))
  if (!evidence) throw new Error('nothing was checked')
  return evidence
}

const sides = Object.entries(pairPages).flatMap(([language, pages]) =>
  pages.flatMap(({ page, right, wrong }) => {
    const list = [right, wrong].flatMap((some) => some.map(([kind, text]) => ({ kind, text, isRight: some === right })))
    const evidence = checkClaims(
      list.map(({ text }) => ({ text, sources: [1] })),
      () => ({ text: page }),
      { budgetMs: Number.POSITIVE_INFINITY },
    )
    return evidence.map((one, at) => ({ language, kind: '', text: '', isRight: false, ...list[at], evidence: one }))
  }),
)
const named = (list: typeof sides) => list.map(({ language, kind, text }) => `${language}, ${kind}: ${text}`)

describe('300 sentences in ten languages', () => {
  test('of 150 false ones, at most ten are found', () => {
    const found = sides.filter(({ isRight, evidence }) => !isRight && evidence.verdict === 'found')
    expect(sides.filter(({ isRight }) => !isRight)).toHaveLength(150)
    expect(named(found).slice(10)).toEqual([])
  })

  test('of 150 true ones, at most three are not found, and three doubted', () => {
    const right = sides.filter(({ isRight }) => isRight)
    expect(right).toHaveLength(150)
    expect(named(right.filter(({ evidence }) => evidence.verdict === 'not-found')).slice(3)).toEqual([])
    expect(named(right.filter(({ evidence: { doubt, missing } }) => doubt ?? missing)).slice(3)).toEqual([])
  })

  test('what is not found for its unit, sign or bound names it', () => {
    const kinds = new Set(['unit', 'sign', 'currency', 'percent', 'bound', 'exponent', 'score'])
    const silent = sides.filter(
      ({ isRight, kind, evidence }) => !isRight && kinds.has(kind) && !evidence.missing && !evidence.doubt,
    )
    expect(named(silent)).toEqual([])
  })
})

/** Units of one kind, and how many of the first each is. */
const kinds = [
  [1, 'm', 1000, 'km', 0.01, 'cm', 0.3048, 'feet', 1609.344, 'miles'],
  [1, 'g', 1000, 'kg', 0.001, 'mg', 453.59237, 'pounds', 1e6, 'tonnes'],
  [1, 'W', 1000, 'kW', 1e6, 'MW'],
  [1, 'minutes', 60, 'hours', 1440, 'days'],
] as const
const units = kinds.map((row) =>
  row.flatMap((one, place) => (place % 2 === 0 ? [[Number(one), String(row[place + 1])] as const] : [])),
)
const written = (value: number) => String(Number(value.toPrecision(12)))

test('an amount is found in any unit of its kind, and not with another sign or kind', () => {
  const cases = fc.record({
    value: fc.integer({ min: 11, max: 9999 }),
    kind: fc.nat(units.length - 1),
    from: fc.nat(4),
    to: fc.nat(4),
  })
  fc.assert(
    fc.property(cases, ({ value, kind, from, to }) => {
      const own = units[kind] ?? []
      const [[factor, unit], [otherFactor, other]] = [
        own[from % own.length] ?? [1, ''],
        own[to % own.length] ?? [1, ''],
      ]
      const amount = (value * factor) / otherFactor
      fc.pre(amount >= 1e-3 && amount < 1e9)
      const page = `The report was long. The new machine needs ${value} ${unit} of the store. Nobody complained.`
      expect(check(`The new machine needs ${written(amount)} ${other} of the store.`, page).missing).toBeUndefined()
      const [[, foreign] = [1, '']] = units[(kind + 1) % units.length] ?? []
      for (const wrong of [`${value} ${foreign}`, `−${value} ${unit}`]) {
        const { verdict, missing } = check(`The new machine needs ${wrong} of the store.`, page)
        expect([verdict, missing?.[0]?.text]).toEqual(['partly', wrong])
      }
    }),
    { numRuns: runs(200) },
  )
})

test.each([
  ['32 °F', '0 °C'],
  ['−40 degrees Fahrenheit', '-40 °C'],
  ['300 K', '26.85 °C'],
  ['86 Grad Fahrenheit', '30 Grad Celsius'],
])('%s is %s', (one, other) => {
  const sentence = (amount: string) => `The lake in the valley has ${amount} at noon in summer.`
  expect(check(sentence(one), sentence(other)).missing).toBeUndefined()
  expect(check(sentence(one), sentence('11 °C')).missing).toHaveLength(1)
})

/** What an amount is a share of, in words and signs. */
const shares = [
  ['/l', ' per litre', 1, '/dl', 0.1],
  ['/kg', ' per kilogram', 1, '/g', 0.001],
  ['/m³', ' per cubic metre', 1, '/dm³', 0.001],
  [' a day', '/day', 1, ' per hour', 1 / 24],
  [' per year', ' a year', 1, ' a month', 1 / 12],
  ['/100 km', ' per 100 km', 1, '/km', 0.01],
] as const

test('a share is found as a share of any amount, and not as one of another', () => {
  const cases = fc.record({
    value: fc.integer({ min: 11, max: 9999 }),
    share: fc.nat(shares.length - 1),
    other: fc.nat(4),
  })
  fc.assert(
    fc.property(cases, ({ value, share, other }) => {
      const [sign, words, , smaller, factor] = shares[share] ?? shares[0]
      const foreign = shares[(share + other + 1) % shares.length] ?? shares[1]
      const sentence = (amount: string) => `The water of the lake in the valley had ${amount} of lime.`
      const page = `It rained. ${sentence(`${value} mg${sign}`)} Then it stopped.`
      for (const right of [`${value} mg${words}`, `${written(value * factor)} mg${smaller}`, `${value} mg`])
        expect(check(sentence(right), page).missing).toBeUndefined()
      for (const wrong of [`${value} g${sign}`, `${value} mg${smaller}`, `${value} mg${foreign[0]}`])
        expect(check(sentence(wrong), page).missing?.[0]?.text).toBe(wrong)
    }),
    { numRuns: runs(100) },
  )
})

test.each([
  ['$1,200 a year', '$1,200 a month', '$100/month'],
  ['30 €/kWh', '0.31 €/kWh', '3,000 cents per kWh'],
  ['10 Gbit/s', '10 Mbit/s', '10,000 Mbps'],
  ['5 Euro im Monat', '5 Euro am Tag', '60 Euro pro Jahr'],
  ['80公里/小时', '80公里', '80 km/h'],
])('%s is not %s, but %s', (one, other, same) => {
  const sentence = (amount: string) => `The line in the valley has ${amount} at noon in summer.`
  expect(check(sentence(one), sentence(other)).missing).toHaveLength(1)
  expect(check(sentence(one), sentence(same)).missing).toBeUndefined()
})

describe('a doubt names what was seen', () => {
  test.each([
    ['The bridge may be used by cyclists.', 'The bridge may not be used by cyclists.', 'negation', '', 'not'],
    ['Sales of boats rose by 5 % in May.', 'Sales of boats fell by 5 % in May.', 'opposite', 'rose', 'fell'],
    ['Anna Bell sued Carl Dorn over the boat.', 'Carl Dorn sued Anna Bell over the boat.', 'order', 'Bell', 'Carl'],
    [
      ...['Der Minister verklagte die Zeitung auf Zahlung.', 'Die Zeitung verklagte den Minister auf Zahlung.'],
      ...(['order', 'Minister', 'Zeitung'] as const),
    ],
    [
      ...['Die Zeitung verklagte den Minister auf Zahlung.', 'Der Minister verklagte die Zeitung auf Zahlung.'],
      ...(['order', 'Zeitung', 'Minister'] as const),
    ],
    [
      ...['They carried out an uncontrolled burn near the town.', 'They carried out a controlled burn near the town.'],
      ...(['negation', 'uncontrolled', 'controlled'] as const),
    ],
    [
      ...['The drug is tolerated by most of the children.', 'The drug is intolerable to most of the children.'],
      ...(['negation', 'tolerated', 'intolerable'] as const),
    ],
    ['Die Bremsen des Zuges sind unsicher.', 'Die Bremsen des Zuges sind sicher.', 'negation', 'unsicher', 'sicher'],
    ['El precio fue inestable en verano.', 'El precio fue estable en verano.', 'negation', 'inestable', 'estable'],
    ['이 약은 어린이에게 불안전하다.', '이 약은 어린이에게 안전하다.', 'negation', '불안전', '안전'],
    [
      ...['The third edition of the fair drew visitors.', 'The second edition of the fair drew visitors.'],
      ...(['opposite', 'third', 'second'] as const),
    ],
    [
      ...['The third edition of the fair was held.', 'The second edition of the fair was held in its third year.'],
      ...(['opposite', 'third', 'second'] as const),
    ],
    [
      ...['Das vierte Konzert der Reihe war ausverkauft.', 'Das dritte Konzert der Reihe war ausverkauft.'],
      ...(['opposite', 'vierte', 'dritte'] as const),
    ],
    ['第三艘船载着粮食抵达了港口。', '第二艘船载着粮食抵达了港口。', 'opposite', '第三', '第二'],
    ['세 번째 배는 곡물을 싣고 도착했다.', '두 번째 배는 곡물을 싣고 도착했다.', 'opposite', '세', '두'],
    [
      'وصلت السفينة الثالثة إلى الميناء محملة بالقمح.',
      'وصلت السفينة الثانية إلى الميناء محملة بالقمح.',
      'opposite',
      'الثالثة',
      'الثانية',
    ],
    ['法院认定该合同非法。', '法院认定该合同合法。', 'opposite', '非法', '合法'],
    ['«Бриг» обогнал «Альтаир» по заказам.', '«Альтаир» обогнал «Бриг» по заказам.', 'order', 'Бриг', 'Альтаир'],
    ['上海队以3比1战胜北京队。', '北京队以3比1战胜上海队。', 'order', '海队', '北京'],
    [
      ...['Le pont a coûté 11 millions de moins que prévu.', 'Le pont a coûté 11 millions de plus que prévu.'],
      ...(['opposite', 'moins', 'plus'] as const),
    ],
  ] as const)('%s', (claim, page, kind, said, there) => {
    const { verdict, doubt } = check(claim, `It rained. ${page} Then it stopped.`)
    expect(verdict).toBe('partly')
    expect(doubt?.kind).toBe(kind)
    expect(doubt?.said).toContain(said)
    expect(doubt?.page).toContain(there)
  })

  test.each([
    ['Carl Dorn was sued by Anna Bell over the boat.', 'Anna Bell sued Carl Dorn over the boat.'],
    ['Kelby lost the final against Harrow.', 'Harrow won the final against Kelby.'],
    ['Sales of boats did not rise in May.', 'In May, sales of boats did not rise.'],
    ['Not only boats were sold in May.', 'Boats were sold in May, and more.'],
    ['Den Minister verklagte die Zeitung auf Zahlung.', 'Die Zeitung verklagte den Minister auf Zahlung.'],
    ['Der Minister wurde von der Zeitung verklagt.', 'Die Zeitung hat den Minister verklagt.'],
    ['Der Park öffnete im Mai.', 'Im Mai öffnete die Stadt den Park.'],
    ['Der Ast brach im Sturm.', 'Der Sturm brach den Ast.'],
    ['上海队被北京队以3比1战胜。', '北京队以3比1战胜上海队。'],
    ['The burn near the town was not controlled.', 'The burn near the town was uncontrolled.'],
    ['The burn near the town was uncontrolled.', 'The burn near the town was not controlled.'],
    [
      'The second volume of the history appeared in 1901.',
      'The first volume of the history appeared in 1899 and the second in 1901.',
    ],
    [
      'The third season of the series began in May.',
      'The second season of the series ended in March; the third began in May.',
    ],
    ['Der dritte Band der Geschichte erschien 1901.', 'Der zweite Band der Geschichte erschien 1899, der dritte 1901.'],
    ['Access to the archive is unlimited for members.', 'Members have access to the archive without limits.'],
    ['The ship returned undamaged from the storm.', 'The ship returned from the storm without damage.'],
    ['El acceso al archivo es ilimitado para los socios.', 'Los socios tienen acceso al archivo sin límites.'],
    ['The uncontrolled burn was near the town.', 'A controlled burn and an uncontrolled burn were near the town.'],
    [
      'The second edition was held in the town hall.',
      'The first fair and its second edition were held in the town hall.',
    ],
    [
      'In the first year the second edition was held.',
      'In the second year the first boat came, and the second edition was held in the first year.',
    ],
    ['They import the form of the old boats.', 'They inform the port of the old boats.'],
    ['По заказам «Альтаир» обогнал «Бриг».', '«Альтаир» обогнал «Бриг» по заказам.'],
  ])('none about: %s', (claim, page) => {
    expect(check(claim, `It rained. ${page} Then it stopped.`).doubt).toBeUndefined()
  })
})

describe('a power of ten is one amount in any form', () => {
  const forms = ['10^9', '10⁹', '10<sup>9</sup>', '10\\^9', '10**9', '10^{9}', '1e9', '1 × 10<sup>9</sup>']
  const sentence = (amount: string) => `The new catalogue of the survey lists ${amount} stars in the sky.`
  const on = (said: string, there: string) => check(sentence(said), `It rained. ${sentence(there)} Then it stopped.`)

  test.each(forms)('%s', (form) => {
    for (const other of [...forms, 'a billion']) {
      expect([other, on(other, form).verdict]).toEqual([other, 'found'])
      expect([other, on(form, other).verdict]).toEqual([other, 'found'])
    }
    expect(on(form, '10^8').missing).toHaveLength(1)
    expect(on('10^8', form).missing).toHaveLength(1)
    expect(on(form, '10^-9').missing).toHaveLength(1)
  })

  test('and digits in a row are another one', () => {
    for (const [said, there] of [
      ['28', '2^8'],
      ['2^8', '28'],
      ['109', '10^9'],
      ['10^9', '109'],
      ['10', '10^9'],
    ] as const)
      expect([said, there, on(said, there).missing?.[0]?.text]).toEqual([said, there, said])
    expect(on('256', '2^8').verdict).toBe('found')
    // Raised behind a number it may be a note.
    expect(on('10', '10²').verdict).toBe('found')
  })
})
