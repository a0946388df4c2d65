import { describe, expect, test } from 'bun:test'
import { anyText } from '@csp/testing/any-text'
import { longestTurn } from '@csp/testing/longest-turn'
import fc from 'fast-check'
import { completed } from '../src/completed.ts'
import { choosePassages } from '../src/passages.ts'
import { queryTerms } from '../src/query-terms.ts'

const guide = `[Home](/) [Docs](/docs) [Blog](/blog) [Install on Windows](/windows)

# Seals

We use cookies on this site. Accept all cookies to read on about seals here.

Seals are **mammals** of the sea, e.g. the [harbour seal](https://a.example/harbour_(seal)). Dr. Gray described them in 1825. They rest on sandbanks.

## Food

They eat \`herring\` and sand eels. A grown one needs five kilos a day![^1]

\`\`\`
herring herring herring
\`\`\`

## Keeping them on Windows

- A pool of at least 60 m²
- Fresh herring every day
* Water below 18 °C

| Species | Weight |
|---|---|
| Harbour seal | 130 kg at most when grown |
`

test.each([
  ['when was the lamp lit', true],
  ['hoeveel kost de lamp', true],
  ['kiedy zapalono lampę', true],
  ['whenever the lamp is lit', false],
  ['hoe werkt de lamp', false],
])('whether %s asks for a number: %p', (query, asks) => expect(queryTerms(query)?.asksForNumber).toBe(asks))

describe('the passages of a page', () => {
  test('are those that have the words of the query, the best first', () => {
    const [first] = choosePassages(guide, 'what do seals eat: herring?')
    expect(first).toBe('They eat herring and sand eels. A grown one needs five kilos a day!')
    expect(choosePassages(guide, 'weight of a grown harbour seal')[0]).toBe(
      'Species, Weight; Harbour seal, 130 kg at most when grown',
    )
  })

  test('are plain text: no Markdown, no code, no addresses', () => {
    const all = choosePassages(guide, 'seals harbour herring pool species weight').join('\n')
    expect(all).toContain('Seals are mammals of the sea, e.g. the harbour seal. Dr. Gray described them in 1825.')
    expect(all).not.toMatch(/[*`[\]|#]|https?:|herring herring/)
  })

  test('never come from navigation', () => {
    expect(choosePassages(guide, 'install windows blog docs home').join('\n')).not.toContain('Install on Windows')
  })

  test('may stand under a heading that has the words', () => {
    expect(choosePassages(guide, 'keeping windows')[0]).toMatch(/^A pool of at least 60 m²; Fresh herring every day/)
  })

  test('take several items of a list together', () => {
    expect(choosePassages(guide, 'pool water')[0]).toBe(
      'A pool of at least 60 m²; Fresh herring every day; Water below 18 °C',
    )
  })

  test('are the first prose of the page where it has none of the words', () => {
    expect(choosePassages(guide, 'zeppelins')).toEqual([expect.stringMatching(/^Seals are mammals of the sea/)])
    expect(choosePassages(guide, '')).toEqual([expect.stringMatching(/^Seals are mammals of the sea/)])
  })

  test('are none where the page has no prose', () => {
    expect(choosePassages('', 'seals')).toEqual([])
    expect(choosePassages('[Seals](/seals) [More seals](/more)\n\n```\nseals = 1\n```\n', 'seals')).toEqual([])
  })

  test('know a plural, an ending and a word in another case', () => {
    const text = 'A long text without it stands here first.\n\nThe SERVER is restarted by one command of the operator.'
    expect(choosePassages(text, 'servers')).toEqual(['The SERVER is restarted by one command of the operator.'])
    expect(choosePassages(text, 'operators restart')[0]).toContain('operator')
  })

  test('know a possessive, the forms of an irregular verb and a word of the same meaning', () => {
    const filler = 'A long text about the weather of the coast stands here before anything that was asked for.'
    const firstOf = (answer: string, query: string) => choosePassages(`${filler}\n\n${answer}`, query)[0]
    for (const [answer, query] of [
      ['The campus of Skerrow lies on both sides of the river.', 'Skerrow’s'],
      ['In those days the island grew to twice its old extent.', 'grow'],
      ['It was established by four fishermen of the village.', 'founded'],
    ] as const)
      expect(firstOf(answer, query)).toBe(answer)
  })

  test('follow the words that say much, not those that join others', () => {
    const joining = 'Once upon a time someone went there because of the storm, although not upon the hill itself.'
    const telling = 'The lantern of the tower burns whale oil in all of its twelve lamps, and is lit at dusk.'
    const filler = Array.from({ length: 6 }, (_, index) => `Paragraph ${index} has a few words on other matters.`)
    const page = [...filler, joining, telling].join('\n\n')
    expect(choosePassages(page, 'upon lantern')[0]).toBe(telling)
  })

  test('follow a short word less, and a very long one no more, than one of usual length', () => {
    const filler = Array.from({ length: 6 }, (_, index) => `Paragraph ${index} has a few words on other matters.`)
    const passageOf = (word: string) =>
      `Many of those who live on this coast have heard of the ${word} ${'of the far and old islands'.slice(word.length)}.`
    const best = (first: string, second: string) => {
      const page = [...filler, passageOf(first), passageOf(second)].join('\n\n')
      return [first, second].find((word) => choosePassages(page, `${first} ${second}`)[0]?.includes(word))
    }
    expect([best('lanterns', 'constellations'), best('constellations', 'lanterns')]).toEqual([
      'lanterns',
      'constellations',
    ])
    expect(best('elk', 'lanterns')).toBe('lanterns')
  })

  test('do not take a word for another that begins alike', () => {
    const text = 'Cats are kept in many homes of the city.\n\nCatalogues are printed twice in every year.'
    expect(choosePassages(text, 'cat')).toEqual(['Cats are kept in many homes of the city.'])
  })
})

describe('the best passage', () => {
  test.each([
    ['English', 'where was the battery tested', 'The tests of batteries were made in Graz.'],
    ['German', 'Wer entdeckte die Insel', 'Als Entdecker der Inseln gilt ein Fischer.'],
    ['Russian', 'площадь Москвы', 'На площадях в Москве летом проходят концерты.'],
    ['Arabic', 'عاصمة المملكة', 'وعاصمتها مدينة كبيرة في مملكة قديمة جدا.'],
  ])('has the words in other forms in %s', (_, query, sentence) => {
    expect(choosePassages(`Lorem ipsum dolor sit amet in this place.\n\n${sentence}`, query)[0]).toBe(sentence)
  })

  const page = [
    'The Vasa is a ship of the Swedish navy that sank in a harbour.',
    ...Array.from(
      { length: 12 },
      (_, number) => `Much more is known of matter ${number}, which fills this page with many words.`,
    ),
    'Visitors of the Vasa see the ship in a hall. She was raised in 1961, and is kept in Stockholm.',
    'The ship has a keel. Whoever sees the Vasa sees the ship as she was built.',
  ].join('\n\n')

  test('is the beginning of the page for a short question', () => {
    expect(choosePassages(page, 'Vasa ship')[0]).toStartWith('The Vasa is a ship of the Swedish navy')
  })

  test('has a number where a number is asked for', () => {
    expect(choosePassages(page, 'when did visitors of the hall see the Vasa ship raised')[0]).toContain('1961')
  })

  test('has its last sentence whole, up to half as long again, unless the caller says how long it may be', () => {
    const known = 'Zorkmids were made in Graz for a hundred years by a family of smiths, whose house still stands.'
    const next = `They are kept in a hall ${'with many windows and a view of the river '.repeat(5)}since 1961.`
    const long = `Coins of Graz are rare${', and so are those of the towns around it'.repeat(3)}.`
    expect(choosePassages(`${known} ${next} ${long}`, 'zorkmids')).toEqual([`${known} ${next}`])
    const text = `${known} ${next} Coins of Graz are rare.`
    expect(choosePassages(text, 'zorkmids')).toEqual([text])
    expect(choosePassages(text, 'zorkmids', { maxLength: 300 })[0]).toBe(known)
  })

  test.each([
    ['the word as it was asked', 'universal tests', 'Universities are many here.', 'A universal test is hard to make.'],
    [
      'a sentence with all of the words',
      'kings of Graz built walls',
      'Kings ruled for long. Walls fell down. Graz is a town that many people of the country like to visit in summer.',
      'The kings of Graz built walls.',
    ],
    [
      'what is asked rather than its kind',
      'what type is Zork',
      'A type is what a printer sets here.',
      'Zork is a port of the north.',
    ],
  ])('has %s', (_, query, other, sentence) => {
    const filler = Array.from({ length: 30 }, (_, number) => `Nothing is known of matter ${number} in this place.`)
    expect(choosePassages([...filler, other, ...filler, sentence].join('\n\n'), query)[0]).toBe(sentence)
  })

  test('is filled with the sentences before it at the end of a paragraph', () => {
    const text = 'Seals rest. They are slow on land. Boats keep away from herring.'
    expect(choosePassages(text, 'herring')).toEqual([text])
  })

  test('has one sentence more than its length, which the others do not have', () => {
    const about = (what: string) => `The ${what} was built in Graz ${'by people of the town and the hills '.repeat(6)}.`
    const text = ['gatehouse', 'bell tower']
      .map((what) => `${about(what)} Stone of the ${what} came from Styria. Visitors pay nothing on Mondays.`)
      .join('\n\n')
    const [best = '', second = ''] = choosePassages(text, 'gatehouse tower')
    expect(best).toEndWith('came from Styria. Visitors pay nothing on Mondays.')
    expect(second).toEndWith('came from Styria.')
    for (const passage of choosePassages(text, 'gatehouse tower', { maxLength: 320 }))
      expect(passage).toEndWith('came from Styria.')
  })

  test.each([
    ['He', 'herring', 'Ada Keel ran the works.', 'He sold them to a herring merchant.'],
    ['Außerdem', 'Salz', 'Die Werft lag in Emden.', 'Außerdem gab es dort Salz und Mehl.'],
    ['Он', 'соль', 'Завод стоял в Риге.', 'Он выпускал соль и муку.'],
    ['この', 'ニシン', '工場は函館にあった。', 'この工場はニシンを作った。'],
  ])('has the sentence that %p refers to', (_, query, named, text) => {
    const filler = 'The yard has many windows and a long wall of bricks that were burnt in the old kiln. '.repeat(4)
    const [first = ''] = choosePassages(`${filler}\n\n${named} ${text} ${filler}`, query)
    expect(first).toStartWith(named)
    expect(first).toContain(text)
  })

  test('shares no sentence with another', () => {
    const text = Array.from({ length: 12 }, (_, index) => `They keep herring of lot ${index} in the hall by the sea.`)
    const passages = choosePassages(text.join(' '), 'herring')
    expect(passages.length).toBeGreaterThan(1)
    for (const sentence of text) expect(passages.filter((passage) => passage.includes(sentence)).length).toBeLessThan(2)
  })

  test('has a space on both sides of a numeral among clauses of Thai', () => {
    const text = 'กรุงเทพมีประชากร 8,750,600 คน ในปี 2553 และเชียงใหม่มีนักท่องเที่ยวมาก'
    expect(choosePassages(text, 'กรุงเทพ')).toEqual([text])
  })

  test('has whole clauses of Thai, which ends none with a mark', () => {
    const clauses = Array.from({ length: 40 }, (_, index) => `เชียงใหม่มีนักท่องเที่ยวมากในฤดูหนาว${index}`)
    const [first = ''] = choosePassages([...clauses, 'พรุ่งนี้กรุงเทพจะมีฝนตก', ...clauses].join(' '), 'กรุงเทพ')
    expect(first).toContain('พรุ่งนี้กรุงเทพจะมีฝนตก')
    expect(first).not.toContain('…')
  })
})

describe('a passage without the marks of its page', () => {
  test.each([
    [
      'quotations',
      'Seals rest here.\n>\n> Boats keep away from herring nets.\n> They are slow.',
      'Boats keep away from herring nets. They are slow.',
    ],
    [
      'pictures in links',
      '[![Herring \\[CC BY\\]](https://a.example/h.jpg)](/p "Fish") Nets of herring are dried here.',
      'Nets of herring are dried here.',
    ],
    [
      'angle brackets',
      'Whoever saw \\<Herring: a Play> liked it very much indeed.',
      'Whoever saw liked it very much indeed.',
    ],
    [
      'spaces in links',
      'The [herring fleet ](/fleet), which is large, leaves at dawn.',
      'The herring fleet, which is large, leaves at dawn.',
    ],
    [
      'links around paragraphs',
      `[${'Teasers of herring are long. '.repeat(20)}](/p)\n\nNets of herring are dried here.`,
      'Nets of herring are dried here.',
    ],
  ])('of %s', (_, text, passage) => {
    expect(choosePassages(text, 'herring')).toEqual([passage])
  })
})

describe('passages in languages without spaces between words', () => {
  test.each([
    [
      'Chinese',
      '东京 天气',
      '北京今天晴朗，气温二十度。\n\n东京明天有雨，天气转凉。气温将下降到十度左右。',
      '东京明天有雨',
    ],
    [
      'Japanese',
      '明日の東京の天気',
      '大阪は晴れです。観光に良い日です。\n\n明日の東京は雨でしょう。天気は回復しません。',
      '明日の東京',
    ],
    ['Thai', 'อากาศกรุงเทพ', 'เชียงใหม่มีนักท่องเที่ยวมากในฤดูหนาว\n\nพรุ่งนี้กรุงเทพจะมีฝนตกและอากาศเย็นลง', 'พรุ่งนี้กรุงเทพ'],
  ])('are found in %s', (_, query, text, start) => {
    const [first] = choosePassages(text, query)
    expect(first).toStartWith(start)
    expect(first).not.toContain('。 ')
  })

  test.each([
    [
      'Arabic',
      'الطقس في القاهرة',
      'الإسكندرية مدينة على البحر المتوسط وميناء كبير.\n\nالطقس غدا في القاهرة حار وجاف. درجة الحرارة أربعون.',
      'الطقس غدا',
    ],
    [
      'Russian',
      'погода Москва',
      'Сочи лежит у моря и принимает много гостей.\n\nПогода завтра: в городе Москва ожидается дождь.',
      'Погода завтра',
    ],
  ])('and in %s, which has them', (_, query, text, start) => {
    expect(choosePassages(text, query)[0]).toStartWith(start)
  })
})

describe('the bounds of passages', () => {
  const long = `${'Nothing of interest is said in this part. '.repeat(3000)}\n\nThe answer is forty-two zorkmids.\n\n${'Nor in this one, which goes on and on. '.repeat(3000)}`

  test('a long page is searched where its words are', () => {
    expect(choosePassages(long, 'zorkmids')).toEqual(['The answer is forty-two zorkmids.'])
  })

  test('a sentence that is too long is cut around the words', () => {
    const long = `${'word '.repeat(400)}zorkmid ${'more '.repeat(400)}`
    const [first = ''] = choosePassages(long, 'zorkmid')
    expect(first.length).toBeLessThanOrEqual(450)
    expect(first).toMatch(/^….*zorkmid.*…$/)
  })

  test('there are six at most, none twice', () => {
    const text = Array.from(
      { length: 40 },
      (_, index) => `Seal number ${index % 20} lives on bank ${index % 20} of the sea.`,
    )
    const found = choosePassages(text.join('\n\n'), 'seal bank')
    expect(found).toHaveLength(6)
    expect(new Set(found).size).toBe(6)
    expect(choosePassages(text.join('\n\n'), 'seal bank', { maxPassages: 2, maxLength: 30 })).toHaveLength(2)
  })

  test('any text and any query give short plain passages', () => {
    const pieces = fc.constantFrom(
      '[',
      '](',
      ')',
      '|',
      '```\n',
      '# ',
      '- ',
      '\n',
      '\n\n',
      '. ',
      '。',
      'seal',
      ' the ',
      '<b',
      '>',
      '**',
      '\u{1f9ad}',
      '\\',
      '…',
    )
    const text = fc
      .array(fc.oneof(pieces, anyText({ maxLength: 8 })), { maxLength: 200 })
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, fc.string({ maxLength: 30 }), (page, query) => {
        for (const passage of choosePassages(page, query)) {
          expect(passage.length).toBeLessThanOrEqual(300)
          expect(passage).not.toContain('\n')
          expect(passage.isWellFormed()).toBe(true)
        }
      }),
    )
  })

  test.each([
    ['links that never end', '['.repeat(100_000)],
    ['open brackets of links', '[a]('.repeat(30_000)],
    ['tables of bars', '|'.repeat(100_000)],
    ['tags that never end', '<a '.repeat(40_000)],
    ['marks of sentences', '. A'.repeat(40_000)],
    ['emphasis', '*_'.repeat(60_000)],
    ['blank lines', '\n \n'.repeat(50_000)],
  ])(
    '%s take no long time',
    (_, text) => {
      expect(choosePassages(`${text} seal`, 'seal a').length).toBeLessThan(7)
    },
    5000,
  )
})

describe('a page that is made to be slow to read', () => {
  const length = 49_000
  const of = (unit: string) => unit.repeat(length / unit.length)
  test.each([
    ['a heading of marks', `# bees ${of('#')}x`],
    ['a heading of marks and spaces', `# bees ${of('# ')}x`],
    ['asterisks', `Bees hum. ${of('*')} `],
    ['spaces', `Bees${of(' ')}hum.`],
    ['abbreviations', `Bees hum. ${of('A. ')}`],
    ['sentences of one letter', `bees 蜂${of('。')}`],
    ['sentences of one word', of('Bees. ')],
    ['open links', `Bees hum. ${of('[](')}`],
    ['nested links', of('[bees](http://a.b/(')],
    ['open tags', `Bees hum. ${of('<a ')}`],
    ['underscores', `Bees hum. ${of('_')} `],
    ['rules of tables', `${of('-')}bees`],
    ['cells', `| bees ${of('| ')}`],
    ['quotes', of('> bees ')],
    ['items', of('- bees\n')],
    ['quotations', of('>\n> bees\n')],
    ['pictures', of('![bees\\[')],
    ['words for the sentence before', of('It bees. ')],
    ['paragraphs', of('bees\n\n')],
    ['accents', `bees${of('\u0301')}`],
    ['fences', `${of('`')}\nbees`],
  ])('%s', async (_, page) => {
    expect(await longestTurn(() => choosePassages(page, 'bees hum honey'), 250)).toBeLessThan(250)
  })

  test('is longer than is looked at', async () => {
    const page = `${'bees hum '.repeat(200_000)}${'#'.repeat(200_000)}`
    expect(await longestTurn(() => choosePassages(page, 'bees hum honey'), 250)).toBeLessThan(250)
  })
})

describe('spans of one block', () => {
  const sentences = ['Zero.', 'One.', 'It is two.', 'Three.', 'Four.', 'Five.', 'This is six.', 'Seven.', 'Eight.']
  const span = (start: number, end: number, block = 0) => ({
    ...{ block, start, end, score: 1, sentences },
    text: sentences.slice(start, end).join(' '),
  })
  const passages = (...spans: readonly ReturnType<typeof span>[]) => [...completed(spans, { usual: 40, most: 40 })]
  const best = 'One. It is two. Three. Four.'

  test('share no sentence, of those either that were taken along', () => {
    expect(passages(span(2, 4), span(0, 2), span(5, 6))).toEqual([best, 'Zero.', 'Five. This is six.'])
    expect(passages(span(2, 4), span(4, 6))).toEqual([best, 'Five. This is six.'])
    expect(passages(span(2, 4), span(1, 2), span(4, 5), span(3, 6))).toEqual([best])
    // Those of another block are other sentences.
    expect(passages(span(2, 4), span(1, 2, 1))).toEqual([best, 'One. It is two.'])
  })

  test('have one sentence more where it refers back to them, the best has one in any case', () => {
    expect(passages(span(7, 8), span(5, 6), span(3, 4))).toEqual(['Seven. Eight.', 'Five. This is six.', 'Three.'])
    expect(passages(span(8, 9))).toEqual(['Seven. Eight.'])
    expect(passages(span(0, 1))).toEqual(['Zero. One.'])
    expect(passages(span(8, 9), span(7, 8))).toEqual(['Seven. Eight.'])
    expect(passages(span(1, 6))).toEqual(['Zero. One. It is two. Three. Four. Five.'])
    expect([...completed([span(1, 6)], { usual: 39, most: 39 })]).toEqual(['One. It is two. Three. Four. Five.'])
    expect(passages(span(1, 5), span(6, 7))).toEqual(['One. It is two. Three. Four. Five.', 'This is six.'])
  })
})
