import { afterAll, describe, expect } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '@csp/testing/eventually'
import type { Page } from 'playwright-core'
import type { KeptMemory } from '../../src/api/endpoints/own-parts.ts'
import { digestOf } from '../../src/api/http/auth.ts'
import type { AppOptions } from '../../src/app.ts'
import type { ExecutorHealth } from '../../src/domain/health.ts'
import { memoryBackend } from '../../src/executor/backends/memory/memory.ts'
import { recalled } from '../../src/executor/layers/page-memory/recalled.ts'
import { MemoryFile } from '../../src/storage/page-memory/memory-file.ts'
import { receiptFiles } from '../../src/storage/receipt-files.ts'
import { createPage } from '../../src/web-ui/page.tsx'
import { testJobs } from '../support/job-database.ts'
import { answered, found, type ScriptedExecutor, scriptedExecutor } from '../support/scripted-executor.ts'
import { faultsOf, withBrowser } from './visit.ts'

// State, Earlier, Clients, Data and Keys of the page, over real files.

const { test, visit: visitPage } = withBrowser()
const scratch = mkdtempSync(join(tmpdir(), 'csp-views-'))
afterAll(() => rmSync(scratch, { recursive: true }))

const ready: ExecutorHealth = { ready: true, backends: [{ name: 'claude', ready: true }], receipts: {} }
const usual = () => scriptedExecutor(({ want }) => (want === 'results' ? found(3) : answered), ready)

function visit(view: string, options: Partial<AppOptions> = {}, executor: ScriptedExecutor = usual()) {
  return visitPage(executor, { page: async () => createPage(1), ...options }, `#${view}`)
}

/** Nothing is wrong with the view in both themes, and it fits a telephone. */
async function expectSound(page: Page): Promise<void> {
  expect(await faultsOf(page)).toEqual([])
  await page.setViewportSize({ width: 320, height: 700 })
  const widths = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
  expect(await page.evaluate<number>(widths)).toBe(0)
  expect(await faultsOf(page)).toEqual([])
}

describe('State', () => {
  test('says in one sentence that searches work, and each request in words, which opens for its call', async () => {
    await using visited = await visit('state')
    const { page, url } = visited
    await page.getByText('Nothing was asked since csp started').waitFor()
    await fetch(`${url}/v1/search?q=secret-words`, { headers: { 'user-agent': 'Cursor/2.1' } })
    await fetch(`${url}/v1/nothing`, { headers: { 'user-agent': 'curl/8' } })
    await page.getByText('Cursor searched the web · 3 results').waitFor()
    expect(await page.locator('.verdict').innerText()).toContain('Searches work')
    expect(await page.getByText('Curl called /v1/nothing, which csp does not have').count()).toBe(1)
    expect(await page.locator('.speed').innerText()).toContain('List of results')
    expect(await page.getByText('GET /v1/search').isVisible()).toBe(false)
    await page.getByText('Cursor searched the web').focus()
    await page.locator('.request summary').last().press('Enter')
    await page.getByText('GET /v1/search').waitFor()
    expect(await page.content()).not.toContain('secret-words')
    await expectSound(page)
    expect(visited.complaints).toEqual([])
  })

  test('offers to sign in where Claude is signed out', async () => {
    const backends = [{ name: 'claude', ready: false, signedIn: false, problem: 'Claude is not signed in.' }]
    await using visited = await visit('state', {}, scriptedExecutor(answered, { ready: false, backends }))
    await visited.page.getByText('Sign in to Claude to search').waitFor()
    await expectSound(visited.page)
  })

  test('says since when csp does not answer, and how to start it', async () => {
    await using visited = await visit('state')
    await visited.page.getByRole('heading', { name: 'Searches work' }).waitFor()
    await visited.page.context().setOffline(true)
    await visited.page.getByText('csp does not answer since').waitFor()
    await visited.page.getByRole('button', { name: 'Copy “csp start”' }).waitFor()
    await visited.page.context().setOffline(false)
  })
})

describe('Earlier', () => {
  test('lists the questions by day, finds words among them, and leads to each answer', async () => {
    const now = Date.now()
    const clock = { now: now - 30 * 86_400_000 }
    const receipts = receiptFiles({ directory: join(scratch, 'a'), maxBytes: 1e8, maxDays: 99, now: () => clock.now })
    for (const [question, time] of [
      ['Does honey ever spoil?', clock.now],
      ['How do bees talk?', now],
    ] as const) {
      clock.now = time
      const draft = { owner: '', question, model: 'claude-x', strategy: 'deep', answer: 'So. [1]', sources: [] }
      await receipts.keep(async () => ({
        ...draft,
        sentences: [{ sentence: 'So.', start: 0, end: 3, verdict: 'found', score: 1, sources: [1] }],
      }))
      await receipts.flush()
    }
    await using visited = await visit('earlier', { receipts })
    const { page } = visited
    await page.getByRole('link', { name: 'How do bees talk?' }).last().waitFor()
    expect(await page.locator('section h2').allInnerTexts()).toHaveLength(2)
    expect(await page.locator('.qrow').first().innerText()).toContain('1 found')
    await page.getByPlaceholder('Find a question').fill('HONEY')
    await eventually(async () => (await page.locator('.qrow').count()) === 1)
    await expectSound(page)
    expect(await page.locator('.qrow').getAttribute('href')).toMatch(/^#receipt=[0-9a-f]{32}$/)
  })

  test('says where there is none yet, and where none is kept', async () => {
    const none = { read: async () => undefined, list: async () => ({ receipts: [] }) }
    await using visited = await visit('earlier', { receipts: none })
    await visited.page.getByText('No question yet').waitFor()
    const { receipts: _, ...off } = ready
    await using other = await visit('earlier', {}, scriptedExecutor(answered, off))
    await other.page.getByText('csp keeps no answers').waitFor()
    await expectSound(other.page)
  })
})

describe('Data', () => {
  test('lists jobs, which open their answers and can be deleted', async () => {
    const jobs = testJobs(usual())
    const draft = { vendor: 'tavily', input: {}, owner: 'anonymous' }
    const request = { want: 'answer', query: 'Where do bees live?', history: [], effort: 'deep', filters: {} } as const
    const { id } = await jobs.create({ ...draft, request })
    await eventually(async () => (await jobs.state(id))?.status === 'completed')
    await using visited = await visit('data', { jobs })
    const { page } = visited
    await page.getByRole('link', { name: 'Where do bees live?' }).waitFor()
    expect(await page.locator('.jrow').innerText()).toContain('Tavily')
    expect(await page.locator('.jrow a').getAttribute('href')).toBe(`#job=${id}`)
    await expectSound(page)
    page.on('dialog', (dialog) => void dialog.accept())
    await page.getByRole('button', { name: 'Delete: Where do bees live?' }).click()
    await page.getByText('No job yet').waitFor()
    expect(await jobs.get(id)).toBeUndefined()
    await jobs.close()
  })

  test('finds words on the pages that csp has read, and forgets a site', async () => {
    const file = new MemoryFile({ path: join(scratch, 'memory.sqlite'), maxBytes: 50e6 })
    file.keep(
      ['a.example', 'b.example'].map((host) => ({
        ...{ url: `https://${host}/marmots`, title: `Marmots at ${host}`, extent: 'whole', owner: '' },
        text: `Marmots whistle when they see an eagle, says ${host}.`,
      })),
    )
    const memory: KeptMemory = {
      scope: 'all',
      memory: { stats: async (owner) => file.stats(owner), forget: async (what) => file.forget(what) },
    }
    const backend = memoryBackend({ memory: { recall: async (recall) => file.recall(recall) }, scope: 'all' })
    const scripted = usual()
    const executor = { ...scripted, ...recalled(backend)(scripted), recalls: true }
    await using visited = await visit('data', { memory }, executor)
    const { page } = visited
    await page.getByPlaceholder('Words on the pages').fill('eagle')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Marmots at a.example' }).waitFor()
    await expectSound(page)
    page.on('dialog', (dialog) => void dialog.accept())
    await page.getByRole('button', { name: 'Forget site a.example' }).click()
    await page.getByText('1 page forgotten.').waitFor()
    expect(file.stats().pages).toBe(1)
    file.close()
  })
})

describe('Clients', () => {
  test('has a command and a setting to copy for each program, with the address of this csp', async () => {
    await using visited = await visit('clients')
    const { page, url } = visited
    await fetch(`${url}/v1/search?q=x`, { headers: { 'user-agent': 'Cursor/2.1' } })
    await page.getByPlaceholder('Find a program').fill('curso')
    await eventually(async () => (await page.locator('.ccard').count()) === 1)
    await page.getByRole('button', { name: 'Setting by hand: Cursor' }).press('Enter')
    expect(await page.locator('.ccard').innerText()).toContain('csp setup cursor')
    expect(await page.locator('.ccard pre').innerText()).toContain(`${url}/mcp`)
    await page.getByText('worked').waitFor()
    await page.getByPlaceholder('Find a program').fill('claude code')
    expect(await page.locator('.ccard .m').allTextContents()).toEqual([])
    await page.getByPlaceholder('Find a program').fill('curso')
    await expectSound(page)
    await page.getByPlaceholder('Find a program').fill('nothing like it')
    await page.getByText('No program here has this name').waitFor()
  })
})

describe('Keys', () => {
  test('lists the keys with their limits and last use for programs of the user, and says how to add one', async () => {
    const keys = [{ name: 'phone', digest: await digestOf('secret') }]
    await using visited = await visit('keys', { keyRing: { keys: async () => keys } })
    const { page } = visited
    await page.evaluate("sessionStorage.setItem('csp-key', 'secret')")
    await page.reload()
    await page.getByText('No limit of its own').waitFor()
    expect(await page.locator('.kv').innerText()).toContain('phone')
    await page.getByText('csp keys add NAME').waitFor()
    await expectSound(page)
    await using open = await visit('keys')
    await open.page.getByText('No key yet').waitFor()
  })
})
