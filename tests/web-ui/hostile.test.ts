import { describe, expect } from 'bun:test'
import { type AppOptions, createApp } from '../../src/app.ts'
import type { ExecutorHealth } from '../../src/domain/health.ts'
import { startServer } from '../../src/runtime/server/server.ts'
import { createPage } from '../../src/web-ui/page.tsx'
import { answered, type ScriptedExecutor, scriptedExecutor, untilAborted } from '../support/scripted-executor.ts'
import { ask, becomes, hasText, keepSaying, show, withBrowser } from './visit.ts'

// What happens to a page that stays open: csp ends and comes back, proxies, other tabs, old or small or strict browsers.

const { test, visit } = withBrowser()

function serve(executor: ScriptedExecutor, port: number, options: Partial<AppOptions> = {}) {
  const app = createApp({ executor, version: '1.2.3', page: async () => createPage(1), ...options })
  return startServer((request, connection) => app.fetch(request, { connection }), '127.0.0.1', port)
}

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

describe('a csp that ends while the page is open', () => {
  test('is missed in words, in a search as well, and found again when another starts there', async () => {
    let server = await serve(scriptedExecutor([...answered.slice(0, 3), untilAborted]), 0)
    const { port } = new URL(server.url)
    await using visited = await visit(scriptedExecutor(answered))
    const { page, complaints } = visited
    await page.goto(server.url)
    await ask(page, 'What is it?')
    await hasText(page, '.answer', 'It is')
    await server.stop(AbortSignal.abort())
    await hasText(page, '.failure', 'The connection to csp was lost.')
    await hasText(page, '#state-line', 'No answer since')
    await page.click('.failure button')
    await hasText(page, '.failure', `csp does not answer at http://127.0.0.1:${port}.`)
    await hasText(page, '.failure', 'Start it with csp serve')
    server = await serve(scriptedExecutor(answered), Number(port))
    try {
      await hasText(page, '#status', 'Works')
      await page.click('.failure button')
      await hasText(page, '.progress', '3 results in')
      expect(await page.isVisible('.failure')).toBe(false)
    } finally {
      await page.goto('about:blank')
      await server.stop(AbortSignal.abort())
    }
    expect(complaints).toEqual([])
  })

  test('has no search left of a tab that is closed', async () => {
    const ended = Promise.withResolvers<void>()
    const wait = (signal: AbortSignal) => untilAborted(signal).finally(() => ended.resolve())
    await using visited = await visit(scriptedExecutor([...answered.slice(0, 3), wait]))
    const tab = await visited.page.context().newPage()
    await tab.goto(visited.url)
    await ask(tab, 'What is it?')
    await hasText(tab, '.answer', 'It is')
    await tab.close()
    await ended.promise
  })
})

describe('the line of state', () => {
  const claude = { name: 'claude', ready: true } as const
  const reached = {
    ...claude,
    rateLimit: { status: 'rejected', window: 'five_hour', utilization: 1, resetsAt: inAnHour() },
  } as const
  const failed = { code: 'failed', message: 'It broke.', at: inAnHour() } as const
  const found: readonly (readonly [ExecutorHealth, RegExp])[] = [
    [{ ready: true, backends: [reached] }, /claude 5-hour limit: Reached\. Resets at .* \(in .*\)\./],
    [
      {
        ...{ ready: true, backends: [claude] },
        budget: { limits: [{ kind: 'searches', window: 'day', limit: 5, used: 5, left: 0, resetsAt: inAnHour() }] },
      },
      /No new searches until .* \(in .*\): daily limit of 5 searches\./,
    ],
    [
      { ready: false, backends: [{ name: 'brave', ready: false, problem: 'It is down.' }] },
      /brave: It is down\. csp doctor on its machine says more\./,
    ],
    [
      { ready: true, backends: [{ ...claude, lastSearchFailed: true, lastError: failed }] },
      /claude last error: It broke\. Failed at/,
    ],
    [
      { ready: false, backends: [{ name: 'claude', ready: false, signedIn: false }] },
      /Signed out\. Run csp login on that machine|claude: Not ready\. csp doctor/,
    ],
    [
      { ready: true, backends: [claude], memory: { problem: 'The disk is full.' } },
      /Memory: The disk is full\. csp doctor/,
    ],
  ]

  test('says what is wrong and what to do, whatever it is', async () => {
    for (const [health, said] of found) {
      await using visited = await visit(scriptedExecutor(answered, health))
      await hasText(visited.page, '#state-line', 'Version 1.2.3')
      const line = (await visited.page.innerText('#state-line')).replaceAll(/\s+/g, ' ')
      expect(line).toMatch(said)
      expect(line).not.toMatch(/`|undefined|null|NaN/)
    }
  })
})

describe('behind a proxy', () => {
  test('on a path of its own, everything works: search, what is kept, addresses of clients, the API', async () => {
    await using visited = await visit(scriptedExecutor(answered), { keys: ['right-key'] })
    const own = new URL(visited.url)
    const proxy = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch(request) {
        const { pathname, search } = new URL(request.url)
        if (!pathname.startsWith('/deep/csp/')) return new Response('Not here', { status: 404 })
        const headers = new Headers(request.headers)
        headers.set('x-forwarded-for', '192.0.2.1')
        headers.set('x-forwarded-prefix', '/deep/csp')
        const target = `${own.origin}${pathname.slice('/deep/csp'.length)}${search}`
        const { method, body, signal } = request
        // As nginx passes the host on.
        headers.set('host', new URL(request.url).host)
        return fetch(target, { method, headers, body, signal, redirect: 'manual' })
      },
    })
    const { page, complaints } = visited
    const missing: string[] = []
    page.on('response', (response) => {
      if (response.status() === 404 && !response.url().endsWith('/v1/memory')) missing.push(response.url())
    })
    const base = `http://127.0.0.1:${proxy.port}/deep/csp`
    try {
      await page.goto(`${base}/#key=right-key`)
      await hasText(page, '#status', 'Works')
      await ask(page, 'What is it?')
      await hasText(page, '.progress', '3 results in')
      await page.locator('#receipts > summary').click()
      await hasText(page, '#receipts-note', 'Receipts are off.')
      await show(page, 'data')
      await hasText(page, '#memory-size', 'Memory is off.')
      expect(await page.locator('#connect pre', { hasText: `${base}/mcp` }).count()).toBeGreaterThan(0)
      expect(await page.locator('#connect pre', { hasText: own.host }).count()).toBe(0)
      const description = await page.evaluate(async () => {
        const link = document.querySelector('link[rel=search]')
        return link instanceof HTMLLinkElement ? (await fetch(link.href)).text() : ''
      })
      expect(description).toContain('/deep/csp/?q={searchTerms}')
      await page.getByText('API', { exact: true }).click()
      await becomes(async () => page.url(), `${base}/openapi.json`)
      await hasText(page, 'body', '/v1/chat/completions')
      expect({ missing, complaints }).toEqual({ missing: [], complaints: [] })
    } finally {
      await page.goto('about:blank')
      await proxy.stop(true)
    }
  })
})

describe('with much to show', () => {
  test('the last fifty of 500 requests stay where they are scrolled to, and a selection stays', async () => {
    await using visited = await visit(scriptedExecutor(answered))
    const { page, url } = visited
    await show(page, 'state')
    for (let count = 0; count < 500; count++) await fetch(`${url}/v1/nothing/${count}`)
    await hasText(page, '#requests', '/v1/nothing/499')
    expect(await page.locator('#requests tbody tr').count()).toBe(50)
    await page.evaluate(() => {
      const scroll = document.querySelector('#requests .scroll')
      if (scroll) scroll.scrollTop = 300
      getSelection()?.selectAllChildren(document.querySelectorAll('#requests tbody tr')[20] ?? document.body)
    })
    const selected = () => page.evaluate(() => String(getSelection()))
    const before = await selected()
    for (let count = 0; count < 3; count++) await page.waitForResponse('**/v1/requests')
    expect(before).toContain('/v1/nothing/')
    expect(await selected()).toBe(before)
    await fetch(`${url}/v1/nothing/more`)
    await hasText(page, '#requests', '/v1/nothing/more')
    expect(await page.evaluate(() => document.querySelector('#requests .scroll')?.scrollTop)).toBe(300)
  })

  test('text of twice the size fits, and nothing moves where motion is not wanted', async () => {
    const searching = Promise.withResolvers<void>()
    await using visited = await visit(scriptedExecutor([() => searching.promise, ...answered]))
    const { page } = visited
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      await page.evaluate(() => {
        document.documentElement.style.fontSize = '32px'
      })
      await page.evaluate(() => {
        for (const part of document.querySelectorAll('details')) part.open = true
      })
      expect([width, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([width, width])
    }
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await ask(page, 'What is it?')
    await page.locator('.steps .current').waitFor()
    const moving = () => page.evaluate(() => document.getAnimations().length)
    expect(await moving()).toBe(0)
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    await becomes(moving, 1)
    searching.resolve()
  })
})

describe('browsers that may not', () => {
  test('configurations are copied where the browser has no clipboard for scripts', async () => {
    await using visited = await visit(scriptedExecutor(answered))
    const { page, url } = visited
    // As at http://192.168.0.7:52480.
    await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }))
    await show(page, 'clients')
    await keepSaying(page)
    await page.locator('summary', { hasText: 'Cursor' }).click()
    const button = page.getByLabel('Copy the configuration for Cursor')
    await button.click()
    await hasText(page, '#connect button', 'Copied')
    expect(await page.textContent('#copied')).toBe('Copied.')
    await page.locator('#client-filter').focus()
    await page.keyboard.press('Control+V')
    await becomes(async () => (await page.inputValue('#client-filter')) !== '', true)
    expect(JSON.parse(await page.inputValue('#client-filter'))).toEqual({ mcpServers: { csp: { url: `${url}/mcp` } } })
    await page.evaluate(() => Object.defineProperty(document, 'execCommand', { value: () => false }))
    await page.fill('#client-filter', '')
    await button.click()
    await hasText(page, '#connect button', 'Selected: copy it')
    await becomes(() => page.evaluate(() => String(getSelection())), expect.stringContaining('mcpServers'))
  })

  test('a key that one tab remembers opens the page in another, which waits for it', async () => {
    await using visited = await visit(scriptedExecutor(answered), { keys: ['right-key'] })
    const { page, url } = visited
    await page.locator('#key-form').waitFor()
    const other = await page.context().newPage()
    await other.goto(`${url}/#key=right-key&remember=on`)
    await hasText(other, '#state', 'Version 1.2.3')
    await page.bringToFront()
    await page.locator('#key-form').waitFor({ state: 'hidden' })
    await ask(page, 'What is it?')
    await hasText(page, '.progress', 'results in')
    await other.close()
  })
})
