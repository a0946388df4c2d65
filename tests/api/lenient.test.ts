import { describe, expect, test } from 'bun:test'
import { testApp } from './test-app.ts'

// What models send for nothing, and in words, at csp's own routes and tools. Vendors' routes stay as strict as the vendors.

const nothings = [
  '',
  '  ',
  'null',
  'none',
  'None',
  'ALL',
  'all',
  'undefined',
  'n/a',
  null,
  [''],
  ['null'],
  ['none', ''],
]

/** Calls a tool, and returns its reply with what was searched for. */
async function call(name: string, args: Record<string, unknown>) {
  const { request, executor } = testApp()
  const reply = await request('/mcp', {
    method: 'POST',
    headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  })
  const [, data = ''] = /^data: (\{.*"result".*)$/m.exec(await reply.text()) ?? []
  return { result: JSON.parse(data).result, request: executor.requests[0] }
}

async function search(fields: Record<string, unknown>) {
  const { post, executor } = testApp()
  const { status, headers } = await post('/v1/search', { q: 'bees', ...fields })
  return { status, ignored: headers.get('x-csp-ignored'), request: executor.requests[0] }
}

const searchFields = 'count limit n max_results offset page freshness include_domains exclude_domains language country'
const more = 'region safesearch category search_domain_filter search_language_filter search_recency_filter'

describe.each(nothings.map((value) => ({ value })))('$value says nothing', ({ value }) => {
  test.each([...searchFields.split(' '), ...more.split(' ')])('in %s of /v1/search', async (field) => {
    const [plain, sent] = [await search({}), await search({ [field]: value })]
    expect(sent).toEqual({ ...plain, status: 200, ignored: null })
  })

  test.each([
    ['web_search', 'query', 'count freshness include_domains exclude_domains country language'],
    ['ask_web', 'question', 'effort conversation'],
  ])('in the tool %s', async (name, asked, fields) => {
    const plain = await call(name, { [asked]: 'bees' })
    expect(plain.result.isError).toBeUndefined()
    for (const field of fields.split(' ')) expect(await call(name, { [asked]: 'bees', [field]: value })).toEqual(plain)
  })
})

test.each(['none', 'null', 'all'])('the question %s is one', async (q) => {
  expect((await search({ q })).request).toMatchObject({ query: q })
  expect((await call('web_search', { query: q })).request).toMatchObject({ query: q })
})

describe('what is plain is understood', () => {
  test.each([
    ['freshness', 'pd', { freshness: 'day' }],
    ['freshness', 'past week', { freshness: 'week' }],
    ['freshness', 'Last 7 days', { freshness: 'week' }],
    ['freshness', 'in the past 24 hours', { freshness: 'day' }],
    ['freshness', '30d', { freshness: 'month' }],
    ['freshness', 'past_month', { freshness: 'month' }],
    ['freshness', 'last 3 months', { freshness: 'year' }],
    ['freshness', 'this year', { freshness: 'year' }],
    ['freshness', 'today', { freshness: 'day' }],
    ['country', 'Germany', { country: 'DE' }],
    ['country', 'united kingdom', { country: 'GB' }],
    ['country', 'USA', { country: 'US' }],
    ['country', 'Côte d’Ivoire', { country: 'CI' }],
    ['country', 'south korea', { country: 'KR' }],
    ['language', 'German', { language: 'de' }],
    ['language', 'english', { language: 'en' }],
    ['language', 'Brazilian Portuguese', { language: 'pt-br' }],
    ['language', 'Ukrainian', { language: 'uk' }],
    ['language', 'Simplified Chinese', { language: 'zh-hans' }],
    ['include_domains', ['null', 'python.org'], { includeDomains: ['python.org'] }],
  ])('%s: %j', async (field, value, filters) => {
    expect(await search({ [field]: value })).toMatchObject({ status: 200, request: { filters } })
    expect((await call('web_search', { query: 'bees', [field]: value })).request).toMatchObject({ filters })
  })

  test.each(['soon', 'last 5 years', '7', 'past'])('the freshness %s is not, and is refused', async (freshness) => {
    expect((await search({ freshness })).status).toBe(400)
  })

  test.each(['Atlantis', 'Germanyy', 'XX'])('the country %s is none, and is refused', async (country) => {
    expect((await search({ country })).status).toBe(400)
  })
})

test.each([21, 50, 100, '1000', 1e6])('a count of %j is the most, and the reply says so', async (count) => {
  for (const field of ['count', 'limit', 'n', 'max_results']) {
    expect(await search({ [field]: count })).toMatchObject({ status: 200, ignored: field, request: { limit: 20 } })
  }
  const { result, request } = await call('web_search', { query: 'bees', count })
  expect(request).toMatchObject({ limit: 20 })
  expect(result.content[0].text).toContain('20 is the most')
})

test.each([
  ['/tavily/search', { query: 'bees', max_results: '' }],
  ['/tavily/search', { query: 'bees', max_results: 500 }],
  ['/exa/search', { query: 'bees', numResults: 'none' }],
  ['/search', { query: 'bees', country: 'Germany', max_results: 5 }],
  ['/v1/chat/completions', { messages: [{ role: 'user', content: 'bees' }], stream: 'none' }],
])('%s is as strict as its vendor', async (path, body) => {
  expect((await testApp().post(path, body)).status).toBeGreaterThanOrEqual(400)
})
