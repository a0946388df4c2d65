import { describe, expect, test } from 'bun:test'
import { isWebAddress, pageKey } from '@csp/lib/url'
import { collect, sourcesOf } from '../../src/domain/answer.ts'
import { type ListRequest, resultsRequest, type SearchResult } from '../../src/domain/search.ts'
import type { Executor } from '../../src/executor/executor.ts'

export interface ListerFixture extends AsyncDisposable {
  readonly executor: Executor
}

export interface ListerContractOptions {
  /** An executor before a server that has these pages for every query, in this order. */
  readonly factory: (urls: readonly string[]) => ListerFixture | Promise<ListerFixture>
  /** Whether a list is no search, as of what is known already. */
  readonly isFree?: boolean | undefined
}

/** Registers the tests that everything must pass that lists pages: what merging, paging and writing build upon. */
export function listerContract(name: string, { factory, isFree = false }: ListerContractOptions): void {
  async function list(urls: readonly string[], rest: Partial<ListRequest> = {}): Promise<readonly SearchResult[]> {
    await using fixture = await factory(urls)
    const { signal } = new AbortController()
    const request = resultsRequest({ query: 'seals', ...rest })
    const { searches, usage } = await collect(fixture.executor.search(request, { signal }))
    expect(usage.searches > 0).toBe(!isFree)
    return sourcesOf(searches)
  }

  describe(`${name} keeps the contract of a lister`, () => {
    test('says that it can list', async () => {
      await using fixture = await factory([])
      expect(fixture.executor.supports?.(resultsRequest({ query: 'seals' })) ?? true).toBe(true)
    })

    test('lists each page once, in the order found, and says who found it', async () => {
      const rows = await list(['https://a.example/x', 'https://b.example/', 'https://www.a.example/x/?utm_source=y'])
      expect(rows.map(({ url }) => pageKey(url))).toEqual(['a.example/x', 'b.example'])
      for (const { source, title } of rows) expect([source, title].every((text) => text !== '')).toBe(true)
    })

    test('lists no address but those of the web', async () => {
      const rows = await list([
        'javascript:alert(1)',
        'ftp://a.example/',
        'https://u:p@a.example/',
        'https://a.example/',
      ])
      expect(rows.map(({ url }) => isWebAddress(url))).toEqual([true])
    })

    test('lists no more than it is asked for, and nothing that is known', async () => {
      expect(await list(pages, { limit: 3 })).toHaveLength(3)
      const others = await list(pages, { exclude: pages.slice(0, 4) })
      expect(others.map(({ url }) => url)).toEqual(pages.slice(4))
    })

    test('lists what the filters let through, whatever the server sends', async () => {
      const only = await list(pages, { filters: { includeDomains: ['s3.example'] } })
      expect(only.map(({ url }) => url)).toEqual(['https://s3.example/3'])
      const others = await list(pages, { filters: { excludeDomains: ['s3.example'] } })
      expect(others.map(({ url }) => url)).toEqual(pages.filter((url) => !url.includes('s3')))
    })

    test('finds nothing without a failure', async () => {
      expect(await list([])).toEqual([])
    })
  })
}

const pages = Array.from({ length: 8 }, (_, index) => `https://s${index}.example/${index}`)
