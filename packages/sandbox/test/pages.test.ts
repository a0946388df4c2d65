import { describe, expect, test } from 'bun:test'
import { anyText } from '@csp/testing/any-text'
import fc from 'fast-check'
import { type PageSearch, pagesAbout } from '../src/replies/pages.ts'

const now = new Date('2026-03-15T12:00:00Z')
const search = (query: string, more: Partial<PageSearch> = {}) => pagesAbout({ query, count: 8, now, ...more })
const hostsOf = (pages: ReturnType<typeof search>) => pages.map(({ url }) => new URL(url).hostname)

describe('the pages of the sandbox', () => {
  test('are equal for equal queries and different for others', () => {
    expect(search('bun runtime')).toEqual(search('bun runtime'))
    const urls = new Set(search('bun runtime').map(({ url }) => url))
    expect(search('bun runtimes').some(({ url }) => urls.has(url))).toBe(false)
  })

  test('are as many as requested for any query, distinct and well-formed, on reserved hosts', () => {
    fc.assert(
      fc.property(anyText(), fc.integer({ min: 0, max: 40 }), (query, count) => {
        const pages = search(query, { count })
        expect(new Set(pages.map(({ url }) => url)).size).toBe(count)
        for (const { url, title } of pages) {
          expect(new URL(url).href).toBe(url)
          expect(new URL(url).hostname).toMatch(/(^|\.)example(\.(com|net|org))?$/)
          expect(title).toContain('Sandbox')
        }
      }),
    )
  })

  test('have the first line of the query in their titles', () => {
    expect(search('bun\nOnly pages published in the past week.')[0]?.title).toBe('Sandbox: bun')
  })

  test('include an entity and brackets in a title within the first three', () => {
    const titles = search('bun', { count: 3 }).map(({ title }) => title)
    expect(titles.some((title) => title.includes('&amp;'))).toBe(true)
    expect(titles.some((title) => /\[.*\]/.test(title))).toBe(true)
  })

  test('have varied hosts and paths, some with a query string and one with brackets', () => {
    const pages = search('bun')
    expect(new Set(hostsOf(pages)).size).toBe(8)
    expect(pages.some(({ url }) => url.includes('?'))).toBe(true)
    expect(pages.some(({ url }) => url.includes('('))).toBe(true)
  })

  test('have dates relative to the clock, and one has none', () => {
    const dates = search('bun').map(({ publishedAt }) => publishedAt)
    expect(dates).toContain('2026-03-15')
    expect(dates).toContain('2026-03-13')
    expect(dates).toContain(undefined)
    expect(search('bun', { now: new Date('2026-03-16T12:00:00Z') }).map(({ publishedAt }) => publishedAt)).toContain(
      '2026-03-16',
    )
  })

  test('exist for an allowed domain only if it is reserved for examples', () => {
    const allowed = ['https://www.Example.org/docs', 'github.com', 'notexample.com', 'my.example']
    expect(new Set(hostsOf(search('bun', { allowedDomains: allowed })))).toEqual(
      new Set(['www.example.org', 'my.example']),
    )
    expect(search('bun', { allowedDomains: ['github.com'] })).toEqual([])
  })

  test('do not exist for a blocked domain or its subdomains', () => {
    const hosts = hostsOf(search('bun', { count: 30, blockedDomains: ['example.org', 'news.example'] }))
    expect(hosts).toHaveLength(30)
    expect(hosts).not.toContain('news.example')
    expect(hosts.filter((host) => host.endsWith('example.org'))).toEqual([])
  })
})
