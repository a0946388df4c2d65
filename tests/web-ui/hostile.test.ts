import { describe, expect } from 'bun:test'
import { type AppOptions, createApp } from '../../src/app.ts'
import { startServer } from '../../src/runtime/server/server.ts'
import { createPage } from '../../src/web-ui/page.tsx'
import { answered, type ScriptedExecutor, scriptedExecutor, untilAborted } from '../support/scripted-executor.ts'
import { ask, becomes, hasText, isAnswered, keepSaying, show, withBrowser } from './visit.ts'

// What happens to a page that stays open: csp ends and comes back, proxies, other tabs, old or small or strict browsers.

const { test, visit } = withBrowser()

function serve(executor: ScriptedExecutor, port: number, options: Partial<AppOptions> = {}) {
  const app = createApp({ executor, version: '1.2.3', page: async () => createPage(1), ...options })
  return startServer((request, connection) => app.fetch(request, { connection }), '127.0.0.1', port)
}

describe('a csp that ends while the page is open', () => {
  test('is missed in words, in a search as well, and found again when another starts there', async () => {
    let server = await serve(scriptedExecutor([...answered.slice(0, 3), untilAborted]), 0)
    const { port } = new URL(server.url)
    await using visited = await visit(scriptedExecutor(answered))
    const { page, complaints } = visited
    await page.goto(server.url)
    await ask(page, 'What is it?')
    await hasText(page, '.prose', 'It is')
    await server.stop(AbortSignal.abort())
    await hasText(page, '.notice', 'The connection to csp was lost.')
    await hasText(page, '.notice h2', 'csp does not answer since')
    await hasText(page, '.rail .k', 'No answer')
    await page.getByRole('button', { name: 'Try now' }).click()
    await hasText(page, '.notice', `csp does not answer at http://127.0.0.1:${port}.`)
    await hasText(page, '.notice', 'Start csp on its computer.')
    server = await serve(scriptedExecutor(answered), Number(port))
    try {
      await hasText(page, '.rail .k', 'Works')
      await page.getByRole('button', { name: /Ask again|Try now/ }).click()
      await isAnswered(page)
      expect(await page.isVisible('.notice')).toBe(false)
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
    await hasText(tab, '.prose', 'It is')
    await tab.close()
    await ended.promise
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
        return fetch(target, { method, headers, body, signal, redirect: 'manual', decompress: false })
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
      await hasText(page, '.rail .k', 'Works')
      await ask(page, 'What is it?')
      await isAnswered(page)
      await show(page, 'earlier')
      await show(page, 'data')
      await show(page, 'clients')
      await page.getByText('Cursor').first().waitFor()
      expect(await page.locator('main').innerHTML()).not.toContain(own.host)
      const description = await page.evaluate(async () => {
        const link = document.querySelector('link[rel=search]')
        return link instanceof HTMLLinkElement ? (await fetch(link.href)).text() : ''
      })
      expect(description).toContain('/deep/csp/?q={searchTerms}')
      await page.locator('.rail').getByText('API', { exact: true }).click()
      await becomes(async () => page.url(), `${base}/openapi.json`)
      await hasText(page, 'body', '/v1/chat/completions')
      expect({ missing, complaints }).toEqual({ missing: [], complaints: [] })
    } finally {
      await page.goto('about:blank')
      await proxy.stop(true)
    }
  })
})

describe('a browser of its own kind', () => {
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
    await page.locator('.steps .now').waitFor()
    const moving = () => page.evaluate(() => document.getAnimations().length)
    expect(await moving()).toBe(0)
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    await becomes(moving, 1)
    searching.resolve()
  })
})

describe('browsers that may not', () => {
  test('an answer is copied where the browser has no clipboard for scripts', async () => {
    await using visited = await visit(scriptedExecutor(answered))
    const { page } = visited
    // As at http://192.168.0.7:52480.
    await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }))
    await ask(page, 'What is it?')
    await isAnswered(page)
    await keepSaying(page)
    await page.getByRole('button', { name: 'Copy' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    await page.locator('#follow-up').focus()
    await page.keyboard.press('Control+V')
    await becomes(async () => (await page.inputValue('#follow-up')).startsWith('**What is it?**'), true)
    await page.evaluate(() => Object.defineProperty(document, 'execCommand', { value: () => false }))
    await page.getByRole('button', { name: 'Copied' }).click()
    await page.getByRole('button', { name: 'This browser does not allow copying' }).waitFor()
  })

  test('a key that one tab remembers opens the page in another, which waits for it', async () => {
    await using visited = await visit(scriptedExecutor(answered), { keys: ['right-key'] })
    const { page, url } = visited
    await page.locator('.key-form').waitFor()
    const other = await page.context().newPage()
    await other.goto(`${url}/#key=right-key&remember=on`)
    await hasText(other, '.rail .foot', 'Version 1.2.3')
    await page.bringToFront()
    await page.locator('.key-form').waitFor({ state: 'hidden' })
    await ask(page, 'What is it?')
    await isAnswered(page)
    await other.close()
  })
})
