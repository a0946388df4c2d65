import { describe, expect, test } from 'bun:test'
import { localEnglish } from '../../src/extract/dates/country.ts'
import { publicationDate } from '../../src/extract/dates/published.ts'
import { dateIn, dateOf } from '../../src/extract/dates/written.ts'

describe('a date that a page writes', () => {
  test.each([
    ['en', 'Posted on May 4th, 2026 by Ann', '2026-05-04'],
    ['en-GB', '04/05/2026', '2026-05-04'],
    ['en-US', '05/04/2026', '2026-05-04'],
    ['en-US', '25/04/2026', '2026-04-25'],
    [undefined, 'Mon May 4 10:00:00 UTC 2026', '2026-05-04'],
    ['de', 'Montag, 4. März 2024, 10 Uhr', '2024-03-04'],
    ['de', 'Stand: 04.03.24', '2024-03-04'],
    ['es', '4 de mayo de 2026', '2026-05-04'],
    ['fr', 'le 1er août 2025', '2025-08-01'],
    ['ru', '4 мая 2026 г.', '2026-05-04'],
    ['uk', '4 травня 2026', '2026-05-04'],
    ['hu', '2026. május 4.', '2026-05-04'],
    ['ja', '2026年5月4日', '2026-05-04'],
    ['ko', '2026년 5월 4일', '2026-05-04'],
    ['ar', '٤ مايو ٢٠٢٦', '2026-05-04'],
    ['vi', '4 tháng 5, 2026', '2026-05-04'],
    ['en-GB', '05/12/2024', '2024-12-05'],
    ['en-GB', '04/25/2024', '2024-04-25'],
    ['en-US', '12/05/2024', '2024-12-05'],
    ['en-US', '04 . 05 . 2026', '2026-05-04'],
  ])('is read in %p: %s', (language, text, date) => {
    expect(dateIn(text, language)?.date).toBe(date)
  })

  test.each(['31 February 2026', '1970-01-01', 'May 2026', '4 xyz 2026', '2999-05-04', 'version 1.2.3', '1399/05/04'])(
    'is none: %s',
    (text) => expect(dateOf(text, 'en')).toBeUndefined(),
  )

  test.each([
    ['2026-05-04T23:30:00-04:00', '2026-05-04'],
    ['Mon, 04 May 2026 23:30:00 -0500', '2026-05-04'],
    ['20260504T233000', '2026-05-04'],
    ['1777900000', '2026-05-04'],
    ['1777900000000', '2026-05-04'],
    [' 1777900000 ', '2026-05-04'],
    [`${'x'.repeat(53)} 2026-05-04`, '2026-05-04'],
  ])('is the day as it is written, whatever its zone: %s', (text, date) => expect(dateOf(text)).toBe(date))
})

test('of a text that is given to programs, 64 characters are read, and 50 numbers that are no dates', () => {
  expect(dateOf(`${'x'.repeat(54)} 2026-05-04`)).toBeUndefined()
  const after = (count: number) => dateIn(`${'99.99.2026 '.repeat(count)}4.5.2026`)?.date
  expect([after(49), after(50)]).toEqual(['2026-05-04', undefined])
})

test('a date is of 1990 or later, and of the day after tomorrow at the latest', () => {
  expect(dateOf('1990-01-01')).toBe('1990-01-01')
  expect(dateOf('1989-12-31')).toBeUndefined()
  const now = Date.UTC(2026, 4, 2)
  expect(dateOf('2026-05-04', 'en', now)).toBe('2026-05-04')
  expect(dateOf('2026-05-04', 'en', now - 1)).toBeUndefined()
})

test('English dates are read as in the country of the site', () => {
  const english = (host: string) => localEnglish('en', `https://a.example.${host}/`)
  expect(['uk', 'ie', 'com'].map(english)).toEqual(['en-GB', 'en-IE', 'en'])
  expect(localEnglish('ga', 'https://a.example.ie/')).toBe('ga')
  expect(dateOf('04/05/2026', localEnglish('en', 'https://a.example.ie/'))).toBe('2026-05-04')
  expect(dateOf('05/04/2026', localEnglish('en', 'https://a.example.com/'))).toBe('2026-05-04')
})

describe('the date of publication', () => {
  const page = {
    html: '',
    url: 'https://a.example/',
    language: 'en',
    structured: undefined,
    metas: new Map<string, string>(),
  }
  const found = (html: string, { url = 'https://a.example/', structured = undefined as string | undefined } = {}) =>
    publicationDate({ ...page, html: `<body>${html}`, url, structured })

  const far = ' '.repeat(1000)

  test.each([
    ['time element', '<time>3 May 2020</time><h1>Title</h1><time datetime="2026-05-04T10:00Z">today</time>'],
    ['property', '<h1>Title</h1><b itemprop="datePublished">May 4, 2026</b><time>3 May 2020</time>'],
    ['time element', '<H1>Title</H1><TIME datetime="1777900000">today</TIME>'],
    ['named element', '<h1>Title</h1><p class="meta">By Ann</p><p class="date">May 4, 2026</p>'],
    ['text near the title', '<h1>Title</h1><p>4 May 2026</p><p>3 May 2026</p>'],
    ['text near the title', '<h1>Title</h1><p>4 May 2026</p><hr><time>3 May 2020</time>'],
    // What stands above a title is four times as far away.
    [
      'time element',
      `${far}<time datetime="2026-05-04"></time><h1>Title</h1>${far}<time datetime="2020-05-03"></time>`,
    ],
    [
      'time element',
      `${far}<time datetime="2020-05-03"></time>${far}<h1>Title</h1>${far}<time datetime="2026-05-04"></time>`,
    ],
    // The words of a change are of another date.
    [
      'time element',
      '<h1>Title</h1><time datetime="2026-05-04"></time>Seals in the sea. Seals in the sea. Seals in the sea. Seals in the sea. Seals. Updated daily',
    ],
    ['time element', `<h1>Title</h1><time datetime="2026-05-04"></time>${'<i></i>'.repeat(60)}Updated daily`],
    ['time element', `<h1>Title</h1><b>Updated daily</b>${'<i></i>'.repeat(30)}<time datetime="2026-05-04"></time>`],
    ['script', '<h1>Title</h1><script>x={"publishDate":"2026-05-04T10:00:00"}</script>'],
    [
      'named element',
      '<h1>Title</h1><p class="comment-date">1 May 2020</p><div class="post-date"><b>4</b> May 2026</div>',
    ],
    [
      'text near the title',
      '<h1>Title</h1><p>On 1 May 2020 seals were counted, and what was found is told in this long text about them, in sentences.</p><p>By Ann, 4 May 2026</p>',
    ],
  ])('is that of the %s', (rule, html) => {
    expect(found(html)).toEqual({ rule, date: '2026-05-04' })
  })

  test('is near the heading that has the title of the page, not near the name of the site', () => {
    const head = '<title>Seals &amp; herring of Graz | The Sea</title>'
    const site = `<h1>The Sea</h1><time>1 May 2020</time>${'<i></i>'.repeat(500)}`
    const article = 'Sea<h2>SEALS &#38; herring of Graz</h2><p>4 May 2026</p>'
    expect(publicationDate({ ...page, html: `<head>${head}</head><body>${site}${article}` })?.date).toBe('2026-05-04')
  })

  test('is looked for behind the first three of a hundred headings that have twelve letters of the title', () => {
    const dated = (title: string, body: string) =>
      publicationDate({ ...page, html: `<head><title>${title}</title></head><body>${body}` })?.date
    const shown = (heading: string) => `<h2>${heading}</h2><p>4 May 2026</p>`
    const away = ' '.repeat(6000)
    expect(dated('Twelvelettrs', `<h1>Site</h1>${away}${shown('Twelvelettrs')}`)).toBe('2026-05-04')
    expect(dated('Elevenletrs', `<h1>Site</h1>${away}${shown('Elevenletrs')}`)).toBeUndefined()
    const title = 'Seals and herring of Graz'
    const others = (count: number) => `<h2>${title}</h2>`.repeat(count)
    expect(dated(title, `${others(2)}${away}${shown(title)}`)).toBe('2026-05-04')
    expect(dated(title, `${others(3)}${away}${shown(title)}`)).toBeUndefined()
    expect(dated(title, `${'<h3>Sea</h3>'.repeat(99)}${away}${shown(title)}`)).toBe('2026-05-04')
    expect(dated(title, `${'<h3>Sea</h3>'.repeat(100)}${away}${shown(title)}`)).toBeUndefined()
    // The title of a picture is none of the page.
    expect(dated('', `<h1>Site</h1>${away}<svg><title>${title}</title></svg>${shown(title)}`)).toBeUndefined()
  })

  test('is up to 5000 characters behind the title where only readers see it', () => {
    const at = (place: number) => found(`${'<h1>Title</h1>'.padEnd(place)}<time datetime="2026-05-04"></time>`)?.date
    expect([at(5000), at(5001)]).toEqual(['2026-05-04', undefined])
  })

  test('is in a text of fewer than 100 characters, in a page without a body, too', () => {
    const dated = (length: number) =>
      publicationDate({ ...page, html: `<h1>Title</h1><p>${'4 May 2026'.padEnd(length, '.')}</p>` })?.date
    expect([dated(99), dated(100)]).toEqual(['2026-05-04', undefined])
  })

  test('is that of one of 200 elements, and of the first million characters', () => {
    const behind = (count: number) =>
      found(`<h1>Title</h1>${'<b class="time">'.repeat(count)}<time datetime="2026-05-04"></time>`)?.date
    expect([behind(199), behind(200)]).toEqual(['2026-05-04', undefined])
    const script = '<script>x={"publishDate":"2026-05-04"}</script>'
    expect(found(' '.repeat(900_000) + script)?.date).toBe('2026-05-04')
    expect(found(' '.repeat(1_000_000) + script)).toBeUndefined()
  })

  test.each([
    ['a change', '<p class="date">Updated May 4, 2026</p>'],
    [
      'a change, by a label before it',
      `<b>Aktualisiert am</b> <time datetime="2026-05-04">May 4</time>${' '.repeat(1000)}`,
    ],
    ['a change, for programs', '<meta itemprop="dateModified" content="2026-05-04">'],
    ['a member', '<dt>Joined:</dt><dd>4 May 2026</dd>'],
    ['a member in another line', `<dt>Joined:${' '.repeat(40)}</dt>\n<dd>4 May 2026</dd>`],
    ['a clock', '<p class="time">Current time: 4 May 2026, 12:00</p>'],
    ['something far away', `${'<i></i>'.repeat(1000)}<time datetime="2026-05-04">May 4</time>`],
    ['one of several other pages', '<p>4 May 2026</p><p>3 May 2026</p><p>2 May 2026</p>'],
  ])('is not that of %s', (_, html) => {
    expect(found(`<h1>Title</h1>${html}`)).toBeUndefined()
  })

  test('is that of the element that readers see where programs are told another one', () => {
    const structured = '2026-04-01'
    expect(found('<h1>Title</h1><p class="date">May 4, 2026</p>', { structured })?.date).toBe('2026-05-04')
    expect(found('<h1>Title</h1><time>May 4, 2026</time><p>1 April 2026</p>', { structured })?.date).toBe(structured)
    expect(found('<h1>Title</h1><p class="date">Updated May 4, 2026</p>', { structured })?.date).toBe(structured)
    expect(found('<h1>Title</h1><p class="date">May 4, 2026</p>', { structured: 'soon' })?.date).toBe('2026-05-04')
    const place = (length: number) => `${'<h1>Title</h1>'.padEnd(length)}<p class="date">May 4, 2026</p>`
    expect(found(place(2999), { structured })?.date).toBe('2026-05-04')
    expect(found(place(3000), { structured })?.date).toBe(structured)
    const property = `<b itemprop="datePublished" content="${structured}">`
    expect(found(`${place(20)}${property}`, { structured })?.date).toBe(structured)
    expect(found(`${place(20)}${' '.repeat(6000)}${property}`, { structured })?.date).toBe('2026-05-04')
    // A short text may be of a meeting.
    expect(found('<h1>Title</h1><p>May 4, 2026, 8 p.m.</p>', { structured })?.date).toBe(structured)
  })

  test('is the one that readers see where the page tells programs two', () => {
    const metas = new Map([['article:published_time', '2026-05-04T10:00:00']])
    const html = '<body><h1>Title</h1><p>May 4, 2026</p>'
    expect(publicationDate({ ...page, html, metas, structured: '2026-05-02' })?.date).toBe('2026-05-04')
  })

  test('is that of a field which has one, behind one that says something else', () => {
    const metas = new Map([
      ['article:published_time', 'spring'],
      ['pubdate', '2026-05-04'],
    ])
    expect(publicationDate({ ...page, metas, structured: undefined })).toEqual({ rule: 'meta', date: '2026-05-04' })
  })

  test('is the day in the country of the site where a time in UTC is all that the page says', () => {
    const at = (structured: string, host: string) => found('', { structured, url: `https://${host}/` })?.date
    expect(at('2026-05-04T23:30:00Z', 'a.example.it')).toBe('2026-05-05')
    expect(at('2026-05-04T02:30:00Z', 'a.example.ca')).toBe('2026-05-03')
    expect(at('2026-05-04T23:30:00Z', 'a.example')).toBe('2026-05-04')
    expect(at('2026-05-04T23:30:00-05:00', 'a.example.it')).toBe('2026-05-04')
    expect(at('4 maggio 2026 23:30 UTC', 'a.example.it')).toBe('2026-05-04')
  })

  test('is in the address, if it is whole there', () => {
    expect(found('', { url: 'https://a.example/2026/05/04/seals' })).toEqual({ rule: 'address', date: '2026-05-04' })
    expect(found('', { url: 'https://a.example/20260504/seals' })?.date).toBe('2026-05-04')
    expect(found('', { url: 'https://a.example/2026/05/3-seals' })).toBeUndefined()
    expect(found('', { url: 'https://a.example/id/120260504' })).toBeUndefined()
  })

  test('is the day that readers see where a time in UTC is of the next one', () => {
    const shown = '<h1>Title</h1><p>May 4, 2026</p>'
    const [utc, local] = ['2026-05-05T02:10:00Z', '2026-05-05T02:10:00+02:00']
    expect(found(shown, { structured: utc })?.date).toBe('2026-05-04')
    expect(found(shown, { structured: local })?.date).toBe('2026-05-05')
    expect(found('', { structured: utc, url: 'https://a.example/2026/05/04/seals' })?.date).toBe('2026-05-04')
    // At noon in UTC it is the same day in nearly all of the world: this is the date of another page.
    const noon = '2026-05-05T12:30:00Z'
    expect(found('<h1>Title</h1><p>May 4, 2026</p>', { structured: noon })?.date).toBe('2026-05-05')
    // No place is more than 12 hours behind UTC or 14 ahead.
    const days = ['2026-05-05T12:00:00Z', '2026-05-05T11:59:00Z', '2026-05-03T10:00:00Z', '2026-05-03T09:59:00Z']
    expect(days.map((structured) => found(shown, { structured })?.date)).toEqual([
      '2026-05-05',
      '2026-05-04',
      '2026-05-04',
      '2026-05-03',
    ])
  })

  test.each([
    '<time ',
    '<b class="date">',
    '<h1><p>1 May ',
    '"datePublished":"',
    '1.1.',
    '<b itemprop=datePublished ',
    '&#x3A;',
    '<h2>Title ',
    '<h1><time>1 May 2020 ',
    '<p>Updated 1 May 2020',
  ])('is looked for in linear time in many of %s', (piece) => {
    // The time limit of a test is the assertion: what takes the square of this takes minutes.
    expect(found(piece.repeat(150_000))?.rule).not.toBe('meta')
  })
})

describe('figures that could be of several days are of the one that the page writes out', () => {
  const said = (date: string) => new Map([['article:published_time', date]])
  const dateIn = (body: string, metas: ReadonlyMap<string, string> = new Map(), language?: string) =>
    publicationDate({
      html: `<body><h1>Title</h1>${body}`,
      url: 'https://a.example/x',
      language,
      structured: undefined,
      metas,
    })?.date

  test.each([
    ['2011-03-17T08:00:00+09:00', '<time class="date">11.03.17</time>'],
    ['2017-11-03', '<time class="date">11.03.17</time>'],
    ['2017-03-11', '<span class="date">11.03.17</span>'],
    ['2026-03-04', '<time class="date">3/4/2026</time>'],
    ['2026-03-04', '<span class="byline">03-04-26</span>'],
  ])('%s beside %s', (date, body) => expect(dateIn(body, said(date))).toBe(date.slice(0, 10)))

  test.each([
    ['<time class="date">11.03.17</time><span class="date">2011-03-17</span>', '2011-03-17'],
    ['<span class="date">11.03.17</span><time datetime="2017-11-03">11.03.17</time>', '2017-11-03'],
    ['<time class="date">04.03.26</time><p>March 4, 2026</p>', '2026-03-04'],
    ['<time class="date">04.03.26</time>', '2026-03-04'],
    ['<time class="date">11.03.17</time><span class="date">2016-01-01</span>', '2017-03-11'],
  ])('in the page alone: %s', (body, date) => expect(dateIn(body)).toBe(date))

  test('and a day of which there is no doubt is another one', () => {
    expect(dateIn('<time class="date">03.11.2017</time>', said('2017-03-11'))).toBe('2017-11-03')
    expect(dateIn('<time class="date">12.05.17</time>', said('2017-03-11'))).toBe('2017-05-12')
  })
})
