import { afterAll, afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@csp/page-reader/page'
import type { PageReader } from '@csp/page-reader/page-reader'
import { createSandbox } from '@csp/sandbox/sandbox'
import { collect } from '../../../src/domain/answer.ts'
import type { SearchRequest } from '../../../src/domain/search.ts'
import { Budget } from '../../../src/executor/layers/metering/budget.ts'
import { loadConfig } from '../../../src/runtime/config/config.ts'
import { createLedger, openReceipts } from '../../../src/runtime/server/accounts.ts'
import { createExecutor } from '../../../src/runtime/server/create-executor.ts'
import { requestFor } from '../../support/fake-executor.ts'

const home = mkdtempSync(join(tmpdir(), 'csp-executor-'))
afterAll(() => rmSync(home, { recursive: true }))

// SearXNG finds one page, and the sandbox answers what is sent to Anthropic.
const sandbox = createSandbox()
const asked: string[] = []
let sent: { mockRestore(): void } | undefined
beforeEach(() => {
  asked.length = 0
  sent = spyOn(globalThis, 'fetch').mockImplementation((async (input: Request | URL | string, init?: RequestInit) => {
    const request = new Request(input, init)
    const { host, pathname } = new URL(request.url)
    asked.push(host)
    if (pathname === '/v1/messages') return sandbox.fetch(request)
    return Response.json({ results: [{ url: 'https://a.example/', title: 'A', content: 'Seals swim.' }] })
  }) as typeof fetch)
})
afterEach(() => sent?.mockRestore())

const content = 'Seals swim with their flippers.'
const page: Omit<Page, 'url' | 'finalUrl'> = {
  ...{ status: 200, contentType: 'text/html', format: 'markdown', content, links: [] },
  ...{ totalCharacters: content.length, offset: 0, remaining: 0 },
}
let folders = 0
function executors(flags: Readonly<Record<string, string>>) {
  const read: string[] = []
  const pages: PageReader = {
    async read({ url }) {
      read.push(url)
      return { ...page, url, finalUrl: url }
    },
    async close() {},
  }
  const folder = join(home, `${++folders}`)
  const environment = { HOME: folder, PATH: '', CSP_ANTHROPIC_API_KEY: 'k' }
  const base = { 'searxng-url': 'http://127.0.0.1:9' }
  const { config } = loadConfig({ ...base, ...flags }, environment, home)
  const budget = new Budget({ ledger: createLedger(folder) })
  const parts = { budget, receipts: openReceipts(folder), onCall() {} }
  const cache = join(folder, 'cache')
  const { executor, store } = createExecutor(
    config,
    environment,
    { work: folder, cache },
    { ...parts, pages },
    () => {},
  )
  const search = (more: Partial<SearchRequest>) =>
    collect(executor.search(requestFor('How do seals swim?', more), { signal: new AbortController().signal }))
  const end = async () => {
    await executor.close()
    await store.close()
  }
  return { executor, search, read, [Symbol.asyncDispose]: end }
}

describe('the executor of a csp', () => {
  test('has breakers and a cache', async () => {
    await using it = executors({ backends: 'searxng' })
    expect((await it.executor.health()).backends.map(({ breaker }) => breaker?.state)).toEqual(['closed'])
    for (let times = 0; times < 2; times++) await it.search({})
    expect(asked).toEqual(['127.0.0.1:9'])
  })

  test.each([
    ['on', 'report', true],
    ['off', 'report', false],
    ['on', 'off', false],
  ])(
    'leaves a receipt of a written answer with receipts %s and evidence %s: %p',
    async (receipts, evidence, isLeft) => {
      await using it = executors({ backends: 'messages', receipts, evidence })
      const answer = await it.search({ want: 'answer' })
      expect([answer.text !== '', answer.receipt !== undefined]).toEqual([true, isLeft])
    },
  )

  test.each([
    [{ writers: 'messages' }, ['127.0.0.1:9', 'api.anthropic.com']],
    [{}, ['127.0.0.1:9']],
  ])('has what SearXNG finds written by the writers that are named: %j', async (writers, hosts) => {
    await using it = executors({ backends: 'searxng', ...writers })
    await it.search({ want: 'answer' })
    expect([...new Set(asked)]).toEqual(hosts)
  })

  test('reads what is to be written over', async () => {
    await using it = executors({ backends: 'searxng', writers: 'messages', excerpts: 'pages', evidence: 'off' })
    await it.search({ want: 'answer' })
    expect(it.read).toEqual(['https://a.example/'])
  })

  test('has texts without a search written by the writers that are named', async () => {
    await using it = executors({ backends: 'searxng', writers: 'messages' })
    expect((await it.search({ want: 'text' })).text).toContain('Sandbox answer')
    expect(new Set(asked)).toEqual(new Set(['api.anthropic.com']))
  })
})
