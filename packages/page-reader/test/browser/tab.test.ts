import { expect, jest, test } from 'bun:test'
import { BrowserError, type DevTools } from '../../src/browser/devtools.ts'
import { openContext, shownIn } from '../../src/browser/tab.ts'
import { openedHosts } from '../../src/local/page-url.ts'
import { PageError } from '../../src/page-error.ts'

// What a tab does on events of the browser, which the test sends. In a Chromium it is in page-browser.test.ts.

const page = { url: 'https://bees.example/', html: '<p>Bees hum.' }
const own = { targetId: 'own', browserContextId: 'context' }

/** A browser that does what it is told, and shows a page once these events have come. */
async function shownAfter(...events: readonly (readonly [method: string, params: object, session?: string])[]) {
  const calls: (readonly [string, object])[] = []
  const replies: Readonly<Record<string, object>> = {
    'Target.createTarget': { targetId: own.targetId },
    'Target.attachToTarget': { sessionId: 'session' },
    'Page.createIsolatedWorld': { executionContextId: 1 },
    'Runtime.evaluate': { result: { value: page } },
  }
  const browser = {
    onEvent: (_: object) => {},
    onEnd: (_: Error) => {},
    async call(method: string, params: object) {
      calls.push([method, params])
      return replies[method] ?? {}
    },
  }
  const request = { url: page.url, allow: async () => {} }
  const options = { opened: openedHosts([]), userAgent: 'csp/test' }
  const shown = shownIn(browser as unknown as DevTools, own.browserContextId, request, options)
  const settled = shown.catch((error: Error) => error.message)
  while (!calls.some(([method]) => method === 'Page.navigate')) await Promise.resolve()
  const loaded = [
    ['Network.responseReceived', { frameId: own.targetId, type: 'Document', response: { status: 200 } }],
    ['Page.lifecycleEvent', { frameId: own.targetId, name: 'networkIdle' }],
  ] as const
  for (const [method, params, sessionId = 'session'] of [...events, ...loaded]) {
    browser.onEvent({ method, params, sessionId })
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
  return {
    shown: await settled,
    closed: calls.filter(([method]) => method === 'Target.closeTarget').map(([, it]) => it),
  }
}

test('windows that a page opens are closed, and neither its own tab nor those of others', async () => {
  const created = (targetInfo: object) => ['Target.targetCreated', { targetInfo }] as const
  const { shown, closed } = await shownAfter(
    created(own),
    created({ ...own, targetId: 'opened' }),
    created({ targetId: 'foreign', browserContextId: 'another' }),
    created({ targetId: 'bare' }),
  )
  expect(shown).toEqual(page)
  expect(closed).toEqual([{ targetId: 'opened' }])
})

test.each([
  [
    'a page that its site refuses',
    ['Network.responseReceived', { frameId: 'own', type: 'Document', response: { status: 403 } }],
    ['Page.lifecycleEvent', { frameId: 'own', name: 'networkIdle' }],
    'refuses to show it to the browser (403)',
  ],
  ['a tab that crashes', ['Inspector.targetCrashed', {}], undefined, 'its tab has crashed'],
] as const)('%s is not shown', async (_, first, second, words) => {
  const { shown } = await shownAfter(first, ...(second ? [second] : []))
  expect(shown).toContain(words)
})

test('events of other tabs and frames mean nothing', async () => {
  const { shown } = await shownAfter(
    ['Inspector.targetCrashed', {}, 'another session'],
    ['Network.responseReceived', { frameId: 'frame', type: 'Document', response: { status: 500 } }],
    ['Network.responseReceived', { frameId: own.targetId, type: 'Image', response: { status: 404 } }],
  )
  expect(shown).toEqual(page)
})

/** A browser whose commands are answered one turn later, and what it was asked for, with the session and its state. */
function openBrowser({ html = '<p>Bees hum.', refused = '' } = {}) {
  const calls: (readonly [method: string, params: unknown, ...session: string[]])[] = []
  let most = 0
  let running = 0
  const replies: Readonly<Record<string, object>> = {
    'Target.createBrowserContext': { browserContextId: own.browserContextId },
    'Target.createTarget': { targetId: own.targetId },
    'Target.attachToTarget': { sessionId: 'session' },
    'Page.createIsolatedWorld': { executionContextId: 7 },
    'Runtime.evaluate': { result: { value: { url: page.url, html } } },
  }
  const browser = {
    onEvent: (_: object) => {},
    onEnd: (_: Error) => {},
    async call(method: string, params: object, sessionId?: string) {
      calls.push([method, params, ...(sessionId === undefined ? [] : [sessionId])])
      most = Math.max(most, ++running)
      for (let turn = 0; turn < 5; turn++) await Promise.resolve()
      running--
      if (method === refused) throw new Error('There is no such request.')
      return replies[method] ?? {}
    },
  }
  return { devTools: browser as unknown as DevTools, browser, calls, most: () => most }
}

const later = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A tab on its way to a page, and what it does on events. */
async function openTab(
  parts: { allow?: (url: URL) => Promise<void>; language?: string; html?: string; refused?: string } = {},
) {
  const { devTools, browser, calls, most } = openBrowser(parts)
  const request = { url: page.url, language: parts.language, allow: parts.allow ?? (async () => {}) }
  const options = { opened: openedHosts([]), userAgent: 'csp/test' }
  const shown = shownIn(devTools, own.browserContextId, request, options).catch((error: Error) => error)
  while (!calls.some(([method]) => method === 'Page.navigate')) await Promise.resolve()
  const send = async (method: string, params: object) => {
    browser.onEvent({ method, params, sessionId: 'session' })
    await later()
  }
  let asked = 0
  return {
    shown,
    calls,
    most,
    send,
    answers: (status: number, parts: object = {}) =>
      send('Network.responseReceived', { frameId: own.targetId, type: 'Document', response: { status }, ...parts }),
    isQuiet: () => send('Page.lifecycleEvent', { frameId: own.targetId, name: 'networkIdle' }),
    /** What becomes of a request of the tab. */
    async asks(url: string, resourceType = 'Document', frameId = own.targetId) {
      const requestId = `request ${++asked}`
      await send('Fetch.requestPaused', { requestId, frameId, resourceType, request: { url } })
      const decided = calls.filter(([, params]) => (params as { requestId?: string }).requestId === requestId)
      return decided.map(([method]) => method).join()
    },
  }
}

test('a tab is made safe before it goes anywhere, one step after another', async () => {
  const { calls, most } = await openTab({ language: 'l'.repeat(201) })
  expect(most()).toBe(1)
  expect(calls).toEqual([
    ['Browser.setDownloadBehavior', { behavior: 'deny', browserContextId: 'context' }],
    ['Browser.grantPermissions', { permissions: [], browserContextId: 'context' }],
    ['Target.createTarget', { url: 'about:blank', browserContextId: 'context' }],
    ['Target.attachToTarget', { targetId: 'own', flatten: true }],
    ['Target.setDiscoverTargets', { discover: true, filter: [{ type: 'page' }] }],
    ['Network.enable', {}, 'session'],
    ['Network.setBypassServiceWorker', { bypass: true }, 'session'],
    ['Network.setUserAgentOverride', { userAgent: 'csp/test', acceptLanguage: 'l'.repeat(200) }, 'session'],
    ['Page.enable', {}, 'session'],
    ['Page.setLifecycleEventsEnabled', { enabled: true }, 'session'],
    ['Page.addScriptToEvaluateOnNewDocument', { source: expect.stringContaining('RTCPeerConnection') }, 'session'],
    ['Fetch.enable', { patterns: [{ urlPattern: '*' }] }, 'session'],
    ['Page.navigate', { url: page.url }, 'session'],
  ])
})

test('a context knows no way to the network but the proxy, and ends with the connection', async () => {
  const { devTools, calls } = openBrowser()
  expect(await openContext(devTools, 4711)).toBe(own.browserContextId)
  const way = { proxyServer: 'socks5://127.0.0.1:4711', proxyBypassList: '<-loopback>' }
  expect(calls).toEqual([['Target.createBrowserContext', { disposeOnDetach: true, ...way }]])
})

test('a tab loads what may be read and is worth it, and asks before each page that it goes to', async () => {
  const allowed: string[] = []
  const tab = await openTab({ allow: async ({ href }) => void allowed.push(href) })
  const [loads, refuses] = ['Fetch.continueRequest', 'Fetch.failRequest']
  expect(await tab.asks('http://bees.example/')).toBe(loads)
  expect(await tab.asks('https://bees.example/')).toBe(loads)
  expect(await tab.asks('https://bees.example/words', 'Fetch')).toBe(loads)
  expect(await tab.asks('http://bees.example/script', 'Script', 'frame')).toBe(loads)
  expect(await tab.asks('http://10.0.0.1/script', 'Script')).toBe(refuses)
  expect(await tab.asks('https://bees.example/frame', 'Document', 'frame')).toBe(refuses)
  for (const type of ['Image', 'Font', 'Media', 'Ping'])
    expect(await tab.asks('https://bees.example/x', type)).toBe(refuses)
  expect(allowed).toEqual(['http://bees.example/', 'https://bees.example/'])
  await tab.answers(200)
  await tab.isQuiet()
  expect(await tab.shown).toEqual(page)
})

test.each([
  ['a private address', ['http://10.0.0.1/'], 'not-allowed'],
  ['http from https', ['https://bees.example/', 'http://bees.example/'], 'unreachable'],
  ['a page that the caller excludes', ['https://wasps.example/'], 'blocked-by-robots'],
])('a tab that is led to %s shows nothing', async (_, urls, code) => {
  const allow = async ({ hostname }: URL) => {
    if (hostname === 'wasps.example') throw new PageError('blocked-by-robots', 'No.')
  }
  const tab = await openTab({ allow })
  const decided: string[] = []
  for (const url of urls) decided.push(await tab.asks(url))
  expect(decided.at(-1)).toBe('Fetch.failRequest')
  expect(await tab.shown).toMatchObject({ code })
})

test('a request that is gone when it is decided on ends nothing', async () => {
  for (const refused of ['Fetch.continueRequest', 'Fetch.failRequest']) {
    const tab = await openTab({ refused })
    await tab.asks('https://bees.example/a', 'Script')
    await tab.asks('https://bees.example/b', 'Image')
    await tab.answers(200)
    await tab.isQuiet()
    expect(await tab.shown).toEqual(page)
  }
})

test('the status of the page counts, not that of what it loads, and a redirected one is on its way again', async () => {
  const tab = await openTab()
  // That of `about:blank`.
  await tab.isQuiet()
  await tab.answers(399)
  await tab.send('Page.lifecycleEvent', { frameId: own.targetId, name: 'load' })
  await tab.send('Page.lifecycleEvent', { frameId: 'frame', name: 'networkIdle' })
  await tab.send('Page.frameNavigated', { frameId: own.targetId, name: 'networkIdle' })
  await tab.asks('https://bees.example/next')
  await tab.isQuiet()
  expect(tab.calls.some(([method]) => method === 'Runtime.evaluate')).toBe(false)
  await tab.answers(399)
  await tab.answers(500, { frameId: 'frame' })
  await tab.answers(404, { type: 'Image' })
  await tab.isQuiet()
  expect(await tab.shown).toEqual(page)
  const refused = await openTab()
  await refused.answers(400)
  await refused.isQuiet()
  expect(await refused.shown).toEqual(new BrowserError('the site refuses to show it to the browser (400)'))
})

test('a dialog is closed, and nothing else is', async () => {
  const tab = await openTab()
  await tab.send('Page.frameNavigated', {})
  expect(tab.calls.at(-1)?.[0]).toBe('Page.navigate')
  await tab.send('Page.javascriptDialogOpening', {})
  expect(tab.calls.slice(-1)).toEqual([['Page.handleJavaScriptDialog', { accept: true }, 'session']])
  expect(tab.calls.filter(([method]) => method === 'Page.handleJavaScriptDialog')).toHaveLength(1)
  const stuck = await openTab({ refused: 'Page.handleJavaScriptDialog' })
  await stuck.send('Page.javascriptDialogOpening', {})
  expect(await stuck.shown).toBeInstanceOf(Error)
})

test('a page that is never quiet is taken as it is after 8 seconds', async () => {
  jest.useFakeTimers()
  try {
    const tab = await openTab()
    const turns = async () => {
      for (let turn = 0; turn < 50; turn++) await Promise.resolve()
      return tab.calls.some(([method]) => method === 'Runtime.evaluate')
    }
    jest.advanceTimersByTime(7999)
    expect(await turns()).toBe(false)
    jest.advanceTimersByTime(1)
    expect(await turns()).toBe(true)
    expect(await tab.shown).toEqual(page)
  } finally {
    jest.useRealTimers()
  }
})

test('the HTML is taken in a world of its own, without scripts, and up to 2 MB of it', async () => {
  const tab = await openTab()
  await tab.answers(200)
  await tab.isQuiet()
  await tab.shown
  const [world, evaluated] = tab.calls.slice(-2)
  expect(world).toEqual(['Page.createIsolatedWorld', { frameId: own.targetId }, 'session'])
  expect(evaluated).toMatchObject(['Runtime.evaluate', { contextId: 7, returnByValue: true }, 'session'])
  const { expression } = (evaluated ?? ['', {}])[1] as { expression: string }
  const run = new Function('document', 'location', `return ${expression}`)
  const taken = (length: number) => {
    const removed: string[] = []
    const document = {
      querySelectorAll: (what: string) => [{ remove: () => removed.push(what) }],
      documentElement: { outerHTML: 'a'.repeat(length) },
    }
    const { url, html } = run(document, { href: page.url })
    expect(removed).toEqual([expect.stringContaining('script')])
    return [url, html.length]
  }
  expect([taken(2_000_000), taken(2_000_001)]).toEqual([
    [page.url, 2_000_000],
    [page.url, 0],
  ])
  const long = await openTab({ html: '' })
  await long.answers(200)
  await long.isQuiet()
  expect(await long.shown).toMatchObject({ code: 'too-large', message: 'The page is longer than 2 MB in the browser.' })
})
