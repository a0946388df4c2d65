import { expect, test } from 'bun:test'
import { anyText } from '@csp/testing/any-text'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import { testApp } from '../test-app.ts'

const posts = [
  ...['/tavily/search', '/exa/search', '/exa/answer', '/api/web_search', '/open-webui/search', '/v2/search'],
  ...['/firecrawl/v1/search', '/search/tool', '/searxng/search', '/v1/web-search', '/serper/search', '/serper/news'],
]
const fields = [
  ...['query', 'q', 'format', 'limit', 'count', 'max_results', 'numResults', 'results_per_page', 'pageno', 'topic'],
  ...[
    'include_domains',
    'excludeDomains',
    'includeDomains',
    'time_range',
    'days',
    'max_hours',
    'start_date',
    'end_date',
  ],
  ...['startPublishedDate', 'endPublishedDate', 'country', 'language', 'category', 'categories', 'contents', 'sources'],
  ...[
    'tbs',
    'include_answer',
    'include_favicon',
    'text',
    'stream',
    'systemPrompt',
    'safesearch',
    'api_key',
    'freshness',
    'include',
    'num',
    'gl',
    'location',
    'page',
    '__proto__',
  ],
]

const value = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom(
    'bees',
    '5',
    5,
    1e300,
    -0,
    '',
    null,
    true,
    false,
    '2026-02-30',
    '2026-03-01',
    'qdr:d',
    'news',
    'json',
  ),
  fc.constantFrom<unknown>(['a.example'], { text: true }, [{ type: 'news' }], '\ud800'),
)
const body = fc.oneof(
  fc.jsonValue(),
  fc
    .dictionary(fc.constantFrom(...fields), value)
    .map((more) => ({ query: 'bees', q: 'bees', format: 'json', ...more })),
)

async function checkReply(response: Response): Promise<void> {
  expect(response.status).toBeLessThan(500)
  const text = await response.text()
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
    expect(text).toEndWith('data: [DONE]\n\n')
    return
  }
  expect(JSON.parse(text)).toBeObject()
}

test("any JSON sent to the other vendors' routes is answered or refused in JSON", async () => {
  const { request, executor } = testApp()
  const property = fc.asyncProperty(fc.constantFrom(...posts), body, async (path, sent) => {
    await checkReply(await request(path, { method: 'POST', body: JSON.stringify(sent) }))
  })
  await fc.assert(property, { numRuns: runs(1500) })
  // Else it would show only that everything is refused.
  expect(executor.calls.length).toBeGreaterThan(runs(100))
})

test("any form or query string sent to the other vendors' routes is answered or refused", async () => {
  const { request, executor } = testApp()
  const pair = fc.tuple(fc.constantFrom(...fields), fc.oneof(anyText(), fc.constantFrom('2', 'news')))
  const property = fc.asyncProperty(fc.constantFrom('GET', 'POST'), fc.array(pair), async (method, pairs) => {
    const sent = new URLSearchParams([['q', 'bees'], ['format', 'json'], ...pairs])
    const isPost = method === 'POST'
    await checkReply(await request(isPost ? '/search' : `/search?${sent}`, { method, ...(isPost && { body: sent }) }))
  })
  await fc.assert(property, { numRuns: runs(500) })
  expect(executor.calls.length).toBeGreaterThan(runs(50))
})

const gets = [
  ...['/v7.0/search', '/v7.0/news/search', '/customsearch/v1', '/serper/search', '/serper/news', '/search.json'],
  '/jina',
]
const parameters = [
  ...['q', 'count', 'num', 'offset', 'start', 'page', 'mkt', 'cc', 'setLang', 'safeSearch', 'safe', 'freshness'],
  ...['responseFilter', 'dateRestrict', 'sort', 'siteSearch', 'siteSearchFilter', 'lr', 'hl', 'cr', 'gl', 'location'],
  ...['exactTerms', 'excludeTerms', 'orTerms', 'hq', 'fileType', 'tbs', 'tbm', 'engine', 'key', 'apiKey', 'api_key'],
]
const texts = [
  ...[
    '',
    '0',
    '1',
    '-1',
    'news',
    '-Webpages',
    'Day',
    '2026-03-01..2026-02-01',
    '..',
    'd1',
    'y99',
    'date:r::',
    'qdr:y9',
  ],
  ...['cdr:1,cd_min:13/1/2026', 'lang_de|lang_fr', 'countryDE', 'a.com/', '*://*.a.com/*', 'United States', ','],
  ...['-(site:a.com OR site:b.com) NOT site:c.com', '(site:a.com', 'constructor', '__proto__', 'pdf', 'nws', 'active'],
]

test('any parameters of a GET are answered or refused in JSON', async () => {
  const { request, executor } = testApp()
  const sent = fc.dictionary(fc.constantFrom(...parameters), fc.oneof(anyText(), fc.constantFrom(...texts)))
  const property = fc.asyncProperty(fc.constantFrom(...gets), sent, async (path, more) => {
    await checkReply(await request(`${path}?${new URLSearchParams({ q: 'bees', ...more })}`))
  })
  await fc.assert(property, { numRuns: runs(1500) })
  expect(executor.calls.length).toBeGreaterThan(runs(50))
})
