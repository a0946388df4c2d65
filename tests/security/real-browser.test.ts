import { afterAll, expect } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromiumPath } from '@csp/testing/chromium-path'
import { chromium } from 'playwright-core'
import type { RequestLog } from '../../src/api/exchange/request-log.ts'
import { createApp } from '../../src/app.ts'
import { startServer } from '../../src/runtime/server/server.ts'
import { createPage } from '../../src/web-ui/page.tsx'
import { testNeeding } from '../support/needs.ts'
import { answered, found, scriptedExecutor } from '../support/scripted-executor.ts'

// A true browser opens a page of another site that tries every way there is to have a search made.

const profile = mkdtempSync(join(tmpdir(), 'csp-browser-'))
afterAll(() => rmSync(profile, { recursive: true, force: true }))

// Without Chromium the test is skipped; `tests/security/browsers.test.ts` has the same requests by hand.
testNeeding('chromium', chromiumPath !== undefined)(
  'a page in a real browser causes no search, unless its origin is allowed',
  async () => {
    await using stranger = await visit('http://localhost', () => [])
    expect(stranger.log.length).toBeGreaterThanOrEqual(10)
    expect(stranger.log.filter(({ status }) => status !== 403)).toEqual([])
    expect(stranger.searches()).toBe(0)

    await using neighbour = await visit('http://127.0.0.1', () => [])
    expect(neighbour.log.length).toBeGreaterThanOrEqual(10)
    expect(neighbour.searches()).toBe(0)

    await using friend = await visit('http://localhost', (origin) => [origin])
    expect(friend.searches()).toBeGreaterThanOrEqual(2)
  },
)

testNeeding('chromium', chromiumPath !== undefined)(
  'a browser at an address of plain http, which names no site, gets the page, and another site gets no search',
  async () => {
    const pages = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () =>
        new Response('<meta name="referrer" content="no-referrer">', { headers: { 'content-type': 'text/html' } }),
    })
    const executor = scriptedExecutor(({ want }) => (want === 'results' ? found(3) : answered))
    const log: RequestLog[] = []
    const app = createApp({
      ...{ executor, version: '1', allowedHosts: ['desk.lan'], keys: ['a-key-of-sixteen-letters'] },
      page: async () => createPage(1),
      log: (entry) => log.push(entry),
    })
    const sent: (string | null)[] = []
    const csp = await startServer(
      (request, connection) => {
        sent.push(request.headers.get('sec-fetch-site'))
        return app.fetch(request, { connection })
      },
      '127.0.0.1',
      0,
    )
    const { port } = new URL(csp.url)
    const args = ['--no-sandbox', '--disable-gpu', '--host-resolver-rules=MAP *.lan 127.0.0.1']
    const chrome = await chromium.launch({ executablePath: chromiumPath ?? '', args })
    try {
      const tab = await chrome.newPage()
      await tab.goto(`http://desk.lan:${port}/#key=a-key-of-sixteen-letters`)
      expect(await tab.evaluate(() => location.hash)).toBe('')
      await tab.fill('#question', 'bees')
      await tab.keyboard.press('Enter')
      await tab.locator('.acts').waitFor()
      expect(executor.calls.length).toBe(1)
      expect(log.filter(({ status }) => status >= 400)).toEqual([])
      // It is as this test takes it to be.
      expect(new Set(sent)).toEqual(new Set([null]))

      const stranger = await tab.goto(`http://other.lan:${port}/`)
      expect(stranger?.status()).toBe(403)
      expect(await tab.textContent('pre')).toContain('csp start --allowed-hosts other.lan')

      await tab.goto(`http://evil.lan:${pages.port}/`)
      const search = `http://desk.lan:${port}/v1/search?q=bees`
      await tab.evaluate(
        (url) => Promise.allSettled([fetch(url), fetch(url, { mode: 'no-cors' }), fetch(url, { method: 'POST' })]),
        search,
      )
      await tab.goto(search)
      expect(executor.calls.length).toBe(1)
    } finally {
      await chrome.close()
      await csp.stop(AbortSignal.abort())
      await pages.stop(true)
    }
  },
)

/** Opens the page on a port of its own, with a csp beside it, and waits until all its requests have been answered. */
async function visit(site: string, allowed: (origin: string) => readonly string[]) {
  const done = Promise.withResolvers<void>()
  const log: RequestLog[] = []
  let target = ''
  const pages = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      if (new URL(request.url).pathname === '/done') done.resolve()
      return new Response(pageAgainst(target), { headers: { 'content-type': 'text/html' } })
    },
  })
  const origin = `${site}:${pages.port}`
  const executor = scriptedExecutor(({ want }) => (want === 'results' ? found(3) : answered))
  const app = createApp({ executor, version: '1', allowedOrigins: allowed(origin), log: (entry) => log.push(entry) })
  const csp = await startServer((request, connection) => app.fetch(request, { connection }), '127.0.0.1', 0)
  target = csp.url
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', `--user-data-dir=${profile}`]
  const child = Bun.spawn([chromiumPath ?? '', ...flags, '--remote-debugging-port=0', `${origin}/`], {
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  await done.promise
  child.kill()
  await child.exited
  return {
    log,
    searches: () => executor.calls.length,
    async [Symbol.asyncDispose]() {
      await csp.stop(AbortSignal.abort())
      await pages.stop(true)
    },
  }
}

function pageAgainst(csp: string): string {
  const ask = (way: string) => `${csp}/search?q=bees+${way}&format=json`
  return `<!doctype html><title>page</title>
<link rel="stylesheet" href="${ask('style')}"><link rel="prefetch" href="${ask('prefetch')}"><link rel="icon" href="${ask('icon')}">
<img src="${ask('image')}"><img src="${ask('bare-image')}" referrerpolicy="no-referrer"><script src="${ask('script')}"></script>
<iframe src="${ask('frame')}"></iframe><iframe sandbox="allow-scripts allow-forms" srcdoc='<form method=post enctype=text/plain action="${csp}/v1/search"><input name="{&quot;query&quot;:&quot;bees&quot;,&quot;a&quot;:&quot;" value="&quot;}"></form><script>document.forms[0].submit()</script>'></iframe>
<video src="${ask('video')}"></video><object data="${ask('object')}"></object>
<iframe name="sink"></iframe><form id="form" method="post" enctype="text/plain" target="sink" action="${csp}/v1/chat/completions"><input name='{"messages":[{"role":"user","content":"bees"}],"a":"' value='"}'></form>
<script>
const body = JSON.stringify({ query: 'bees', q: 'bees' })
const ways = [
  () => fetch(${JSON.stringify(ask('fetch'))}),
  () => fetch(${JSON.stringify(ask('no-cors'))}, { mode: 'no-cors' }),
  () => fetch('${csp}/v1/search', { method: 'POST', body }),
  () => fetch('${csp}/v1/search', { method: 'POST', body, mode: 'no-cors', headers: { 'content-type': 'text/plain' } }),
  () => fetch('${csp}/v1/search', { method: 'POST', body, headers: { 'content-type': 'application/json' } }),
  () => new Promise((end) => { const source = new EventSource('${csp}/v1/search?q=bees'); source.onerror = source.onmessage = () => { source.close(); end() } }),
  () => new Promise((end) => { const socket = new WebSocket('${csp.replace('http', 'ws')}/v1/search?q=bees'); socket.onerror = socket.onclose = end }),
  async () => { navigator.sendBeacon('${csp}/v1/search', body) },
  async () => { document.getElementById('form').submit() },
]
addEventListener('load', async () => {
  await Promise.allSettled(ways.map((way) => way()))
  setTimeout(() => fetch('/done'), 500)
})
</script>`
}
