import { expect, test } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FoundPages } from '@csp/page-reader/layers/allowed'
import { configSchema } from '../../../src/runtime/config/settings.ts'
import { createPageReader, networkOf } from '../../../src/runtime/server/create-page-reader.ts'
import { serveApi } from '../../executor/backends/http/api-server.ts'

const tally = { add() {}, close: async () => {} } as never

test.each([
  [{}, [52480]],
  [{ port: '8080', pagesBrowser: 'http://127.0.0.1:9222' }, [8080, 9222]],
  [{ pagesBrowser: 'http://127.0.0.1' }, [52480, 80]],
])('with %j no page is read from the ports %j of this machine', (settings, ports) => {
  expect(networkOf(configSchema.parse(settings)).own).toMatchObject({ ports })
})

test.each([
  ['search', 'https://example.com/', '--pages search'],
  ['on', 'http://10.0.0.1/', '--pages-allow'],
])('with pages=%s a caller who may not read %s learns that it is for %s', async (pages, url, setting) => {
  const folder = mkdtempSync(join(tmpdir(), 'csp-pages-'))
  const reader = createPageReader(configSchema.parse({ pages }), new FoundPages(), folder, tally)
  const { signal } = new AbortController()
  const failure = await reader.forCallers.read({ url }, { signal }).catch((error: unknown) => error)
  expect(failure).toMatchObject({ code: 'not-allowed', message: expect.stringContaining(setting) })
  await reader.close()
})

test.each([
  ['on', ['/robots.txt'], 'blocked-by-robots'],
  ['off', ['/page'], 'blocked-by-status'],
])('with pages-robots=%s a site that wants no readers is asked for %j', async (pagesRobots, paths, code) => {
  const asked: string[] = []
  await using site = serveApi(({ url }) => {
    const { pathname } = new URL(url)
    asked.push(pathname)
    return pathname === '/robots.txt'
      ? new Response('User-agent: *\nDisallow: /\n')
      : new Response('No.', { status: 403 })
  })
  const folder = mkdtempSync(join(tmpdir(), 'csp-pages-'))
  const config = configSchema.parse({ pagesRobots, pagesAllow: new URL(site.url).host })
  const reader = createPageReader(config, new FoundPages(), folder, tally)
  const { signal } = new AbortController()
  const failure = reader.forSearches.read({ url: `${site.url}/page` }, { signal }).catch((error: unknown) => error)
  expect([await failure, asked]).toEqual([expect.objectContaining({ code }), paths])
  await reader.close()
})
