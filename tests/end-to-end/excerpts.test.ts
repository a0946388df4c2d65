import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type Deferred, deferred } from '@csp/lib/deferred'
import { eventually } from '@csp/testing/eventually'
import { startSandbox } from '../../packages/sandbox/test/support/sandbox.ts'
import { startCsp } from '../support/csp-process.ts'
import { startPageSite } from '../support/page-site.ts'

// A sandbox whose searches find the pages of a loopback site.

/** Holds the pages back until it is resolved. */
let gate: Deferred<void> = deferred()
const site = startPageSite({ before: () => gate.promise })
const standIn = startSandbox({ resultCount: 2, sites: [site.origin] })
const allow = ['--rate', '0', '--answers', 'pages', '--pages-allow', `127.0.0.1:${site.port}`]
const csp = await startCsp({ standInUrl: standIn.url, flags: [...allow, '--excerpts', 'pages', '--warm-up', 'on'] })

// A list leaves a page alone for ten minutes that took five seconds, as the first one may on a busy machine.
beforeAll(async () => {
  gate.resolve()
  const body = JSON.stringify({ urls: [`${site.origin}/first`] })
  await eventually(async () => {
    const reply = await fetch(`${csp.url}/exa/contents`, { method: 'POST', body })
    return (await reply.text()).includes('They dive for ten minutes.')
  })
})

beforeEach(() => {
  gate = deferred()
  gate.resolve()
})

afterAll(async () => {
  await csp.stop()
  await Promise.all([standIn.stop(), site.stop()])
})

interface Row {
  readonly url: string
  readonly snippet: string
  readonly published_date: string | null
}

async function list(query: string, init: RequestInit = {}, url = csp.url) {
  const response = await fetch(`${url}/v1/search?q=${encodeURIComponent(query)}`, init)
  const { results } = (await response.json()) as { readonly results: readonly Row[] }
  return { results, cache: response.headers.get('x-cache') }
}

const calls = () => standIn.sandbox.stats().calls
const wanted = /^Harbour seals rest on the sandbank of .* They dive for ten minutes\.$/

describe('a list with excerpts from pages', () => {
  test('has what its pages say of the query, and their dates, while the model writes one word', async () => {
    // On a busy machine a page may come too late for the first list.
    let results: readonly Row[] = []
    await eventually(async () => {
      ;({ results } = await list('where harbour seals rest'))
      return results.every(({ snippet }) => snippet)
    })
    expect(results).toHaveLength(2)
    for (const row of results)
      expect(row).toMatchObject({ snippet: expect.stringMatching(wanted), published_date: '2026-03-04' })
    expect(JSON.stringify(standIn.sandbox.requests().at(-1))).toContain('one word')
  })

  test('has no excerpt of a page that is late; the next equal request has it, and costs no search', async () => {
    gate = deferred()
    const early = await list('late harbour seals')
    expect(early.results.map(({ snippet }) => snippet)).toEqual(['', ''])
    const before = calls()
    gate.resolve()
    await eventually(async () =>
      (await list('late harbour seals')).results.every(({ snippet }) => wanted.test(snippet)),
    )
    expect(calls()).toBe(before)
    expect((await list('late harbour seals')).cache).toBe('hit')
  })

  test('is given up when the caller leaves, and read when it is asked for again', async () => {
    gate = deferred()
    const caller = new AbortController()
    const before = site.asked.length
    const { abandoned } = site
    const gone = list('harbour seals of a caller who leaves', { signal: caller.signal }).catch(() => 'gone')
    await eventually(() => site.asked.length >= before + 2)
    caller.abort()
    expect(await gone).toBe('gone')
    await eventually(() => site.abandoned >= abandoned + 2)
    gate.resolve()
    const { results } = await list('harbour seals of a caller who leaves')
    for (const { snippet } of results) expect(snippet).toMatch(wanted)
  })

  test('leaves out a page that proves to be older than what was asked for', async () => {
    const response = await fetch(`${csp.url}/v1/search?q=harbour+seals+lately&freshness=pd`)
    expect(await response.json()).toMatchObject({ results: [] })
  })

  test('comes from the model where the caller asks for lines, and reads no page', async () => {
    const before = site.asked.length
    const { results } = await list('harbour seals in lines', { headers: { 'x-csp-excerpts': 'lines' } })
    expect(results[0]?.snippet).toMatch(/invented/)
    expect(site.asked).toHaveLength(before)
  })
})

test('an answer is written over passages of its pages, while the search call writes one word', async () => {
  const before = calls()
  const body = { model: 'sonar-pro', messages: [{ role: 'user', content: 'where do harbour seals rest and dive' }] }
  const response = await fetch(`${csp.url}/chat/completions`, { method: 'POST', body: JSON.stringify(body) })
  const { search_results, choices, evidence } = (await response.json()) as {
    readonly evidence: readonly unknown[]
    readonly search_results: readonly { readonly snippet: string; readonly date: string }[]
    readonly choices: readonly { readonly message: { readonly content: string } }[]
  }
  expect(choices[0]?.message.content).toContain('[1]')
  expect(search_results).toHaveLength(2)
  for (const { snippet, date } of search_results) {
    expect(snippet).toMatch(wanted)
    expect(date).toBe('2026-03-04')
  }
  expect(calls()).toBe(before + 2)
  // The invented sentences were written over these pages, and each was compared with the one that it cites.
  expect(response.headers.get('x-csp-evidence')).toMatch(/^found=\d+ partly=\d+ not-found=\d+ not-read=0$/)
  expect(evidence.length).toBeGreaterThan(0)
  const [search, write] = standIn.sandbox.requests().slice(-2)
  expect(JSON.stringify(search)).toContain('one word')
  expect(JSON.stringify(write?.body.messages)).toContain('They dive for ten minutes.')
})

test('a csp that may read no pages has excerpts from the model, also where the caller asks for pages', async () => {
  const other = await startCsp({
    standInUrl: standIn.url,
    flags: [...allow, '--pages', 'off'],
    environment: { CSP_EXCERPTS: 'auto' },
  })
  try {
    const { results } = await list('harbour seals', { headers: { 'x-csp-excerpts': 'pages' } }, other.url)
    expect(results[0]?.snippet).toMatch(/invented/)
  } finally {
    await other.stop()
  }
})
