import { describe, expect, test } from 'bun:test'
import { collect, sourcesOf } from '../../../../../src/domain/answer.ts'
import type { Category, SearchRequest } from '../../../../../src/domain/search.ts'
import { readOutput } from '../../../../../src/executor/backends/claude/search-output.ts'
import { paged } from '../../../../../src/executor/layers/paging/paged.ts'
import { strategies } from '../../../../support/claude-executor.ts'
import { requestFor } from '../../../../support/fake-executor.ts'
import { claude } from './stand-in.ts'

const { sandbox, search } = claude

/** What the model of each call was told. */
const told = () => sandbox.requests().map(({ body }) => JSON.stringify(body.messages))

/** Result lists in pages, with a memory of their own. */
function pager() {
  const executor = paged({ ttlSeconds: 3600 })(claude.executor)
  return async (rest: Partial<SearchRequest>) => {
    const { signal } = new AbortController()
    const answer = await collect(executor.search(requestFor('harbour seals', rest), { signal }))
    return { usage: answer.usage, urls: sourcesOf(answer.searches).map(({ url }) => url) }
  }
}

describe('pages of results', () => {
  test('cost one call for a count that one search fills', async () => {
    const { urls, usage } = await pager()({ limit: 8 })
    expect(urls).toHaveLength(8)
    expect({ calls: sandbox.stats().calls, searches: usage.searches }).toEqual({ calls: 1, searches: 1 })
  })

  test('come from a second search that excludes the pages of the first', async () => {
    const ask = pager()
    const { urls, usage } = await ask({ limit: 17 })
    expect(new Set(urls).size).toBe(16)
    expect({ calls: sandbox.stats().calls, searches: usage.searches }).toEqual({ calls: 2, searches: 2 })
    for (const url of urls.slice(0, 8)) {
      expect(told()[0]).not.toContain(url)
      expect(told()[1]).toContain(url)
    }
    const next = await ask({ limit: 16, offset: 17 })
    expect(new Set([...urls, ...next.urls]).size).toBe(24)
    expect(sandbox.stats().calls).toBe(3)
  })

  test('cost one call when nothing is found', async () => {
    sandbox.configure({ scenario: 'empty' })
    expect((await pager()({ limit: 20 })).urls).toEqual([])
    expect(sandbox.stats().calls).toBe(1)
  })
})

describe('the sites of pages that the caller has already', () => {
  const blockedBy = async (request: object) => {
    await search('harbour seals', { exclude: ['https://known.example/a', 'https://other.example/b'], ...request })
    return sandbox.requests().find(({ kind }) => kind === 'search')?.body.tools?.[0]?.blocked_domains
  }

  test('are left out by the search tool, with those that the caller leaves out', async () => {
    expect(await blockedBy({ filters: { excludeDomains: ['c.example'] } })).toEqual([
      'c.example',
      'known.example',
      'other.example',
    ])
  })

  test('are left out as well where it is one alone', async () => {
    expect(await blockedBy({ exclude: ['https://known.example/a'] })).toEqual(['known.example'])
  })

  test('are searched where the caller names the sites', async () => {
    expect(await blockedBy({ filters: { includeDomains: ['known.example'] } })).toBeUndefined()
  })
})

describe('pages that the caller has already', () => {
  test.each(['results', 'fast', 'standard', 'deep'] as const)(
    'are named to the model of the strategy %s',
    async (strategy) => {
      await search('harbour seals', { ...strategies[strategy], exclude: ['https://known.example/page'] })
      expect(told()[0]).toContain('https://known.example/page')
    },
  )

  test('are dropped, however they are spelled', () => {
    const urls = ['https://www.a.example/x?b=1', 'https://a.example/y', 'https://b.example/x']
    const output = { searched: true, hits: urls.map((url) => ({ title: 'A', url })), text: '', error: undefined }
    const exclude = ['http://a.example/x/?b=1&utm_source=q#top', 'https://A.example/y']
    const { rows } = readOutput(output, requestFor('seals', { exclude }), new Date())
    expect(rows.map(({ url }) => url)).toEqual(['https://b.example/x'])
  })
})

describe('the category of a search', () => {
  const words: Readonly<Record<Category, string>> = {
    news: 'news articles',
    academic: 'scholarly',
    finance: 'markets',
    videos: 'video',
    images: 'pictures',
    code: 'developers',
    people: 'persons',
  }

  test.each(Object.keys(words) as Category[])('%s shapes the search of every strategy', async (category) => {
    for (const strategy of ['results', 'fast', 'standard', 'deep'] as const) {
      sandbox.reset()
      await search('harbour seals', { ...strategies[strategy], filters: { category } })
      expect(told()[0]).toContain(words[category])
    }
  })
})
