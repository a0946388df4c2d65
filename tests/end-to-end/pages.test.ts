import { afterAll, beforeAll, expect, test } from 'bun:test'
import { z } from 'zod'
import { openSite, type Site } from '../page-reader/local/site.ts'
import { type CspProcess, startCsp } from '../support/csp-process.ts'

const paragraph = `<p>${'Bees hum, and they make honey. '.repeat(6)}</p>`
let site: Site
let csp: CspProcess

beforeAll(async () => {
  site = await openSite({
    '/robots.txt': 'User-agent: csp\nDisallow: /closed',
    '/bees': `<html lang="en"><title>Bees</title><article>${paragraph.repeat(5)}</article>`,
    '/closed': '<p>Not for robots.',
  })
  // It needs no CLI for pages, so the address of its stand-in leads nowhere.
  const flags = ['--pages-allow', `127.0.0.1:${site.port}`]
  csp = await startCsp({ standInUrl: 'http://127.0.0.1:1', flags })
})
afterAll(async () => {
  await csp.stop()
  await site[Symbol.asyncDispose]()
})

const replySchema = z.object({
  results: z.array(z.object({ url: z.string(), title: z.string().nullable(), content: z.string() })),
  failed: z.array(z.object({ url: z.string(), code: z.string() })),
})

async function extract(urls: readonly string[], headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(`${csp.url}/v1/extract`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ urls }),
  })
  expect(response.status).toBe(200)
  return replySchema.parse(await response.json())
}

test('csp reads a page, and each page that cannot be read fails alone with its own reason', async () => {
  const origin = `http://127.0.0.1:${site.port}`
  const bad = {
    [`${origin}/wasps`]: 'not_found',
    [`${origin}/closed`]: 'blocked_by_robots',
    [`${csp.url}/health`]: 'invalid_url',
    'http://localhost/': 'not_allowed',
    'http://2130706433/': 'not_allowed',
    'file:///etc/passwd': 'invalid_url',
    'javascript:alert(1)': 'invalid_url',
    bees: 'invalid_url',
  }
  const { results, failed } = await extract([...Object.keys(bad), `${origin}/bees`])
  expect(Object.fromEntries(failed.map(({ url, code }) => [url, code]))).toEqual(bad)
  expect(results).toMatchObject([{ url: `${origin}/bees`, title: 'Bees', content: expect.stringContaining('honey') }])
})

test('csp tells sites who asks, in which language, and nothing else', async () => {
  await extract([`http://127.0.0.1:${site.port}/bees`], {
    'accept-language': 'de',
    cookie: 'a=b',
    'cache-control': 'no-cache',
  })
  const { headers } = site.requests.at(-1) ?? {}
  expect(headers?.['user-agent']).toMatch(/^csp\/\d+\.\d+\.\d+ \(.*robots\.txt.*\)$/)
  expect(headers?.['accept-language']).toBe('de')
  expect(Object.keys(headers ?? {}).sort()).toEqual(
    ['accept', 'accept-encoding', 'accept-language', 'connection', 'host', 'user-agent'].sort(),
  )
})
