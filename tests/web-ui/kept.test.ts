import { afterAll, describe, expect } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Evidence } from '@csp/evidence/evidence'
import type { KeptMemory } from '../../src/api/endpoints/own-parts.ts'
import type { ExecutorHealth } from '../../src/domain/health.ts'
import type { ReceiptDraft } from '../../src/domain/receipt.ts'
import { memoryBackend } from '../../src/executor/backends/memory/memory.ts'
import { recalled } from '../../src/executor/layers/page-memory/recalled.ts'
import { MemoryFile } from '../../src/storage/page-memory/memory-file.ts'
import { receiptFiles } from '../../src/storage/receipt-files.ts'
import { answered, scriptedExecutor } from '../support/scripted-executor.ts'
import { ask, becomes, faultsOf, hasText, show, withBrowser } from './visit.ts'

// What csp keeps, on the page: receipts and memory, over their real files.

const { test, visit } = withBrowser()
const scratch = mkdtempSync(join(tmpdir(), 'csp-kept-'))
afterAll(() => rmSync(scratch, { recursive: true }))

const longWord = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'
const ready: ExecutorHealth = { ready: true, backends: [{ name: 'claude', ready: true }] }
const keeping: ExecutorHealth = { ...ready, receipts: {}, memory: { pages: 0 } }
let folders = 0

async function receiptsOf(...questions: readonly string[]) {
  const clock = { now: Date.now() - 86_400_000 }
  const directory = join(scratch, `${++folders}`)
  const receipts = receiptFiles({ directory, maxBytes: 1e8, maxDays: 9, now: () => clock.now })
  for (const question of questions) {
    await receipts.keep(async () => draftOf(question))
    await receipts.flush()
    clock.now += 60_000
  }
  return receipts
}

function draftOf(question: string): ReceiptDraft {
  const found: Evidence = {
    ...{ sentence: 'Bees dance.', start: 0, end: 11, verdict: 'found', score: 1, sources: [1] },
    passage: { text: 'Bees dance in the hive.', source: 1, place: 0 },
  }
  const wrong: Evidence = {
    ...{ sentence: 'They have 42 legs.', start: 16, end: 34, verdict: 'partly', score: 0.5, sources: [1] },
    missing: [{ kind: 'number', text: '42' }],
  }
  const text = 'Bees dance in the hive. They have six legs.'
  return {
    ...{ owner: 'phone', question, model: 'claude-x', strategy: 'standard' },
    answer: 'Bees dance. [1] They have 42 legs. [1]',
    sentences: [found, wrong],
    sources: [
      { number: 1, url: 'https://bees.example/dance', title: 'Bees', passages: ['Bees dance in the hive.'], text },
    ],
  }
}

/** A memory in a file, and an executor that looks there where a request asks for it. */
function remembering(hosts: readonly string[]) {
  const file = new MemoryFile({ path: join(scratch, `${++folders}`, 'memory.sqlite'), maxBytes: 50e6 })
  file.keep(
    hosts.map((host) => ({
      ...{ url: `https://${host}/marmots`, title: `Marmots at ${host}`, extent: 'whole', owner: '' },
      text: `Marmots whistle when they see an eagle. ${longWord} ${host}`,
    })),
  )
  const memory: KeptMemory = {
    scope: 'all',
    memory: { stats: async (owner) => file.stats(owner), forget: async (what) => file.forget(what) },
  }
  const backend = memoryBackend({ memory: { recall: async (recall) => file.recall(recall) }, scope: 'all' })
  const scripted = scriptedExecutor(answered, keeping)
  return { memory, executor: { ...scripted, ...recalled(backend)(scripted), recalls: true }, file }
}

describe('the receipts', () => {
  test('are listed when they are opened, and say what was found of each sentence', async () => {
    const receipts = await receiptsOf('How do bees talk?', `What is a ${longWord}?`)
    await using visited = await visit(scriptedExecutor(answered, keeping), { receipts })
    const { page, complaints } = visited
    await hasText(page, '#status', 'Works')
    await page.locator('#receipts > summary').focus()
    await page.keyboard.press('Enter')
    await hasText(page, '#receipt-rows', 'How do bees talk?')
    const rows = page.locator('#receipt-rows > details')
    expect((await rows.allInnerTexts()).map((text) => text.includes(longWord))).toEqual([true, false])
    expect(await rows.nth(1).innerText()).toMatch(/standard · 1 found, 1 partly$/)
    // The filter, the first question, the second.
    for (let count = 0; count < 3; count++) await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await hasText(
      page,
      '#receipt-rows',
      'Sentences on the pages they cite: 1 found, 1 partly. Doubtful ones are marked ?.',
    )
    await rows.nth(1).locator('a.cite').nth(1).hover()
    await becomes(() => page.textContent('#evidence'), 'Beesbees.exampleNot on the page: 42')
    const card = await page.locator('#evidence').boundingBox()
    const marker = await rows.nth(1).locator('a.cite').nth(1).boundingBox()
    expect(Math.abs((card?.y ?? 0) - (marker?.y ?? 0))).toBeLessThan(60)
    const download = page.waitForEvent('download')
    await page.getByText('Save as one file').click()
    expect(await readFile(await (await download).path(), 'utf8')).toContain(
      'Bees dance in the hive. They have six legs.',
    )
    expect(complaints).toEqual([])
  })

  test('come twenty at a time', async () => {
    const receipts = await receiptsOf(...Array.from({ length: 27 }, (_, index) => `Question ${index}?`))
    await using visited = await visit(scriptedExecutor(answered, keeping), { receipts })
    const { page } = visited
    await page.locator('#receipts > summary').click()
    await hasText(page, '#receipt-rows', 'Question 26?')
    const rows = page.locator('#receipt-rows > details')
    expect(await rows.count()).toBe(20)
    await page.click('#more-receipts')
    await hasText(page, '#receipt-rows', 'Question 0?')
    expect([await rows.count(), await page.isVisible('#more-receipts')]).toEqual([27, false])
    // The focus would be lost with the button.
    const focused = () => page.evaluate(() => document.activeElement?.textContent)
    await becomes(focused, expect.stringContaining('Question 6?'))
  })

  test('are found by the words of their question, older ones too', async () => {
    const receipts = await receiptsOf(...Array.from({ length: 27 }, (_, index) => `Question ${index}?`))
    await using visited = await visit(scriptedExecutor(answered, keeping), { receipts })
    const { page } = visited
    await page.locator('#receipts > summary').click()
    await hasText(page, '#receipt-rows', 'Question 26?')
    await page.fill('#receipt-filter', '3? QUESTION')
    const shown = () => page.locator('#receipt-rows .asked:visible').allTextContents()
    await becomes(shown, ['Question 23?', 'Question 13?', 'Question 3?'])
    await page.fill('#receipt-filter', 'zebras')
    await hasText(page, '#receipts-note', 'No question has these words.')
  })

  test('show a new one once its answer is there, and leave open what is read', async () => {
    const receipts = await receiptsOf('How do bees talk?')
    await using visited = await visit(scriptedExecutor(answered, keeping), { receipts })
    const { page } = visited
    await page.locator('#receipts > summary').click()
    await page.locator('#receipt-rows summary').click()
    await hasText(page, '#receipt-rows', 'Doubtful ones')
    await receipts.keep(async () => draftOf('What is new?'))
    await ask(page, 'What is new?')
    await hasText(page, '#receipt-rows', 'What is new?')
    await hasText(page, '#receipt-rows', 'Doubtful ones')
    await becomes(() => page.locator('#receipt-rows details[open]').count(), 1)
  })

  test('say in words why there are none', async () => {
    for (const [health, said] of [
      [keeping, 'A written answer leaves a receipt'],
      [ready, 'Receipts are off. To keep what answers rest on, start csp without'],
    ] as const) {
      await using visited = await visit(scriptedExecutor(answered, health), { receipts: await receiptsOf() })
      await visited.page.locator('#receipts > summary').click()
      await hasText(visited.page, '#receipts-note', said)
    }
  })

  test('of one key go when the key is taken away', async () => {
    const receipts = await receiptsOf('How do bees talk?')
    const holder = { name: 'phone', digest: new Bun.CryptoHasher('sha256').update('right-key').digest('hex') }
    const ring = { isRequired: true, keys: async () => [...known] }
    const known = [holder]
    await using visited = await visit(
      scriptedExecutor(answered, keeping),
      { receipts, keyRing: ring },
      '#key=right-key',
    )
    const { page } = visited
    await page.locator('#receipts > summary').click()
    await hasText(page, '#receipt-rows', 'How do bees talk?')
    known.pop()
    await hasText(page, '#key-note', 'The key is wrong.')
    await hasText(page, '#receipts-note', 'A key is required.')
    expect(await page.textContent('#receipt-rows')).toBe('')
    expect(await page.evaluate(() => [localStorage.length, sessionStorage.length])).toEqual([0, 0])
  })
})

describe('the memory', () => {
  test('says how much it has, finds pages in it, and forgets a site or all, by keyboard alone', async () => {
    const { memory, executor, file } = remembering(['alps.example', 'www.tatra.example'])
    await using visited = await visit(executor as never, { memory })
    const { page, complaints } = visited
    const questions: string[] = []
    page.on('dialog', (dialog) => {
      questions.push(dialog.message())
      void dialog.accept()
    })
    await show(page, 'data')
    await hasText(page, '#memory-size', '2 pages of 2 sites')
    await page.focus('#recall-query')
    await page.keyboard.type('marmots whistle')
    await page.keyboard.press('Enter')
    await hasText(page, '#recalled', 'Marmots at alps.example')
    expect(await page.locator('#recalled li').count()).toBe(2)
    expect(await page.locator('#recalled').textContent()).toContain(`seen ${new Date().toLocaleDateString('en-US')}`)
    await page.locator('#recalled button', { hasText: 'alps.example' }).focus()
    await page.keyboard.press('Enter')
    await hasText(page, '#memory-note', '1 page forgotten.')
    await hasText(page, '#memory-size', '1 page of 1 site')
    expect([...file.pages()].map(({ url }) => url)).toEqual(['https://www.tatra.example/marmots'])
    await page.fill('#recall-query', 'zebras')
    await page.keyboard.press('Enter')
    await hasText(page, '#memory-note', 'No page that csp has seen fits.')
    await page.locator('#forget-all').focus()
    await page.keyboard.press('Enter')
    await hasText(page, '#memory-size', 'Nothing yet.')
    expect([file.stats().pages, await page.isVisible('#recall')]).toEqual([0, false])
    expect(questions).toEqual([
      'Forget every page of alps.example and its subdomains?',
      'Forget every page that csp has seen?',
    ])
    expect(executor.requests).toEqual([])
    expect(complaints).toEqual([])
  })

  test('has no button to forget where all keys share it, and is off where there is none', async () => {
    const { memory, executor } = remembering(['alps.example'])
    await using shared = await visit(executor as never, { memory, keys: ['right-key'] }, '#key=right-key')
    await show(shared.page, 'data')
    await shared.page.fill('#recall-query', 'marmots')
    await shared.page.keyboard.press('Enter')
    await hasText(shared.page, '#recalled', 'Marmots at alps.example')
    expect(await shared.page.locator('#memory button:visible').allTextContents()).toEqual(['Recall'])
    await using off = await visit(scriptedExecutor(answered, ready))
    await show(off.page, 'data')
    await hasText(off.page, '#memory-size', 'Memory is off.')
    expect(await off.page.isVisible('#recall')).toBe(false)
  })
})

for (const width of [320, 390, 1280]) {
  test(`what is kept fits and has no fault that axe finds, at ${width} pixels, light and dark`, async () => {
    const receipts = await receiptsOf('How do bees talk?', `What is a ${longWord}?`)
    const { memory, executor } = remembering(['alps.example', `${'long-name.'.repeat(6)}example`])
    await using visited = await visit(executor as never, { receipts, memory })
    const { page } = visited
    await page.setViewportSize({ width, height: 800 })
    await page.locator('#receipts > summary').click()
    await hasText(page, '#receipt-rows', 'How do bees talk?')
    for (const summary of await page.locator('#receipt-rows summary').all()) await summary.click()
    await page.locator('#receipt-rows details', { hasText: 'Doubtful ones' }).nth(1).waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    expect(await faultsOf(page)).toEqual([])
    await show(page, 'data')
    await page.fill('#recall-query', 'marmots')
    await page.keyboard.press('Enter')
    await hasText(page, '#recalled', 'Marmots at alps.example')
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    expect(await faultsOf(page)).toEqual([])
    const pictures = process.env['CSP_PICTURES']
    for (const colorScheme of pictures ? (['light', 'dark'] as const) : []) {
      await page.emulateMedia({ colorScheme })
      await page.screenshot({ path: `${pictures}/kept-${width}-${colorScheme}.png`, fullPage: true })
    }
  })
}
