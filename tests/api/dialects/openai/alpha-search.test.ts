import { describe, expect, test } from 'bun:test'
import { hostileMarkdown } from '@csp/testing/hostile-markdown'
import { liveMarkup } from '@csp/testing/rendered'
import { fakePageReader } from '../../../support/fake-page-reader.ts'
import { found } from '../../../support/scripted-executor.ts'
import { testApp } from '../../test-app.ts'

const bees = 'https://bees.example/'
const dance = 'https://bees.example/dance'
const reader = (content = 'Bees\nThey dance.\nThe end.') =>
  fakePageReader({
    [bees]: { content, title: 'Bees', publishedAt: '2026-10-07', links: [dance, 'https://other.example/'] },
    [dance]: { content: 'A figure of eight', links: [] },
  })

const run = async (commands: unknown, more: object = {}, pages = reader()) => {
  const app = testApp(found(30), { pages })
  const { status, body, headers } = await app.post('/v1/alpha/search', { commands, ...more })
  return { status, body, headers, asked: app.executor.requests, read: pages.requests.map(({ url }) => url) }
}

test('each query is a search of its own, within its days and the sites that both sides allow', async () => {
  const search_query = [
    { q: 'one', recency: 7, domains: ['docs.bees.example', 'x.example'] },
    { q: 'two' },
    { q: 'three', domains: ['x.example'] },
  ]
  const settings = { filters: { allowed_domains: ['bees.example'] }, user_location: { country: 'de' } }
  const { body, asked } = await run({ search_query }, { settings })
  expect(
    asked.map(({ query, filters }) => [query, filters.includeDomains, filters.freshness, filters.country]),
  ).toEqual([
    ['one', ['docs.bees.example'], 'week', 'DE'],
    ['two', ['bees.example'], undefined, 'DE'],
  ])
  expect(body.output).toContain('the settings allow none of the domains')
})

test('the model gets title, date, address and words of each row, and people the same as data', async () => {
  const { body } = await run({ search_query: [{ q: 'bees' }], response_length: 'short' })
  expect(body.output).toContain('Page 1 (2026-05-01)\nExcerpt 1\nref_id: https://site1.example/docs/page')
  const [row] = body.results
  expect(body.results).toHaveLength(5)
  const url = 'https://site1.example/docs/page'
  const texts = { title: 'Page 1', snippet: 'Excerpt 1', pub_date: '2026-05-01' }
  expect(row).toEqual({ type: 'text_result', ref_id: url, url, ...texts })
})

describe('pages, by their addresses', () => {
  test('are opened from a line on', async () => {
    const { body, asked } = await run({ open: [{ ref_id: bees, lineno: 2 }] })
    expect(asked).toEqual([])
    expect(body.output).toContain('L2: They dance.')
    expect(body.output).not.toContain('L1:')
    expect(body.output).toContain(`1: ${dance}`)
    expect((await run({ open: [{ ref_id: bees, lineno: 99 }] })).body.output).toMatch(/The page has only \d+ lines\./)
  })

  test('have links that are followed', async () => {
    const { body, read } = await run({ click: [{ ref_id: bees, id: 1 }] })
    expect(body.output).toContain('A figure of eight')
    expect(read).toEqual([bees, dance])
    expect((await run({ click: [{ ref_id: bees, id: 3 }] })).body.output).toContain('has 2 links')
  })

  test('have words that are found', async () => {
    expect((await run({ find: [{ ref_id: bees, pattern: 'DANCE' }] })).body.output).toContain('L2: They dance.')
    expect((await run({ find: [{ ref_id: bees, pattern: 'wasp' }] })).body.output).toContain('not on the page')
  })

  test('are only those of the allowed sites, behind links too', async () => {
    const settings = { filters: { allowed_domains: ['bees.example'] } }
    const { read } = await run({ click: [{ ref_id: bees, id: 2 }] }, { settings })
    expect(read).toEqual([bees])
  })

  test('are named by nothing else', async () => {
    const { status, body, read } = await run({ open: [{ ref_id: 'turn0search1' }] })
    expect([status, read]).toEqual([200, []])
    expect(body.output).toMatch(/URL .*ref_id/)
  })
})

test('lines and links of a page are together no longer than the model wants', async () => {
  const links = Array.from({ length: 60 }, (_, at) => `https://bees.example/${'a'.repeat(200)}/${at}`)
  const pages = fakePageReader({ [bees]: { content: 'They dance. '.repeat(1000), links } })
  const { body } = await run({ open: [{ ref_id: bees }] }, { max_output_tokens: 500 }, pages)
  expect(body.output).toContain('1: https://bees.example/')
  expect(body.output.length).toBeLessThan(2500)
})

test('what has no effect is named', async () => {
  const settings = { external_web_access: 'indexed', search_context_size: 'low', colour: 'red' }
  const { headers } = await run({ search_query: [{ q: 'bees' }] }, { id: 's', model: 'gpt-5.6', settings })
  expect(headers.get('x-csp-ignored')?.split(', ').toSorted()).toEqual([
    ...['id', 'model', 'settings.colour', 'settings.external_web_access', 'settings.search_context_size'],
  ])
})

test('nothing becomes live where one row begins it and the next one ends it', async () => {
  for (const text of Object.values(hostileMarkdown)) {
    for (const cut of [0.25, 0.5, 0.75].map((share) => Math.floor(text.length * share))) {
      const results = [text.slice(0, cut), text.slice(cut)].map((snippet, at) => ({
        ...{ title: 'A page', url: `${bees}${at}`, snippet, source: 's' },
      }))
      const { post } = testApp([
        { type: 'search-start', id: 's', query: 'bees' },
        { type: 'search-results', id: 's', results },
        { type: 'done', reason: 'stop', usage: { searches: 1, inputTokens: 0, outputTokens: 0 }, model: 'm' },
      ])
      const { body } = await post('/v1/alpha/search', { commands: { search_query: [{ q: 'bees' }] } })
      expect(liveMarkup(body.output).filter((line) => !line.includes(bees))).toEqual([])
    }
  }
})

test('what is not offered is said', async () => {
  const { status, body, asked } = await run({ weather: [{ location: 'Oslo' }] })
  expect([status, asked, body.output]).toEqual([200, [], 'weather: not offered by this server.'])
})

test.each([
  [{}, 'commands'],
  [{ search_query: [{ q: '' }] }, 'commands.search_query[0].q'],
  [{ search_query: [{ q: 'a' }, { q: 'b', recency: 'new' }] }, 'commands.search_query[1].recency'],
  [{ find: [{ ref_id: bees }] }, 'commands.find[0].pattern'],
])('%j is refused by its field, and costs nothing', async (commands, param) => {
  const { status, body, asked, read } = await run(commands)
  expect([status, body.error.param, asked, read]).toEqual([400, param, [], []])
})

test.each(Object.entries(hostileMarkdown))('nothing of a page is live in what is shown: %s', async (_, text) => {
  const pages = reader(`Bees\n${text}`)
  const { body } = await run({ open: [{ ref_id: bees }], find: [{ ref_id: bees, pattern: 'e' }] }, {}, pages)
  expect(liveMarkup(body.output).filter((line) => !/https:\/\/(?:bees|other)\.example/.test(line))).toEqual([])
})

test.each(Object.entries(hostileMarkdown))('nor of a row: %s', async (_, text) => {
  const results = [{ title: text, url: bees, snippet: text, source: 's' }]
  const usage = { searches: 1, inputTokens: 0, outputTokens: 0 }
  const { post } = testApp([
    { type: 'search-start', id: 's', query: 'bees' },
    { type: 'search-results', id: 's', results },
    { type: 'done', reason: 'stop', usage, model: 'm' },
  ])
  const { body } = await post('/v1/alpha/search', { commands: { search_query: [{ q: 'bees' }] } })
  expect(liveMarkup(body.output).filter((line) => !line.includes(bees))).toEqual([])
})
