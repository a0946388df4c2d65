import { afterAll, beforeAll, expect } from 'bun:test'
import { chromiumPath } from '@csp/testing/chromium-path'
import { eventually } from '@csp/testing/eventually'
import axe from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'
import { type AppOptions, createApp } from '../../src/app.ts'
import { startServer } from '../../src/runtime/server/server.ts'
import { createPage } from '../../src/web-ui/page.tsx'
import { testNeeding } from '../support/needs.ts'
import type { ScriptedExecutor } from '../support/scripted-executor.ts'

export interface Visit extends AsyncDisposable {
  readonly page: Page
  readonly url: string
  /** What the console and the policy had to say. */
  readonly complaints: readonly string[]
}

/** A true browser for the tests of a file, and visits of the page with it, on a csp whose executor is scripted. */
export function withBrowser() {
  let browser: Browser | undefined
  // A window for each test would take four times the time of all that happens in it.
  let tab: Page | undefined
  beforeAll(async () => {
    if (!chromiumPath) return
    browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox', '--disable-gpu'] })
    // A context, so that a test may open more tabs.
    tab = await (await browser.newContext()).newPage()
  })
  afterAll(async () => {
    await browser?.close()
  })

  async function visit(executor: ScriptedExecutor, options: Partial<AppOptions> = {}, hash = ''): Promise<Visit> {
    const app = createApp({ executor, version: '1.2.3', page: async () => createPage(1), ...options })
    const server = await startServer((request, connection) => app.fetch(request, { connection }), '127.0.0.1', 0)
    if (!tab) throw new Error('There is no browser.')
    const page = await cleared(tab)
    const complaints: string[] = []
    page.on('pageerror', ({ message }) => complaints.push(message))
    page.on('console', (message) => {
      // Chromium reports each reply of 400 and above.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load')) complaints.push(message.text())
    })
    await page.goto(`${server.url}/${hash}`)
    return {
      page,
      url: server.url,
      complaints,
      async [Symbol.asyncDispose]() {
        // Unless the test has gone on to another csp.
        if (page.url().startsWith(server.url))
          await page.evaluate(() => {
            sessionStorage.clear()
            localStorage.clear()
          })
        await page.goto('about:blank')
        await server.stop(AbortSignal.abort())
      },
    }
  }

  return { test: testNeeding('chromium', chromiumPath !== undefined), visit }
}

/** As new: no test sees what the one before it has set. What a page keeps is kept by its port. */
async function cleared(page: Page): Promise<Page> {
  page.removeAllListeners()
  if (page.url() !== 'about:blank') await page.goto('about:blank')
  await page.context().setOffline(false)
  await page.context().clearPermissions()
  await page.setExtraHTTPHeaders({})
  await page.emulateMedia({ colorScheme: null })
  await page.setViewportSize({ width: 1280, height: 720 })
  return page
}

/** Asks a question in the search box. */
export async function ask(page: Page, question: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Question' }).fill(question)
  await page.keyboard.press('Enter')
}

/** What axe finds wrong, in both themes: rules and the elements that break them. Only colours differ between themes. */
export async function faultsOf(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source)
  const found: string[] = []
  for (const [colorScheme, rules] of [
    ['light', {}],
    ['dark', { runOnly: ['color-contrast', 'link-in-text-block'] }],
  ] as const) {
    await page.emulateMedia({ colorScheme })
    // Without an account of the thousands of elements that are right.
    const options = JSON.stringify({ ...rules, resultTypes: ['violations'] })
    const { violations } = await page.evaluate<axe.AxeResults>(`axe.run(${options})`)
    found.push(
      ...violations.map(({ id, nodes }) => `${colorScheme}, ${id}: ${nodes.map(({ target }) => target).join(' ')}`),
    )
  }
  return found
}

/** Waits for a text in an element, whichever view is shown. */
export const hasText = (page: Page, selector: string, text: string) =>
  page.locator(selector, { hasText: text }).last().waitFor({ state: 'attached' })

/** Waits until what is read of a page is as expected: after a click, its scripts have their turn some time later. */
export async function becomes(read: () => Promise<unknown>, expected: unknown): Promise<void> {
  let found: unknown
  const isSo = async () => {
    found = await read()
    try {
      expect(found).toEqual(expected)
      return true
    } catch {
      return false
    }
  }
  await eventually(isSo).catch(() => {})
  // Once more, for what differs.
  expect(found).toEqual(expected)
}

/** Goes to another view of the page by its menu. */
export async function show(page: Page, view: 'state' | 'earlier' | 'clients' | 'data' | 'keys'): Promise<void> {
  await page.click(`.rail a[href="#${view}"]`)
  await page.locator(`.rail a[href="#${view}"][aria-current]`).waitFor()
}

/** Waits until the answer of that place in the thread is whole. */
export const isAnswered = (page: Page, place = 0) => page.locator('.acts').nth(place).waitFor()

/** What the page says for two seconds, such as "Copied", it says from now on: a test may look later. */
export const keepSaying = (page: Page) =>
  page.evaluate(() => {
    const real = window.setTimeout
    const longer = (work: () => void, ms?: number) => real(work, ms === 2000 ? 1e9 : ms)
    Object.assign(window, { setTimeout: longer })
  })
