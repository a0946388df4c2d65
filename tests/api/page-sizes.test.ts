import { expect, test } from 'bun:test'
import { searchRoutes } from '../support/routes.ts'
import { found, scriptedExecutor } from '../support/scripted-executor.ts'
import { testApp } from './test-app.ts'

/** How many rows a list has whose caller does not say how many. */
const sizes: Readonly<Record<string, number>> = {
  '/v7.0/search': 10,
  '/bing/v7.0/search': 10,
  '/v7.0/news/search': 10,
  '/bing/v7.0/news/search': 10,
  '/v1/web-search': 10,
  '/bocha/v1/web-search': 10,
  '/res/v1/web/search': 20,
  '/res/v1/news/search': 20,
  '/res/v1/llm/context': 20,
  '/exa/search': 10,
  '/exa/findSimilar': 10,
  '/v2/search': 5,
  '/firecrawl/v2/search': 5,
  '/firecrawl/v1/search': 5,
  '/customsearch/v1': 10,
  '/customsearch/v1/siterestrict': 10,
  '/google/customsearch/v1': 10,
  '/google/customsearch/v1/siterestrict': 10,
  '/jina': 5,
  '/search/:tool': 10,
  '/api/web_search': 5,
  '/api/experimental/web_search': 5,
  '/jina/:q{.+}': 5,
  '/open-webui/search': 10,
  '/parallel/v1/search': 10,
  '/parallel/v1beta/search': 10,
  '/searxng/search': 10,
  '/search.json': 10,
  '/serpapi/search.json': 10,
  '/serpapi/search': 10,
  '/serper/search': 10,
  '/serper/news': 10,
  '/tavily/search': 5,
  '/search': 10,
  '/v1/alpha/search': 10,
}

const asked = 'q=bees&query=bees&engine=google&format=json'
const commands = { search_query: [{ q: 'bees' }] }
const body = {
  q: 'bees',
  query: 'bees',
  objective: 'bees',
  search_queries: ['bees'],
  url: 'https://a.example/',
  commands,
}

const paths = new Set(searchRoutes.map(({ path }) => path))

test("each vendor's list is as long as its own where nothing is said", async () => {
  const lists: [string, number][] = []
  for (const { path, methods } of searchRoutes) {
    if (paths.has(path.replace(/^\/v1/, '')) && path.startsWith('/v1/')) continue
    const [method = ''] = Object.keys(methods)
    const { request, executor } = testApp(scriptedExecutor(found(120)))
    const address = path.replace(/:tool.*/, 'csp')
    const reply = await (method === 'GET'
      ? request(`${address}?${asked}`)
      : request(address, { method, body: JSON.stringify(body) }))
    const rows = new Set((await reply.text()).match(/site\d+\.example\/docs/g))
    if (reply.ok && executor.requests[0]?.want === 'results') lists.push([path, rows.size])
  }
  expect(Object.fromEntries(lists)).toEqual(sizes)
})
