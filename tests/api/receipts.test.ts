import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sha256 } from '@csp/lib/bytes'
import { PageError } from '@csp/page-reader/page-error'
import { chromiumPath } from '@csp/testing/chromium-path'
import axe from 'axe-core'
import { createMemoryStorage } from 'ocache'
import { type Browser, chromium } from 'playwright-core'
import { languages } from '../../packages/evidence/test/languages.ts'
import { createStack } from '../../src/executor/layers/stack.ts'
import { receiptFiles } from '../../src/storage/receipt-files.ts'
import { citedAnswer, pageUrl } from '../support/cited-answer.ts'
import { fakePageReader } from '../support/fake-page-reader.ts'
import { testNeeding } from '../support/needs.ts'
import { scriptedExecutor } from '../support/scripted-executor.ts'
import { testApp } from './test-app.ts'

const scratch = mkdtempSync(join(tmpdir(), 'csp-receipt-routes-'))
afterAll(() => rmSync(scratch, { recursive: true }))

const pageText = languages['en']?.page ?? ''
const [phone, laptop] = ['key-of-the-phone', 'key-of-the-laptop']
const as = (key: string) => ({ authorization: `Bearer ${key}` })
let folders = 0

/** An app that keeps receipts and answers, over a backend that has written an answer. */
function serving({ keys = [phone, laptop], page = pageText, kept = true } = {}) {
  const reader = fakePageReader({
    [pageUrl('en')]: page,
    [pageUrl('walled')]: new PageError('blocked-by-status', 'The site answered 403.'),
  })
  const directory = join(scratch, `${++folders}`)
  const receipts = receiptFiles({ directory, maxBytes: 1e8, maxDays: 9 })
  const executor = createStack([scriptedExecutor(citedAnswer('en'))], {
    cache: { storage: createMemoryStorage(), ttlSeconds: 60 },
    excerpts: { reader, source: 'pages' },
    evidence: { receipts: kept ? receipts : undefined },
  })
  const app = testApp(Object.assign(executor, { requests: [] }) as never, { pages: reader, keys, receipts })
  const ask = (key: string, headers = {}, content = 'what was asked') =>
    app.post(
      '/v1/chat/completions',
      { model: 'sonnet', messages: [{ role: 'user', content }] },
      { ...as(key), ...headers },
    )
  return { ...app, ask, directory, executor }
}

describe('an answer', () => {
  test('leaves a receipt that its caller can read, and nobody else', async () => {
    const { ask, get } = serving()
    const { headers, body } = await ask(phone)
    const id = headers.get('x-csp-receipt')
    expect(id).toMatch(/^[0-9a-f]{32}$/)
    expect(body.receipt).toBe(id)
    const own = await get(`/v1/receipts/${id}`, as(phone))
    expect(own.status).toBe(200)
    expect(own.body).toMatchObject({
      object: 'receipt',
      id,
      question: 'what was asked',
      model: 'claude-x',
      strategy: 'standard',
    })
    expect(own.body.owner).toBeUndefined()
    expect(own.body.sentences.map(({ verdict }: { verdict: string }) => verdict)).toEqual(
      body.evidence.map(({ verdict }: { verdict: string }) => verdict),
    )
    const [read, walled] = own.body.sources
    expect(read).toMatchObject({ number: 1, url: pageUrl('en'), text: pageText, hash: await sha256(pageText) })
    expect(walled.hash).toBeUndefined()
    expect((await get(`/v1/receipts/${id}`, as(laptop))).status).toBe(404)
    expect((await get(`/receipts/${id}`)).status).toBe(401)
  })

  test('that is streamed names it in its last event', async () => {
    const { request, get } = serving()
    const body = { model: 'sonnet', stream: true, messages: [{ role: 'user', content: 'what was asked' }] }
    const reply = await request('/v1/chat/completions', {
      method: 'POST',
      body: JSON.stringify(body),
      headers: as(phone),
    })
    const [, id] = /"receipt":"([0-9a-f]{32})"/.exec(await reply.text()) ?? []
    expect((await get(`/v1/receipts/${id}`, as(phone))).body.question).toBe('what was asked')
  })

  test('from the cache names that of the first, to the same caller alone', async () => {
    const { ask } = serving()
    const first = await ask(phone)
    const again = await ask(phone)
    const other = await ask(laptop)
    expect([again.headers.get('x-cache'), other.headers.get('x-cache')]).toEqual(['hit', 'hit'])
    expect(again.body.receipt).toBe(first.body.receipt)
    expect([other.headers.get('x-csp-receipt'), other.body.receipt]).toEqual([null, undefined])
    expect(other.body.evidence).toEqual(first.body.evidence)
  })

  test('that two callers ask for at the same time belongs to the first', async () => {
    const { ask } = serving()
    const ids = (await Promise.all([ask(phone), ask(laptop)])).map(({ body }) => body.receipt)
    expect(ids.filter((id) => id !== undefined)).toHaveLength(1)
  })

  test('leaves none with no-store, nor where none are kept', async () => {
    const none = [
      await serving().ask(phone, { 'cache-control': 'no-store' }),
      await serving({ kept: false }).ask(phone),
    ]
    for (const { headers, body } of none) {
      expect(body.evidence).toHaveLength(4)
      expect([headers.get('x-csp-receipt'), body.receipt]).toEqual([null, undefined])
    }
  })

  test('comes though no receipt can be written, and /health says why', async () => {
    const { ask, get, directory, executor } = serving()
    writeFileSync(directory, 'no folder')
    const { status, body } = await ask(phone)
    expect(status).toBe(200)
    expect((await get(`/v1/receipts/${body.receipt}`, as(phone))).status).toBe(404)
    expect((await executor.health()).receipts?.problem).toBeString()
    const health = await get('/health', as(phone))
    expect(health.body.receipts.problem).toBeString()
    expect(health.body.rows).toContainEqual(expect.objectContaining({ name: 'Receipts', level: 'warning' }))
  })
})

test('without keys everybody on this machine reads all receipts', async () => {
  const { ask, get } = serving({ keys: [] })
  const { body } = await ask('anything')
  expect((await get(`/receipts/${body.receipt}`, { 'user-agent': 'another program' })).status).toBe(200)
})

test('a wrong id or format is refused, and a server without receipts says so', async () => {
  const { get, ask } = serving()
  const { body } = await ask(phone)
  for (const id of ['0'.repeat(32), '..%2f..%2fkeys', 'x', `${body.receipt}x`])
    expect((await get(`/v1/receipts/${id}`, as(phone))).status).toBe(404)
  expect((await get(`/v1/receipts/${body.receipt}?format=pdf`, as(phone))).status).toBe(400)
  const { status, body: refusal } = await testApp().get(`/v1/receipts/${body.receipt}`)
  expect({ status, text: JSON.stringify(refusal) }).toEqual({
    status: 404,
    text: expect.stringContaining('keeps no receipts'),
  })
})

describe('the list', () => {
  test('has the receipts of its caller alone, the newest first, a few at a time', async () => {
    const { ask, get } = serving()
    for (const question of ['one', 'two', 'three']) await ask(phone, {}, question)
    await ask(laptop, {}, 'four')
    const { body } = await get('/v1/receipts?limit=2', as(phone))
    expect([body.object, body.has_more]).toEqual(['list', true])
    expect(body.next).toMatch(/^[0-9a-f]{32}$/)
    expect(body.data.map(({ question }: { question: string }) => question)).toEqual(['three', 'two'])
    expect(body.data[0]).toMatchObject({ strategy: 'standard', verdicts: { found: expect.any(Number) } })
    expect(JSON.stringify(body)).not.toMatch(/owner|answer|sources|laptop|phone/)
    const { body: rest } = await get(`/receipts?limit=2&after=${body.next}`, as(phone))
    expect(rest).toMatchObject({ data: [{ question: 'one' }], has_more: false, next: null })
    expect((await get('/v1/receipts', as(laptop))).body.data).toMatchObject([{ question: 'four' }])
    expect((await get('/v1/receipts')).status).toBe(401)
  })

  test.each(['limit=0', 'limit=101', 'limit=many', 'after=..%2fkeys', 'after='])('refuses %s', async (query) => {
    const { status, body } = await serving({ keys: [] }).get(`/v1/receipts?${query}`)
    expect(status).toBe(400)
    expect(JSON.stringify(body)).toContain(query.split('=')[0] ?? '')
  })

  test('is empty where none are kept', async () => {
    expect((await testApp().get('/v1/receipts')).body).toEqual({
      object: 'list',
      data: [],
      has_more: false,
      next: null,
    })
  })
})

describe('as a document', () => {
  const attack = '<script>alert(1)</script><img src=x onerror=alert(1)>"\'&[x](javascript:alert(1))'
  let browser: Browser
  beforeAll(async () => {
    if (chromiumPath)
      browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox', '--disable-gpu'] })
  })
  afterAll(() => browser?.close())

  async function document(format: string) {
    const { ask, request } = serving({ page: `${pageText}\n\n${attack}` })
    const { body } = await ask(phone, {}, attack)
    return request(`/v1/receipts/${body.receipt}?format=${format}`, { headers: as(phone) })
  }

  test('Markdown has the verdicts and passages, and foreign text does not act in it', async () => {
    const reply = await document('markdown')
    expect(reply.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    const text = await reply.text()
    expect(text).toStartWith('# \\< script\\>')
    expect(text).toContain('  - found ')
    expect(text).toContain('on no page: the number')
    expect(text).toContain(`1. [en](${pageUrl('en')})`)
  })

  testNeeding('chromium', chromiumPath !== undefined)(
    'HTML is one file that runs and loads nothing, and axe finds no fault',
    async () => {
      const reply = await document('html')
      expect(reply.headers.get('content-security-policy')).toStartWith("default-src 'none'; style-src 'sha256-")
      const text = await reply.text()
      expect(text).not.toMatch(/<script|<img|javascript:[^<]*"/)
      const file = join(scratch, 'receipt.html')
      writeFileSync(file, text)
      const context = await browser.newContext({ bypassCSP: false })
      const page = await context.newPage()
      const [loaded, errors]: [string[], string[]] = [[], []]
      page.on('request', (request) => loaded.push(request.url()))
      page.on('console', (message) => errors.push(message.text()))
      page.on('dialog', (dialog) => errors.push(dialog.message()))
      await page.goto(`file://${file}`)
      expect(loaded).toEqual([`file://${file}`])
      // Its own style is applied, so the policy has the right digest.
      const collapse = await page.evaluate('getComputedStyle(document.querySelector(".text")).whiteSpaceCollapse')
      expect(collapse).toBe('preserve')
      expect(await page.locator('h1').textContent()).toBe(attack)
      await page.locator('summary').first().click()
      await page.evaluate(axe.source)
      const { violations } = await page.evaluate<axe.AxeResults>('axe.run()')
      expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
      expect(errors).toEqual([])
      await context.close()
    },
  )
})
