import { expect, test } from 'bun:test'
import type { LocalReaderOptions } from '@csp/page-reader/local/local'
import { PageError } from '@csp/page-reader/page-error'
import type { WholePage } from '@csp/page-reader/whole-page'
import { openSite, readerOf, type SitePages } from './site.ts'

const to = (address: string) => `<meta http-equiv="refresh" content="0; url=${address}"><p>Redirecting…</p>`
const bees = '<title>Bees</title><article><h1>Bees</h1><p>Bees are insects that hum.</p></article>'

interface Read {
  readonly page?: WholePage
  readonly code?: string
  readonly paths: readonly string[]
  readonly asked: readonly string[]
}

/** What comes of the page at `/`. */
async function readOf(pages: SitePages, options: Partial<LocalReaderOptions> = {}, isRough = false): Promise<Read> {
  await using site = await openSite(pages)
  const asked: string[] = []
  const onRedirect = async (url: string) => void asked.push(new URL(url).pathname)
  const reader = readerOf(site.port, { onRedirect, ...options })
  try {
    const context = { signal: AbortSignal.timeout(20_000), mayVisit: ({ pathname }: URL) => pathname !== '/forbidden' }
    const read = await reader.read({ url: `${site.origin}/`, isRough }, context).then(
      (page) => ({ page }),
      (error: unknown) => ({ code: error instanceof PageError ? error.code : String(error) }),
    )
    return { ...read, paths: site.paths, asked }
  } finally {
    await reader.close()
  }
}

test.each([false, true])('a page is read where pages without words lead to it (rough: %s)', async (isRough) => {
  const pages = { '/': to('/a/'), '/a/': to('b'), '/a/b': to('/bees'), '/bees': bees }
  const { page, paths, asked } = await readOf(pages, {}, isRough)
  expect(page?.finalUrl).toEndWith('/bees')
  expect(page?.contents.markdown).toContain('Bees are insects that hum.')
  expect(page).not.toHaveProperty('leadsTo')
  expect(paths).toEqual(['/', '/a/', '/a/b', '/bees'])
  // Each waits for the pace of its host.
  expect(asked).toEqual(['/a/', '/a/b', '/bees'])
})

const robots = (rules: string): SitePages => ({
  '/robots.txt': (_, reply) => void reply.writeHead(200, { 'content-type': 'text/plain' }).end(rules),
})

test.each([
  ['a private address', { '/': to('http://10.0.0.7/admin') }, 'not-allowed', ['/']],
  ['a private address in another spelling', { '/': to('http://0x7f.1/') }, 'not-allowed', ['/']],
  ['the name of this machine', { '/': to('http://localhost/') }, 'not-allowed', ['/']],
  ['a name that resolves to a private address', { '/': to('http://other.example/') }, 'not-allowed', ['/']],
  ['another port', { '/': to('http://site.example:22/') }, 'invalid-url', ['/']],
  ['an address with a password', { '/': to('http://a:b@site.example/') }, 'invalid-url', ['/']],
  ['a page that the caller excludes', { '/': to('/forbidden'), '/forbidden': bees }, 'not-allowed', ['/']],
  [
    'a page that robots may not read',
    { ...robots('User-agent: *\nDisallow: /bees'), '/': to('/bees'), '/bees': bees },
    'blocked-by-robots',
    ['/'],
  ],
  ['a page that is not there', { '/': to('/none') }, 'not-found', ['/', '/none']],
  ['a login', { '/': to('/login'), '/login': '<h1>Welcome back</h1>' }, 'needs-login', ['/', '/login']],
  ['itself, by another', { '/': to('/a'), '/a': to('/') }, 'unreachable', ['/', '/a', '/', '/a']],
  [
    'a fourth',
    { '/': to('/1'), '/1': to('/2'), '/2': to('/3'), '/3': to('/4'), '/4': bees },
    'unreachable',
    ['/', '/1', '/2', '/3'],
  ],
] as const)('a page that leads to %s', async (_, pages, code, paths) => {
  const read = await readOf(pages)
  expect([read.code, read.paths]).toEqual([code, [...paths]])
})
