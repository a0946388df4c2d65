import { afterAll, beforeAll, expect } from 'bun:test'
import { PageBrowser, type PageBrowserOptions } from '@csp/page-reader/browser/page-browser'
import { Extractor } from '@csp/page-reader/extract/pool'
import { openedHosts } from '@csp/page-reader/local/page-url'
import { PageError } from '@csp/page-reader/page-error'
import { chromiumPath } from '@csp/testing/chromium-path'
import { eventually } from '@csp/testing/eventually'
import { type Chromium, startChromium } from '../../../packages/page-reader/test/browser/chromium.ts'
import { failureOf } from '../../../packages/page-reader/test/contract/page-reader.ts'
import { openPageReader } from '../../../src/runtime/server/open-page-reader.ts'
import { testNeeding } from '../../support/needs.ts'
import { openSite, readerOf, type SitePages } from '../local/site.ts'

const test = testNeeding('chromium', chromiumPath !== undefined)
let chromium: Chromium
beforeAll(async () => {
  if (chromiumPath) chromium = await startChromium()
})
/** One for all readers of this file: each would start a process. */
class SharedExtractor extends Extractor {
  override close(): void {}
  end(): void {
    super.close()
  }
}
const extractor = new SharedExtractor({ openReader: openPageReader })
afterAll(async () => {
  extractor.end()
  await chromium?.[Symbol.asyncDispose]()
})

const never = new AbortController().signal
const shell = (script: string): string =>
  `<html><link rel="icon" href="data:,"><title>Bees</title><body><div id="root"></div><script>${script}</script>`
const words = 'Bees hum because their wings beat two hundred times a second. '.repeat(5)
const render = `document.querySelector('#root').innerHTML = '<article><h1>Bees</h1><p>${words}</p></article>'`

/** A reader of a site of these pages, which may be read by the name `site.example`, with a browser. */
async function reading(pages: SitePages, options: Partial<PageBrowserOptions> = {}) {
  const site = await openSite(pages)
  const network = {
    opened: openedHosts([`site.example:${site.port}`]),
    resolve: async (host: string) => (host === 'site.example' ? ['127.0.0.1'] : ['10.0.0.1']),
    userAgent: 'csp/test',
  }
  // A browser on a slow machine takes longer than csp gives it.
  const patient = { timeoutMs: 50_000, ...options }
  const browser = new PageBrowser({ address: chromium.address, ...network, ...patient })
  const reader = readerOf(site.port, { ...network, ...patient, browser, extractor })
  return {
    site,
    read: (path: string, signal = never) => reader.read({ url: site.origin + path }, { signal }),
    async [Symbol.asyncDispose]() {
      await reader.close()
      await site[Symbol.asyncDispose]()
    },
  }
}

async function messageOf(page: Promise<unknown>): Promise<string> {
  const error = await page.catch((failure: unknown) => failure)
  return error instanceof PageError ? `${error.code}: ${error.message}` : String(error)
}

/** One was open from the start. */
const noTabs = () => eventually(async () => (await chromium.tabs()).length === 1)

test('a page that only scripts write is read, with what they load', async () => {
  await using pages = await reading({
    '/bees': shell(`fetch('/words').then((r) => r.text()).then((words) => {
      document.querySelector('#root').innerHTML = '<article><h1>Bees</h1><p>' + words + '</p></article>' })`),
    '/words': words,
  })
  const page = await pages.read('/bees')
  expect(page).toMatchObject({ title: 'Bees', finalUrl: `${pages.site.origin}/bees`, status: 200 })
  expect(page.contents.text).toContain('two hundred times')
  expect(pages.site.requests.map(({ url, headers }) => [url, /csp\/test/.test(headers['user-agent'] ?? '')])).toEqual([
    ['/bees', true],
    ['/bees', true],
    ['/words', true],
  ])
  await noTabs()
})

test('a page with text needs no browser, and a list waits for none', async () => {
  await using pages = await reading({ '/bees': `<article><p>${words}</p></article>`, '/app': shell(render) })
  await pages.read('/bees')
  expect(pages.site.paths).toEqual(['/bees'])
  const rough = readerOf(pages.site.port, { browser: new PageBrowser({ address: chromium.address, ...plain }) })
  const request = { url: `${pages.site.origin}/app`, isRough: true }
  expect(await failureOf(rough.read(request, { signal: never }))).toBe('needs-scripts')
  await rough.close()
})
const plain = { opened: new Map(), userAgent: 'csp/test' }

test('pictures, fonts and frames are not loaded', async () => {
  await using pages = await reading({
    '/bees': shell(`${render}
      document.body.append(Object.assign(new Image(), { src: '/picture' }))
      const frame = document.createElement('iframe'); frame.src = '/frame'; document.body.append(frame)
      new FontFace('Bee', 'url(/font)').load().catch(() => {})`),
  })
  expect((await pages.read('/bees')).contents.text).toContain('two hundred times')
  expect(pages.site.paths).toEqual(['/bees', '/bees'])
})

/** Every way in which a page could reach another server. */
const attacks = (at: string): string => `{
  const at = '${at}'
  const iceServers = [{ urls: 'stun:' + at }, { urls: 'turn:' + at + '?transport=tcp', username: 'a', credential: 'b' }]
  const call = (owner) => {
    const peer = new owner.RTCPeerConnection({ iceServers })
    peer.createDataChannel('a')
    peer.createOffer().then((offer) => peer.setLocalDescription(offer))
  }
  const callFrom = 'const iceServers = ' + JSON.stringify(iceServers) + ';(' + call + ')(window)'
  const script = (text) => '<script>' + text + '<' + '/script>'
  const framed = (attributes) => document.body.appendChild(Object.assign(document.createElement('iframe'), attributes))
  const ways = [
    () => fetch('http://' + at + '/fetch', { mode: 'no-cors' }),
    () => navigator.sendBeacon('http://' + at + '/beacon'),
    () => new WebSocket('ws://' + at + '/socket'),
    () => new EventSource('http://' + at + '/events'),
    () => document.head.append(Object.assign(document.createElement('script'), { src: 'http://' + at + '/script' })),
    () => document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: 'http://' + at + '/style' })),
    () => document.head.append(Object.assign(document.createElement('link'), { rel: 'preconnect', href: 'http://' + at })),
    () => document.head.append(Object.assign(document.createElement('link'), { rel: 'prefetch', href: 'http://' + at + '/prefetch' })),
    () => document.body.append(Object.assign(new Image(), { src: 'http://' + at + '/picture' })),
    () => document.body.append(Object.assign(document.createElement('iframe'), { src: 'http://' + at + '/frame' })),
    () => window.open('http://' + at + '/window'),
    () => Object.assign(document.createElement('a'), { href: 'http://' + at + '/link', target: '_blank', rel: 'noopener' }).click(),
    () => { const form = Object.assign(document.createElement('form'), { method: 'post', action: 'http://' + at + '/form', target: '_blank' }); document.body.append(form); form.submit() },
    () => new Worker(URL.createObjectURL(new Blob(['fetch("http://' + at + '/worker", { mode: "no-cors" })']))),
    () => new SharedWorker(URL.createObjectURL(new Blob(['fetch("http://' + at + '/shared", { mode: "no-cors" })']))),
    () => framed({ sandbox: 'allow-scripts', srcdoc: script('fetch("http://' + at + '/sandboxed", { mode: "no-cors" })') }),
    () => call(window),
    () => call(framed({}).contentWindow),
    () => framed({ srcdoc: script(callFrom) }),
    () => framed({ srcdoc: script(callFrom), sandbox: 'allow-scripts' }),
    () => framed({ src: 'data:text/html,' + encodeURIComponent(script(callFrom)) }),
    () => framed({ src: 'javascript:' + encodeURIComponent(JSON.stringify(script(callFrom))) }),
    () => fetch('/redirect?' + at, { mode: 'no-cors' }),
  ]
  for (const way of ways) try { Promise.resolve(way()).catch(() => {}) } catch {}
}`

/** Listens for whatever comes to this machine, of TCP or UDP. */
async function openTarget() {
  let arrived = 0
  const count = () => void arrived++
  const streams = Bun.listen({ hostname: '::', port: 0, socket: { open: count, data() {} } })
  const datagrams = await Bun.udpSocket({ port: streams.port, socket: { data: count } })
  return {
    port: streams.port,
    arrived: () => arrived,
    [Symbol.dispose]() {
      streams.stop(true)
      datagrams.close()
    },
  }
}

// In one page, since each page takes half a dozen processes.
const hosts = ['127.0.0.1', 'localhost', '169.254.169.254', '10.0.0.1', '[::1]', '2130706433', 'rebind.example']
test(`a page's scripts do not reach ${hosts.join(', ')}`, async () => {
  using stack = new DisposableStack()
  const targets: (readonly [host: string, target: Awaited<ReturnType<typeof openTarget>>])[] = []
  for (const host of hosts) targets.push([host, stack.use(await openTarget())])
  const asked = new Map<string, number>()
  // A name is public when it is first asked for, and means this machine from then on.
  const resolve = async (name: string) => {
    const count = asked.get(name) ?? 0
    asked.set(name, count + 1)
    if (name === 'site.example') return ['127.0.0.1']
    return count === 0 ? ['93.184.215.14'] : ['127.0.0.1']
  }
  const addresses = targets.map(([host, { port }]) => `${host}:${port}`)
  await using pages = await reading(
    {
      '/bees': shell(addresses.map(attacks).join('\n') + render),
      '/redirect': (request, reply) =>
        void reply.writeHead(302, { location: `http://${request.url?.replace('/redirect?', '')}/redirected` }).end(),
    },
    { resolve },
  )
  expect((await pages.read('/bees')).contents.text).toContain('two hundred times')
  for (const address of addresses) expect(pages.site.paths).toContain(`/redirect?${address}`)
  await noTabs()
  expect(targets.map(([host, target]) => [host, target.arrived()])).toEqual(hosts.map((host) => [host, 0]))
})

test('a tab is led neither into the network nor from what is opened to it', async () => {
  let hits = 0
  const target = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(String(hits++)) })
  try {
    await using pages = await reading({
      '/script': shell(`location.href = 'http://127.0.0.1:${target.port}/'`),
      '/redirect': shell(`location.href = '/away'`),
      '/away': (_, reply) => void reply.writeHead(302, { location: `http://127.0.0.1:${target.port}/` }).end(),
    })
    for (const path of ['/script', '/redirect'])
      expect(await failureOf(pages.read(path))).toMatch(/^(?:not-allowed|invalid-url)$/)
    expect(hits).toBe(0)
  } finally {
    await target.stop(true)
  }
})

test('a page that leads to another one of its site is read there, by the rules of the site', async () => {
  await using pages = await reading({
    '/bees': shell(`location.href = '/hive'`),
    '/hive': shell(render),
    '/wasps': shell(`location.href = '/private'`),
    '/private': shell(render),
    '/robots.txt': (_, reply) => void reply.end('User-agent: *\nDisallow: /private'),
  })
  expect((await pages.read('/bees')).finalUrl).toBe(`${pages.site.origin}/hive`)
  expect(await failureOf(pages.read('/wasps'))).toBe('blocked-by-robots')
  expect(pages.site.paths).not.toContain('/private')
})

test('an endless page ends with its time, and one that is never quiet is read as it is', async () => {
  await using endless = await reading({ '/loop': shell('for (;;);') }, { timeoutMs: 3000 })
  expect(await messageOf(endless.read('/loop'))).toMatch(/^needs-scripts: .*the browser has not shown it after 3 s/)
  await using pages = await reading({ '/poll': shell(`${render}; setInterval(() => fetch('/beat'), 200)`) })
  expect((await pages.read('/poll')).contents.text).toContain('two hundred times')
  await noTabs()
})

test('a page cannot fill the memory by its HTML or by what it loads', async () => {
  await using pages = await reading({
    '/long': shell(`document.body.append('a'.repeat(3e6)); String.prototype.slice = () => 'a'.repeat(3e8)`),
  })
  expect(await failureOf(pages.read('/long'))).toBe('too-large')
})

test('five pages at once are read, in three tabs at most', async () => {
  await using pages = await reading({ '/bees': shell(`setTimeout(() => { ${render} }, 300)`) })
  const five = [1, 2, 3, 4, 5].map((count) => pages.read(`/bees?${count}`))
  let [most, isDone] = [0, false]
  const all = Promise.all(five).finally(() => {
    isDone = true
  })
  while (!isDone) {
    most = Math.max(most, (await chromium.tabs()).filter((url) => url.includes('site.example')).length)
    await Bun.sleep(50)
  }
  for (const page of await all) expect(page.contents.text).toContain('two hundred times')
  expect(most).toBeWithin(1, 4)
})

test('a caller that leaves closes its tab, and so does the end of csp', async () => {
  await using pages = await reading({ '/silent': shell(`fetch('/never')`), '/never': () => {} })
  const own = new AbortController()
  const left = pages.read('/silent', own.signal)
  await eventually(() => pages.site.paths.includes('/never'))
  own.abort()
  expect(await failureOf(left)).toBe('cancelled')
  await noTabs()

  const stopped = failureOf(pages.read('/silent'))
  await eventually(() => pages.site.paths.filter((path) => path === '/never').length === 2)
  await pages[Symbol.asyncDispose]()
  expect(await stopped).toBe('cancelled')
  await noTabs()
})

test('a browser that is killed, missing or another server leaves the error of a page that shows nothing', async () => {
  await using own = await startChromium()
  const never = { '/silent': shell(`fetch('/never')`), '/never': () => {}, '/json/version': '{}' }
  await using pages = await reading(never, { address: own.address })
  const killed = pages.read('/silent')
  await eventually(() => pages.site.paths.includes('/never'))
  own.kill()
  expect(await messageOf(killed)).toMatch(/^needs-scripts: .* the browser has ended\.$/)
  await eventually(async () => /there is no browser at 127/.test(await messageOf(pages.read('/silent'))))
  await using other = await reading(never, { address: `http://127.0.0.1:${pages.site.port}` })
  expect(await messageOf(other.read('/silent'))).toMatch(/^needs-scripts: .*does not speak the DevTools protocol/)
})
