import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '@csp/testing/eventually'
import { createApp } from '../../src/app.ts'
import { type RunningServer, startServer } from '../../src/runtime/server/server.ts'
import { createPage } from '../../src/web-ui/page.tsx'
import { usual } from '../api/test-app.ts'
import { getRoutes, postRoutes } from '../security/every-route.ts'
import { fakePageReader } from '../support/fake-page-reader.ts'
import { freePort } from '../support/free-port.ts'
import { describeNeeding } from '../support/needs.ts'
import { nginx, type RunningNginx, startNginx } from '../support/nginx.ts'

// The configurations of docs/reverse-proxy.md, as they stand there but for ports and the place of the certificate.

const openssl = Bun.which('openssl')
const guide = readFileSync(join(import.meta.dir, '../../docs/reverse-proxy.md'), 'utf8')
const blocks = [...guide.matchAll(/^```nginx\n(.*?)^```/gms)].map(([, block = '']) => block)
const ports = [freePort(), freePort()]
const proxies = [
  ['a name of its own', 'search.example.org', `https://127.0.0.1:${ports[0]}`],
  ['a path of another site', 'www.example.org', `https://127.0.0.1:${ports[1]}/csp`],
] as const

describeNeeding('nginx', nginx !== undefined && openssl !== null)(
  'nginx as docs/reverse-proxy.md configures it, with',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'csp-tls-'))
    let csp: RunningServer
    let running: RunningNginx

    beforeAll(async () => {
      const app = createApp({
        executor: usual(),
        version: '1.2.3',
        keys: ['a-key'],
        allowedHosts: proxies.map(([, name]) => name),
        page: async () => createPage(),
        pages: fakePageReader({ 'https://example.org/a': 'A page.' }),
      })
      csp = await startServer((request, connection) => app.fetch(request, { connection }), '127.0.0.1', 0)
      const [key, certificate] = [join(folder, 'key'), join(folder, 'crt')]
      const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
      Bun.spawnSync([openssl ?? '', ...made, '-subj', '/CN=csp', '-keyout', key, '-out', certificate], {
        stderr: 'ignore',
      })
      const servers = blocks.map((block, at) =>
        block
          .replace('listen 443', `listen 127.0.0.1:${ports[at]}`)
          .replace(/ssl_certificate \S+;/, `ssl_certificate ${certificate};`)
          .replace(/ssl_certificate_key \S+;/, `ssl_certificate_key ${key};`)
          .replace('http://127.0.0.1:52480', csp.url),
      )
      running = startNginx(servers.join('\n'))
      for (const [, name, url] of proxies)
        await eventually(async () => (await call(url, name, '/health/live').catch(() => undefined))?.ok === true)
    })

    afterAll(async () => {
      await running.stop()
      await csp.stop(AbortSignal.abort())
      rmSync(folder, { recursive: true, force: true })
    })

    test.each(proxies)('%s, passes every route on', async (_, name, url) => {
      for (const path of getRoutes) {
        const reply = await call(url, name, path)
        await reply.text()
        expect([path, reply.headers.has('x-request-id')]).toEqual([path, true])
      }
      for (const { path, body } of postRoutes) {
        const reply = await call(url, name, path, { method: 'POST', body: JSON.stringify(body) })
        await reply.text()
        expect([path, reply.headers.has('x-request-id')]).toEqual([path, true])
      }
    })

    test.each(proxies)('%s, serves the page with its files, and the page’s own requests', async (_, name, url) => {
      const page = await (await call(url, name, '/', { headers: { accept: 'text/html' } })).text()
      const files = [...page.matchAll(/(?:src|href)="(page\/[^"]+|docs)"/g)].map(([, file]) => file ?? '')
      expect(files).toContain('page/main.js')
      for (const file of files) expect([file, (await call(url, name, `/${file}`)).status]).toEqual([file, 200])
      const { port } = new URL(url)
      const headers = { origin: `https://${name}:${port}`, host: `${name}:${port}`, 'content-type': 'application/json' }
      const body = JSON.stringify({ model: 'sonar', stream: true, messages: [{ role: 'user', content: 'Bees?' }] })
      const reply = await call(url, name, '/chat/completions', { method: 'POST', headers, body })
      expect([reply.status, reply.headers.get('content-type')]).toEqual([
        200,
        expect.stringContaining('text/event-stream'),
      ])
      expect(await reply.text()).toContain('data: [DONE]')
    })

    test.each(proxies)(
      '%s, leads SearXNG’s clients and readers of pages to where they belong',
      async (_, name, url) => {
        const found = await call(url, name, '/?q=bees&format=json', { redirect: 'manual' })
        const target = new URL(found.headers.get('location') ?? '', `${url}/`).href
        expect([found.status, target]).toEqual([308, `${url}/search?q=bees&format=json`])
        const read = await call(url, name, '/r/https://example.org/a')
        expect([read.status, await read.text()]).toEqual([200, expect.stringContaining('A page.')])
      },
    )

    test.each(proxies)('%s, lets csp refuse in its own words', async (_, name, url) => {
      const large = await call(url, name, '/v1/search', { method: 'POST', body: 'x'.repeat(1_500_000) })
      expect([large.status, large.headers.get('content-type')]).toEqual([413, 'application/json'])
      expect((await call(url, name, '/v1/search?q=bees', { headers: { authorization: 'Bearer wrong' } })).status).toBe(
        401,
      )
      expect((await call(url, 'other.example.org', '/health/live')).status).toBe(403)
    })

    test('llms.txt has the address that its caller wrote', async () => {
      const [, name, url] = proxies[1]
      expect(await (await call(url, name, '/llms.txt')).text()).toContain('The address is https://www.example.org/csp.')
    })
  },
)

function call(url: string, host: string, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: 'Bearer a-key', host, ...Object(init.headers) }
  return fetch(`${url}${path}`, { ...init, headers, tls: { rejectUnauthorized: false } })
}
