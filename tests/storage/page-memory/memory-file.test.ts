import { Database } from 'bun:sqlite'
import { afterAll, afterEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { SeenPage } from '../../../src/domain/memory.ts'
import { bytesOf, evict } from '../../../src/storage/page-memory/eviction.ts'
import { MemoryFile, type MemoryFileOptions } from '../../../src/storage/page-memory/memory-file.ts'
import { inspectDatabase } from '../../../src/storage/page-memory/schema.ts'
import { markUntidy, tidyStep } from '../../../src/storage/page-memory/tidy.ts'
import { hostileTexts } from '../../support/hostile-texts.ts'

const scratch = mkdtempSync(join(tmpdir(), 'csp-memory-'))
const opened: MemoryFile[] = []
afterEach(() => {
  for (const file of opened.splice(0)) file.close()
})
afterAll(() => rmSync(scratch, { recursive: true }))

const day = 86_400_000
let files = 0

function open(options: Partial<MemoryFileOptions> = {}) {
  const clock = { now: Date.parse('2026-11-20T10:00:00Z') }
  const path = join(scratch, `${++files}`, 'memory.sqlite')
  const file = new MemoryFile({ path, maxBytes: 500e6, now: () => clock.now, ...options })
  opened.push(file)
  const found = (query: string, more: object = {}) =>
    file.recall({ query, filters: {}, ...more }).map(({ url }) => url.replace('https://example.org/', ''))
  return { clock, path, file, found }
}

function page(name: string, text: string, more: Partial<SeenPage> = {}): SeenPage {
  return { url: `https://example.org/${name}`, title: name, text, extent: 'whole', owner: '', ...more }
}

const texts = {
  english: page('bun', 'Bun 1.4 brings a faster bundler. It was released in October 2026.', {
    language: 'en',
    publishedAt: '2026-10-01',
  }),
  german: page('zugspitze', 'Die Zugspitze ist mit 2962 Metern der höchste Berg Deutschlands.', { language: 'de-DE' }),
  japanese: page('tower', '東京タワーは1958年に完成した電波塔です。高さは333メートルで、東京都港区にあります。'),
  arabic: page('library', 'تأسست مكتبة الإسكندرية الجديدة عام 2002 وهي مركز ثقافي كبير يضم ملايين الكتب وسفينة.'),
  thai: page('bangkok', 'กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย มีประชากรมากกว่าแปดล้านคน และมีวัดเก่าแก่หลายแห่ง'),
}

test.each([
  ['when was bun released', 'bun'],
  ['bundlers', 'bun'],
  ['höchster Berg', 'zugspitze'],
  ['東京タワーの高さ', 'tower'],
  ['電波塔', 'tower'],
  ['الكتب في مكتبة الاسكندرية', 'library'],
  ['سفينة', 'library'],
  ['เมืองหลวงของประเทศไทย', 'bangkok'],
])('%s finds the page %s alone', (query, name) => {
  const { file, found } = open()
  file.keep(Object.values(texts))
  expect(found(query)).toEqual([name])
})

test('a row has the passage that bears on the query, the date of the page, and when it was seen', () => {
  const { file, clock } = open()
  file.keep([texts.english])
  clock.now += 30 * day
  expect(file.recall({ query: 'faster bundler', filters: {} })).toEqual([
    {
      ...{ title: 'bun', url: 'https://example.org/bun', publishedAt: '2026-10-01', source: 'memory' },
      snippet: 'Bun 1.4 brings a faster bundler. It was released in October 2026.',
      seenAt: '2026-11-20T10:00:00Z',
    },
  ])
})

test('filters hold: sites, dates, language, time of seeing, pages that are known', () => {
  const { file, found, clock } = open()
  file.keep([texts.english, page('undated', 'An older bundler.', { url: 'https://docs.example.net/undated' })])
  clock.now += day
  file.keep([page('french', 'Un autre bundler.', { language: 'fr', publishedAt: '2026-11-19' })])
  const all = ['bun', 'french', 'https://docs.example.net/undated'] as const
  expect(found('bundler').toSorted()).toEqual([...all])
  expect(found('bundler', { filters: { includeDomains: ['example.net'] } })).toEqual([all[2]])
  expect(found('bundler', { filters: { includeDomains: ['ample.net'] } })).toEqual([])
  expect(found('bundler', { filters: { excludeDomains: ['example.org'] } })).toEqual([all[2]])
  expect(found('bundler', { filters: { publishedAfter: '2026-11-01' } })).toEqual(['french'])
  expect(found('bundler', { filters: { publishedBefore: '2026-11-01' } })).toEqual(['bun'])
  // Both days are meant.
  expect(found('bundler', { filters: { publishedAfter: '2026-11-19' } })).toEqual(['french'])
  expect(found('bundler', { filters: { publishedBefore: '2026-10-01' } })).toEqual(['bun'])
  expect(found('bundler', { filters: { freshness: 'week' } })).toEqual(['french'])
  expect(found('bundler', { filters: { language: 'en-gb' } }).toSorted()).toEqual(['bun', all[2]])
  expect(found('bundler', { seenAfter: '2026-11-21T00:00:00Z' })).toEqual(['french'])
  expect(found('bundler', { exclude: ['http://www.example.org/bun/'] }).toSorted()).toEqual(['french', all[2]])
  expect(found('bundler', { limit: 1 })).toHaveLength(1)
  expect(found('bundler', { limit: 5, offset: 2 })).toHaveLength(1)
})

test('a page that has the one word of a query in another form is found', () => {
  const { file, found } = open()
  file.keep([page('wide', 'ｂｅｅｓ ｄａｎｃｅ'), page('digits', 'Measured in ２０２６.'), page('long', 'Moorland.')])
  expect([found('bees'), found('2026'), found('moor')]).toEqual([['wide'], ['digits'], ['long']])
})

test('each owner sees its own pages, and without an owner all are seen', () => {
  const { file, found } = open()
  file.keep([page('a', 'Bees dance.', { owner: 'phone' }), page('a', 'Bees sing.', { owner: 'laptop' })])
  expect(found('bees', { owner: 'phone' })).toEqual(['a'])
  expect(file.recall({ query: 'bees', filters: {}, owner: 'phone' })[0]?.snippet).toBe('Bees dance.')
  expect(found('bees', { owner: '' })).toEqual([])
  expect(found('bees')).toEqual(['a'])
})

test('a page is kept once: what says more stays, until it is old', () => {
  const { file, clock } = open()
  const textNow = () => file.recall({ query: 'bees', filters: {} }).map(({ snippet }) => snippet)
  file.keep([page('bees', 'Bees dance in the hive.', { url: 'https://www.example.org/bees?utm_source=x' })])
  file.keep([page('bees', 'A line about bees.', { extent: 'row' }), page('bees', 'Menu. Bees.', { extent: 'rough' })])
  expect(textNow()).toEqual(['Bees dance in the hive.'])
  clock.now += 30 * day - 1000
  file.keep([page('bees', 'A line about bees.', { extent: 'row' })])
  expect(textNow()).toEqual(['Bees dance in the hive.'])
  clock.now += 1000
  file.keep([page('bees', 'A line about bees.', { extent: 'row' })])
  expect(textNow()).toEqual(['A line about bees.'])
  // As much of it, and more, take its place at once.
  for (const more of [{ extent: 'row' as const }, {}]) {
    const text = `Bees sing now, too: ${Object.keys(more).length}.`
    file.keep([page('bees', text, more)])
    expect(textNow()).toEqual([text])
  }
  expect(file.stats()).toMatchObject({ pages: 1, sites: 1 })
})

test('what tells a page are the dozen words that it has most often and others have least, of its beginning', () => {
  const { file } = open()
  const letters = 'bcdfghjklmnp'
  const words = (name: string, count: number) =>
    Array.from({ length: count }, (_, at) => `${letters[at % 12]}${letters[Math.floor(at / 12)]}${name}x`).join(' ')
  const like = (name: string, text: string) => {
    file.keep([page(name, text)])
    return file
      .recall({ query: '', filters: {}, similarTo: page(name, '').url })
      .map(({ url }) => url.replace('https://example.org/', ''))
      .sort()
  }
  file.keep([page('seldom', words('seldom', 4)), page('often', words('often', 4)), page('late', words('late', 12))])
  // Sixteen words: four of them are a quarter, which is enough where they count.
  expect(like('one', `${words('often', 12)} ${words('often', 12)} ${words('seldom', 4)}`)).toEqual(['often'])
  for (let other = 0; other < 10; other++) file.keep([page(`other${other}`, words('common', 60))])
  file.keep([page('rare', words('rare', 12))])
  const many = `${words('common', 60)} ${words('common', 60)} ${words('common', 60)}`
  expect(like('two', `${words('rare', 12)} ${many}`)).not.toContain('rare')
  file.keep([page('some', words('single', 4))])
  const common = `${words('common', 12)} `.repeat(3)
  expect(like('four', `${common} ${words('single', 12)} ${words('single', 12)}`)).toEqual(['some'])
  const late = `${words('early', 12)} ${'x '.repeat(5000)} ${words('late', 12)} ${words('late', 12)}`
  expect(like('three', late)).not.toContain('late')
})

test('words tell a page in any case, and single letters do not', () => {
  const { file, found } = open()
  const words = ['bad', 'bed', 'bid', 'bod', 'bud', 'cad', 'cod', 'cud', 'dad', 'fad', 'fed', 'god']
  const text = [...Array(4).fill('q'), ...words.slice(0, 9).flatMap((word) => [word, word.toUpperCase()])].join(' ')
  file.keep([
    page('mixed', `${text} ${words.slice(9).join(' ')}`, { title: '' }),
    page('last', words.slice(9).join(' '), { title: '' }),
  ])
  expect(found('', { similarTo: page('mixed', '').url })).toEqual(['last'])
})

test('pages like one are found by its telling words, without that one', () => {
  const { file, found } = open()
  const many = Array.from({ length: 20 }, (_, index) =>
    page(`other${index}`, `The notes of day ${index} are about cooking.`),
  )
  file.keep([...many, page('hive', 'The hive of honeybees: wax, brood and nectar of the honeybees. The notes.')])
  file.keep([page('swarm', 'When honeybees swarm, they leave the hive and its wax.')])
  expect(found('', { similarTo: 'http://www.example.org/hive' })[0]).toBe('swarm')
  expect(found('', { similarTo: 'http://www.example.org/hive' })).not.toContain('hive')
  expect(found('', { similarTo: 'https://example.org/unseen' })).toEqual([])
})

test('a query is words and nothing else, whatever is in it', () => {
  const { file } = open()
  file.keep(Object.values(texts))
  const signs = [
    '"',
    '"bun" OR',
    'bun AND (',
    'title:bun',
    '^bun*',
    'bun NEAR(',
    '{',
    '-bun',
    "';--",
    '\0bun',
    '%',
    '*',
  ]
  for (const query of [...signs, ...Object.values(hostileTexts(scratch))]) {
    expect(() => file.recall({ query, filters: { includeDomains: [query] } })).not.toThrow()
    expect(() => file.recall({ query, filters: {} })).not.toThrow()
  }
})

test('a word of many parts is looked for by its first eight', () => {
  const { file, found } = open()
  file.keep([page('eight', 'See aa.bb.cc.dd.ee.ff.gg.hh there.'), page('seven', 'See aa.bb.cc.dd.ee.ff.gg there.')])
  expect(found('aa.bb.cc.dd.ee.ff.gg.hh.ii.jj')).toEqual(['eight'])
})

test('a page on one of many words is not about them', () => {
  const { file, found } = open()
  file.keep([texts.english])
  expect(found('bun rabbit breeding handbook')).toEqual([])
})

test('pages that were not used for longest go first, and the file stays within its size', () => {
  const { file, found, clock } = open({ maxBytes: 1e6 })
  file.keep([page('used', 'The one about marmots.'), page('unused', 'The one about badgers.')])
  const noise = () => Array.from({ length: 400 }, () => Math.random().toString(36).slice(2)).join(' ')
  for (let batch = 0; batch < 8; batch++) {
    clock.now += 60_000
    expect(found('marmots')).toEqual(['used'])
    file.keep(Array.from({ length: 30 }, (_, index) => page(`${batch}-${index}`, noise())))
  }
  expect(found('badgers')).toEqual([])
  expect(file.size().bytes).toBeLessThanOrEqual(1e6)
  expect(file.size().pages).toBeGreaterThan(30)
})

test('a word that is on more than 8,000 pages is looked for where it stands alone, and not beside a rarer one', () => {
  const { file, found, path } = open()
  file.keep([page('a', 'The elephant 東京 and the walrus.'), page('b', 'The elephant 東京.')])
  using database = new Database(path)
  const add = (from: number, to: number) =>
    database.run(
      `INSERT INTO words (rowid, title, text, site) WITH RECURSIVE numbers (n) AS
       (SELECT ? UNION ALL SELECT n + 1 FROM numbers WHERE n < ?) SELECT -n, '', 'elephant 東京', '' FROM numbers`,
      [from, to],
    )
  // With the page of the walrus that makes 8,000.
  add(1, 7997)
  expect(found('elephant walrus')).toEqual(['a', 'b'])
  add(7998, 7998)
  for (const query of ['elephant walrus', 'walrus elephant']) expect(found(query)).toEqual(['a'])
  add(7999, 8001)
  expect(found('東京 walrus')).toEqual(['a'])
  expect(found('elephant').toSorted()).toEqual(['a', 'b'])
  expect(found('unicorn elephant').toSorted()).toEqual(['a', 'b'])
})

test('two in a hundred pages go at a time, twenty times at most, and none where the file has its size exactly', () => {
  const { file, path } = open()
  file.keep(Array.from({ length: 100 }, (_, index) => page(`${index}`, 'Bees dance.')))
  using database = new Database(path)
  evict(database, bytesOf(database))
  expect(file.stats().pages).toBe(100)
  evict(database, 0)
  expect([...file.pages()].map(({ title }) => title)).toEqual(Array.from({ length: 60 }, (_, at) => `${at + 40}`))
  evict(database, bytesOf(database) - 1)
  expect(file.stats().pages).toBeLessThan(60)
})

test('excerpts are of pages that were read, and seen since then', () => {
  const { file, clock } = open()
  const urls = ['read', 'row', 'none'].map((name) => `https://example.org/${name}`)
  file.keep([page('read', 'Bees dance.', { extent: 'rough' }), page('row', 'Bees dance.', { extent: 'row' })])
  const since = (ms: number) => [
    ...file.excerpts({ urls, query: 'bees', seenAfter: new Date(clock.now + ms).toISOString() }).keys(),
  ]
  expect([since(0), since(1000)]).toEqual([['https://example.org/read'], []])
  const seen = (ms: number) =>
    file.recall({ query: 'bees', filters: {}, seenAfter: new Date(clock.now + ms).toISOString() }).length
  expect([seen(0), seen(1000)]).toEqual([2, 0])
})

test('ten pages are found, or as many as are wanted, of the 200 that fit best', () => {
  const { file, found } = open()
  file.keep(Array.from({ length: 210 }, (_, index) => page(`${index}`, `Bees of hive ${index} dance.`)))
  expect(found('bees')).toHaveLength(10)
  expect(found('bees', { limit: 60 })).toHaveLength(60)
  expect(found('bees', { limit: 300 })).toHaveLength(200)
})

test('a page has half of the words of a query, and pages like one are those of its owner', () => {
  const { file, found } = open()
  file.keep([
    texts.english,
    page('hive', 'Honeybees and nectar.', { owner: 'laptop' }),
    page('swarm', 'Honeybees and nectar.'),
    page('wax', 'Honeybees and nectar.', { owner: 'phone' }),
  ])
  expect(found('faster bundler rabbit handbook')).toEqual(['bun'])
  expect(found('faster rabbit breeding handbook')).toEqual([])
  const like = (owner?: string) =>
    found('', { similarTo: 'https://example.org/hive', ...(owner !== undefined && { owner }) })
  expect([like().toSorted(), like(''), like('phone')]).toEqual([['swarm', 'wax'], [], []])
})

test('a page comes back as it was kept, and one that is forgotten twice counts once', () => {
  const { file } = open()
  const plain = page('plain', 'Bees dance.', { extent: 'row' })
  file.keep([texts.english, { ...plain, owner: 'phone', extent: 'rough' }, plain])
  const seenAt = '2026-11-20T10:00:00Z'
  expect([...file.pages()]).toEqual([
    { ...texts.english, seenAt },
    { ...plain, owner: 'phone', extent: 'rough', seenAt },
    { ...plain, seenAt },
  ])
  file.keep(Array.from({ length: 18 }, (_, index) => page(`${index}`, 'Bees dance.')))
  const [first, second] = [file.forgetting(), file.forgetting()]
  first.next()
  second.next()
  first.next()
  expect([first.next().value, second.next().value]).toEqual([20, 1])
})

test('a title has 500 characters and a language 35, in lower case; stats have the first and the last day', () => {
  const { file, clock } = open()
  expect(Object.keys(file.stats()).toSorted()).toEqual(['bytes', 'pages', 'sites'])
  file.keep([page('a', 'Bees dance.', { title: 't'.repeat(501), language: `DE-${'x'.repeat(40)}` })])
  clock.now += day
  file.keep([page('b', 'Bees dance.', { owner: 'phone', url: 'https://b.example/' })])
  expect([...file.pages()][0]).toMatchObject({ title: 't'.repeat(500), language: `de-${'x'.repeat(32)}` })
  const both = { oldest: '2026-11-20T10:00:00Z', newest: '2026-11-21T10:00:00Z' }
  expect(file.stats()).toMatchObject({ ...both, sites: 2 })
  expect(file.stats('phone')).toMatchObject({ oldest: both.newest, newest: both.newest, sites: 1 })
})

test('what says less replaces a page after 30 days, and not a moment earlier', () => {
  const { file, clock } = open()
  const kept = (ms: number) => {
    clock.now += ms
    file.keep([page('bees', 'A line about bees.', { extent: 'row' })])
    return [...file.pages()].map(({ text }) => text)
  }
  file.keep([page('bees', 'Bees dance.')])
  expect(kept(30 * day - 1000)).toEqual(['Bees dance.'])
  expect(kept(1000)).toEqual(['A line about bees.'])
})

test('pages are forgotten in steps of twenty', () => {
  const { file } = open()
  const steps = (count: number) => {
    file.keep(Array.from({ length: count }, (_, index) => page(`${index}`, 'Bees dance.')))
    return [...file.forgetting()].length
  }
  expect([steps(20), steps(41), steps(0)]).toEqual([1, 3, 0])
})

test('a long page is cut', () => {
  const { file, found } = open()
  file.keep([page('long', `${'Bees dance. '.repeat(100_000)} The end is about marmots.`)])
  expect(found('bees')).toEqual(['long'])
  expect(found('marmots')).toEqual([])
  expect([...file.pages()][0]?.text.length).toBe(40_000)
})

test('what is forgotten is gone from the file, too', () => {
  const { file, found, path } = open()
  file.keep([
    page('a', 'Marmots whistle.', { url: 'https://docs.example.net/a' }),
    page('b', 'Badgers dig.', { url: 'https://example.net/b' }),
    page('c', 'Bees dance.', { url: 'https://notexample.net/c' }),
  ])
  expect(file.forget({ site: 'https://example.net/' })).toBe(2)
  expect(found('marmots')).toEqual([])
  expect(found('bees')).toEqual(['https://notexample.net/c'])
  const bytes = readdirSync(dirname(path)).map((name) => readFileSync(join(dirname(path), name), 'latin1'))
  expect(bytes.filter((text) => /marmot|badger|docs\.example/.test(text))).toEqual([])
  expect(file.forget()).toBe(1)
  expect(file.stats()).toMatchObject({ pages: 0 })
})

test('what is forgotten while the file is tidied, and before it is closed, is gone from the file, too', () => {
  const { file, path } = open()
  const sites = ['one.example', 'two.example', 'three.example']
  for (let count = 0; count < 20; count++) {
    const words = Array.from({ length: 300 }, (_, at) => `${(at * 7919 + count * 104_729).toString(36)}`).join(' ')
    file.keep(sites.map((site) => page('', `${words} zebra${site}`, { url: `https://${site}/${count}` })))
  }
  const left = () =>
    readdirSync(dirname(path)).flatMap((name) => {
      const text = readFileSync(join(dirname(path), name), 'latin1')
      return sites.filter((site) => text.includes(site.slice(0, -'.example'.length)))
    })
  expect(left()).toContain('one.example')
  for (const _ of file.forgetting({ site: 'one.example' }));
  // The merge of the index has begun.
  for (let count = 0; count < 2; count++) expect(file.tidy()).toBe(true)
  for (const _ of file.forgetting({ site: 'two.example' }));
  file.tidy()
  file.close()
  const again = new MemoryFile({ path, maxBytes: 50e6 })
  while (again.tidy());
  expect(left()).toEqual(['three.example'])
  expect(again.stats().pages).toBe(20)
  expect(again.recall({ query: 'zebrathree', filters: {} })).not.toBeEmpty()
  const before = statSync(path).size
  expect(again.forget()).toBe(20)
  expect(statSync(path).size).toBeLessThan(before / 2)
  again.close()
})

test('words that were forgotten are merged once more where a merge may have begun, and then the file shrinks', () => {
  const { file, path } = open()
  file.keep([texts.english])
  using database = new Database(path)
  const state = () => Object.values(database.query('PRAGMA application_id').get() ?? {})[0]
  markUntidy(database)
  const states = [state()]
  while (tidyStep(database)) states.push(state())
  // Merging again, untidy, merging, shrinking.
  expect([...new Set([...states, state()])]).toEqual([3, 1, 2, 4, 0])
})

test('a file that could not shrink in steps is rewritten once', () => {
  const path = join(scratch, `${++files}`, 'memory.sqlite')
  mkdirSync(dirname(path))
  const old = new Database(path)
  for (const sql of ['PRAGMA auto_vacuum = NONE', 'CREATE TABLE a (b)', 'DROP TABLE a']) old.run(sql)
  old.close()
  const file = new MemoryFile({ path, maxBytes: 50e6 })
  for (const name of ['a', 'b', 'c']) {
    for (let count = 0; count < 20; count++) file.keep([page(name + count, `Bees dance. ${'x '.repeat(9000)}${count}`)])
    const before = statSync(path).size
    expect(file.forget()).toBe(20)
    expect(statSync(path).size).toBeLessThan(Math.max(before, 50_000))
  }
  file.close()
  const again = new Database(path)
  expect(again.query('PRAGMA auto_vacuum').get()).toEqual({ auto_vacuum: 2 })
  again.close()
})

test.each(['example.net', 'example.net.', 'https://example.net./x'])(
  'a dot at the end of a host makes no other site of it: forgetting %s',
  (site) => {
    const { file, found } = open()
    file.keep([
      page('a', 'Marmots whistle.', { url: 'https://example.net./a' }),
      page('b', 'Badgers dig.', { url: 'https://docs.example.net/b' }),
      page('c', 'Bees dance.', { url: 'https://example.network/c' }),
    ])
    expect(file.forget({ site })).toBe(2)
    expect([found('marmots'), found('badgers'), found('bees')]).toEqual([[], [], ['https://example.network/c']])
  },
)

test('counts and forgets what is of one owner alone', () => {
  const { file } = open()
  const of = (owner: string, host: string) => page(owner, 'Marmots whistle.', { url: `https://${host}/`, owner })
  file.keep([of('phone', 'a.example'), of('phone', 'b.example'), of('laptop', 'a.example')])
  expect(file.stats('phone')).toMatchObject({ pages: 2, sites: 2 })
  expect(file.stats('laptop').bytes).toBeGreaterThan(0)
  expect(file.stats('phone').bytes).toBe(2 * file.stats('laptop').bytes)
  expect(file.stats()).toMatchObject({ pages: 3, sites: 2 })
  expect(file.forget({ site: 'a.example', owner: 'phone' })).toBe(1)
  expect(file.forget({ owner: 'phone' })).toBe(1)
  expect([...file.pages()].map(({ owner }) => owner)).toEqual(['laptop'])
})

test('only the owner can read the file and what SQLite writes beside it', () => {
  const { file, path } = open()
  file.keep([texts.english])
  const names = readdirSync(dirname(path))
  expect(names.length).toBeGreaterThan(1)
  for (const name of names) expect(statSync(join(dirname(path), name)).mode & 0o777).toBe(0o600)
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700)
})

test('two processes share a file', () => {
  const { file, path, found } = open()
  const { file: other } = open({ path })
  other.keep([texts.english])
  file.keep([texts.german])
  expect(found('bundler')).toEqual(['bun'])
  expect(other.stats().pages).toBe(2)
})

test('a file that is no database is set aside, and another is begun', () => {
  const { file, path } = open()
  file.close()
  opened.pop()
  writeFileSync(path, 'This is no database. '.repeat(500))
  const { file: again, found } = open({ path })
  expect(again.problem).toContain(`${path}.damaged`)
  again.keep([texts.english])
  expect(found('bundler')).toEqual(['bun'])
  expect(readFileSync(`${path}.damaged`, 'utf8')).toContain('no database')
})

test('a file that breaks while it is open is set aside, and another is begun', () => {
  const { file, path, found } = open()
  file.keep(Object.values(texts))
  const database = new Database(path)
  database.run('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
  const bytes = readFileSync(path)
  writeFileSync(path, bytes.fill(0x41, 4096), { flag: 'r+' })
  const { file: again, found: foundAgain } = open({ path })
  again.keep([texts.english])
  expect(again.problem).toContain('.damaged')
  expect(foundAgain('bundler')).toEqual(['bun'])
  expect(() => found('bundler')).not.toThrow()
})

test('a file of a newer csp is left as it is', () => {
  const { file, path } = open()
  file.close()
  opened.pop()
  const database = new Database(path)
  database.run('PRAGMA user_version = 99')
  database.close()
  expect(() => open({ path })).toThrow('newer csp')
  expect(readdirSync(dirname(path)).filter((name) => name.includes('damaged'))).toEqual([])
})

test('looking at a memory makes none where there is none', () => {
  const folder = mkdtempSync(join(scratch, 'empty-'))
  expect(() => inspectDatabase(join(folder, 'memory.sqlite'))).toThrow('unable to open')
  expect(readdirSync(folder)).toEqual([])
})
