import { describe, expect, test } from 'bun:test'
import type { RequestListener } from 'node:http'
import { PageError } from '@csp/page-reader/page-error'
import { Robots } from '../../../packages/page-reader/src/local/robots.ts'
import { failureOf } from '../../../packages/page-reader/test/contract/page-reader.ts'
import { openSite, readerOf, type SitePages } from './site.ts'

const context = () => ({ signal: new AbortController().signal })

async function outcomeAt(robots: string | RequestListener | undefined, path = '/page'): Promise<string> {
  const pages: SitePages = { '/page': '<p>Text.', '/other': '<p>Text.', ...(robots && { '/robots.txt': robots }) }
  await using site = await openSite(pages)
  const reader = readerOf(site.port)
  try {
    return (await reader.read({ url: site.origin + path }, context())).contents.text
  } catch (error) {
    if (!(error instanceof PageError)) throw error
    expect(site.paths).toEqual([])
    return error.code
  } finally {
    await reader.close()
  }
}

const status =
  (code: number): RequestListener =>
  (_, response) =>
    response.writeHead(code).end('Disallow everything, if this were read.')

describe('the robots.txt of a site', () => {
  test.each([
    ['User-agent: *\nDisallow: /page', 'blocked-by-robots'],
    ['User-agent: csp\nDisallow: /', 'blocked-by-robots'],
    ['User-agent: CSP/1.0\r\nDisallow: /', 'blocked-by-robots'],
    ['User-agent: *\nDisallow: /\n\nUser-agent: csp\nAllow: /page', 'Text.'],
    ['User-agent: *\nDisallow: /private\nAllow: /', 'Text.'],
    ['User-agent: other\nDisallow: /', 'Text.'],
    ['<html>not rules at all', 'Text.'],
    [`User-agent: *\nDisallow: /${'*a'.repeat(5000)}$`, 'Text.'],
    [`${'# much\n'.repeat(200_000)}User-agent: *\nDisallow: /`, 'Text.'],
  ])('decides: %#', async (rules, outcome) => expect(await outcomeAt(rules)).toBe(outcome))

  test('that is not there, or behind a login, closes nothing', async () => {
    expect(await outcomeAt(undefined)).toBe('Text.')
    expect(await outcomeAt(status(401))).toBe('Text.')
  })

  test('that cannot be had because of a fault of the site closes everything', async () => {
    expect(await outcomeAt(status(500))).toBe('blocked-by-robots')
    expect(await outcomeAt(status(429))).toBe('blocked-by-robots')
  })

  test('may be elsewhere, but not where no page may be read', async () => {
    const to =
      (location: string): RequestListener =>
      (_, response) =>
        void response.writeHead(301, { location }).end()
    expect(await outcomeAt(to('/other'))).toBe('Text.')
    expect(await outcomeAt(to('http://127.0.0.1/robots.txt'))).toBe('Text.')
  })

  test('holds for a page to which another one redirects', async () => {
    await using site = await openSite({
      '/robots.txt': 'User-agent: *\nDisallow: /closed',
      '/open': (_, response) => response.writeHead(302, { location: '/closed' }).end(),
      '/closed': '<p>Text.',
    })
    const reader = readerOf(site.port)
    expect(await failureOf(reader.read({ url: `${site.origin}/open` }, context()))).toBe('blocked-by-robots')
    expect(site.paths).toEqual(['/open'])
    await reader.close()
  })

  test('is not asked for where the operator says so', async () => {
    await using site = await openSite({ '/robots.txt': 'User-agent: *\nDisallow: /', '/page': '<p>Text.' })
    const reader = readerOf(site.port, { honoursRobots: false })
    expect((await reader.read({ url: `${site.origin}/page` }, context())).contents.text).toBe('Text.')
    await reader.close()
  })

  test('is fetched once an hour, and a minute after a fault of the site', async () => {
    let now = 0
    let fetches = 0
    let code = 200
    const robots = new Robots({
      name: 'csp',
      now: () => now,
      fetch: async (url) => {
        fetches++
        return { url: new URL(url), status: code, headers: {}, body: new TextEncoder().encode('') }
      },
    })
    const check = () => robots.check(new URL('https://bees.example/page'))
    await Promise.all([check(), check()])
    await check()
    expect(fetches).toBe(1)
    now += 3_600_001
    code = 503
    expect(await failureOf(check())).toBe('blocked-by-robots')
    expect(await failureOf(check())).toBe('blocked-by-robots')
    expect(fetches).toBe(2)
    now += 60_001
    code = 200
    await check()
    expect(fetches).toBe(3)
  })

  test('of 500 sites are kept, those that were asked for last', async () => {
    const fetched: string[] = []
    const robots = new Robots({
      name: 'csp',
      fetch: async (url) => {
        fetched.push(new URL(url).hostname)
        return { url: new URL(url), status: 404, headers: {}, body: new Uint8Array() }
      },
    })
    const check = (site: number) => robots.check(new URL(`https://site-${site}.example/`))
    for (let site = 0; site <= 500; site++) await check(site)
    for (const site of [500, 1, 0]) await check(site)
    expect(fetched).toHaveLength(502)
    expect(fetched.at(-1)).toBe('site-0.example')
  })
})
