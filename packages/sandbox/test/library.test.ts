import { describe, expect, test } from 'bun:test'
import { findInLibrary } from '../src/library/find.ts'
import { catalogue, libraryPage, subjects } from '../src/library/library.ts'
import { createSandbox } from '../src/sandbox.ts'

const pages = subjects.flatMap((subject) => subject.pages)
const found = (query: string, more = {}) => findInLibrary({ query, count: 8, ...more }).map(({ url }) => url)

describe('a search of the library', () => {
  test.each([
    ['How does HTTP caching work?', 'https://encyclopedia.csp.example/http-caching'],
    ['what is an etag', 'https://handbook.csp.example/web/etags'],
    ['SQLite WAL checkpoint', 'https://handbook.csp.example/databases/wal-checkpoints'],
    ['Who invented the espresso machine?', 'https://review.csp.example/history/espresso-machine'],
    ['When was the moon landing?', 'https://encyclopedia.csp.example/apollo-11'],
    ['Why do bees dance?', 'https://encyclopedia.csp.example/waggle-dance'],
    ['yield of solar panels on a roof', 'https://handbook.csp.example/energy/solar-roof'],
    ["baker's percentages of sourdough", 'https://kitchen.csp.example/bread/bakers-percentages'],
    ['time zones of the world', 'https://almanac.csp.example/time/time-zones'],
    ['What did Searle say of the Turing test?', 'https://review.csp.example/ideas/turing-test-objections'],
    ['heat pumps in cold climates', 'https://handbook.csp.example/energy/heat-pumps-in-the-cold'],
  ])('finds the page that bears on it first: %s', (query, url) => expect(found(query)[0]).toBe(url))

  test('about two subjects finds pages of both', () => {
    const hosts = new Set(found('heat pumps and solar panels').map((url) => new URL(url).pathname.split('/')[1]))
    expect(hosts.size).toBeGreaterThan(2)
  })

  test.each(['harbour seals', 'What time is it?', '', 'the test of a pump'])(
    'that no page bears on finds the page that names the subjects: %s',
    (query) => expect(found(query)).toEqual([catalogue.url]),
  )

  test('keeps to the domains of its caller', () => {
    expect(found('espresso', { allowedDomains: ['review.csp.example'] })).toEqual([
      'https://review.csp.example/history/espresso-machine',
    ])
    expect(found('espresso', { blockedDomains: ['csp.example'] })).toEqual([])
    expect(found('harbour seals', { allowedDomains: ['example.org'] })).toEqual([])
  })

  test('takes time in proportion to its query', () => {
    expect(found('espresso '.repeat(50_000))).toHaveLength(3)
  })
})

describe('the pages', () => {
  test('have addresses, titles and dates of their own, on hosts that nobody can own', () => {
    expect(new Set(pages.map(({ url }) => url)).size).toBe(pages.length)
    expect(pages.length).toBeGreaterThan(19)
    for (const { url, title, publishedAt } of pages) {
      expect(new URL(url).hostname).toEndWith('.csp.example')
      expect(title).toMatch(/ \| Sandbox \w+$/)
      expect(new Date(publishedAt).toISOString()).toStartWith(publishedAt)
    }
  })

  test('are HTML with their headings, tables, code and dates', () => {
    const html = libraryPage(new URL('https://handbook.csp.example/databases/wal-checkpoints'))
    expect(html).toContain('<td>PASSIVE</td><td>moves what it can without waiting</td>')
    expect(html).toContain('<pre><code>PRAGMA journal_mode = WAL;\n')
    expect(html).toContain('<h2>Kinds of checkpoint</h2>')
    expect(html).toContain('content="2026-08-21"')
    expect(html).toContain('the sandbox of claude-search-proxy')
  })

  test.each([
    ['https://handbook.csp.example/nothing', 'missing'],
    ['https://handbook.csp.example:8443/web/etags', 'missing'],
    ['https://example.org/', undefined],
    ['https://csp.example/', undefined],
    ['https://constructor/', undefined],
  ])('are none of %s', (url, outcome) => expect(libraryPage(new URL(url))).toBe(outcome))
})

describe('a call on the library', () => {
  const sandbox = createSandbox({ library: true })
  const ask = async (body: object) => {
    const all = JSON.stringify({ model: 'claude-haiku-4-5', max_tokens: 500, ...body })
    const response = await sandbox.fetch(new Request('http://sandbox/v1/messages', { method: 'POST', body: all }))
    const { content } = await response.json()
    return content as readonly { text?: string; citations?: readonly { url: string; cited_text: string }[] }[]
  }
  const answering = {
    tools: [{ type: 'web_search_20250305', name: 'web_search' }],
    system: 'Always search with web_search before you answer',
  }
  const textOf = (blocks: Awaited<ReturnType<typeof ask>>) => blocks.map(({ text = '' }) => text).join('')
  const user = (content: string) => ({ role: 'user', content })

  test('that answers cites sentences word for word, and one that is on no page', async () => {
    const blocks = await ask({ ...answering, messages: [user('How do honey bees dance?')] })
    const cited = blocks.flatMap(({ text, citations = [] }) => citations.map(({ url }) => ({ text, url })))
    const isThere = ({ text, url }: (typeof cited)[number]) =>
      pages.find((page) => page.url === url)?.sentences.some((sentence) => sentence.text === text)
    expect(cited.filter(isThere).length).toBeGreaterThan(3)
    expect(cited.filter((part) => !isThere(part))).toEqual([
      { text: expect.stringContaining('2,417'), url: 'https://encyclopedia.csp.example/waggle-dance' },
    ])
    expect(textOf(blocks)).toStartWith('Sandbox answer')
    expect(textOf(blocks)).not.toContain('##')
  })

  test('that asks for Markdown gets headings, a table and a list', async () => {
    const system = `${answering.system}. Write in Markdown.`
    const text = textOf(await ask({ ...answering, system, messages: [user('What is espresso?')] }))
    expect(text).toContain('\n## Espresso: pressure, dose and time\n')
    expect(text).toContain('\n| water pressure | 9 bar ± 1 bar |\n')
    expect(text).toMatch(/\n- \w/)
  })

  test('whose question makes sense only after the one before it is about the same subject', async () => {
    const prompt =
      '<conversation>\n<user-turn>\nHow do honey bees dance?\n</user-turn>\n</conversation>\n\n<question>\nWho decoded it?\n</question>'
    expect(textOf(await ask({ ...answering, messages: [user(prompt)] }))).toContain('Karl von Frisch decoded the dance')
  })

  test('that no page bears on says so, and names the subjects', async () => {
    const text = textOf(await ask({ ...answering, messages: [user('Who paints lighthouses?')] }))
    expect(text).toContain('None of them bears on this question.')
    for (const { name } of subjects) expect(text).toContain(name)
    expect(text).not.toContain('2,417')
  })

  test('that writes over numbered sources cites their numbers', async () => {
    const sources = '[1] A | B — https://example.org/a\n[2] C | D — https://encyclopedia.csp.example/heat-pump'
    const prompt = `<sources>\n${sources}\n</sources>\n\n<question>\nWhat is a heat pump?\n</question>`
    expect(textOf(await ask({ messages: [user(prompt)] }))).toContain(
      'A heat pump moves heat from a cold place to a warm one. [2]',
    )
    const other = textOf(await ask({ messages: [user(prompt.replace('encyclopedia.csp.example', 'example.net'))] }))
    expect(other).toContain('has something to say on it [2].')
  })
})
