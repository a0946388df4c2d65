import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { eventually } from '@csp/testing/eventually'
import { type RunningSandbox, startSandbox } from '../../packages/sandbox/test/support/sandbox.ts'
import { type CspProcess, oneSearchServer, startCsp } from '../support/csp-process.ts'
import { descendantsOf, killListed } from '../support/processes.ts'
import { signIn } from '../support/sign-in.ts'

// How csp bears what does not pass by itself: over HTTP.

const hourMs = 3_600_000

test('a usage limit is learned once: until it ends every client hears of it at once, and no CLI is asked', async () => {
  const resetsAt = new Date(Math.ceil(Date.now() / hourMs + 1) * hourMs)
  await using up = await start({ flags: ['--rate', '0'], limitResetsAt: resetsAt })
  const { csp, standIn } = up
  standIn.sandbox.configure({ scenario: 'error-429' })
  const firstAt = Date.now()
  const first = await chat(csp, { model: 'sonar', question: 'bees' })
  const learnedMs = Date.now() - firstAt
  const learned = standIn.sandbox.stats().calls
  expect(first.status).toBe(429)
  expect(learned).toBeGreaterThan(0)
  standIn.sandbox.configure({ scenario: 'ok' })
  for (const ask of [
    () => fetch(`${csp.url}/res/v1/web/search?q=wasps`),
    () => post(csp, '/search', { query: 'wasps' }),
    () => chat(csp, { model: 'sonar', question: 'wasps' }),
    () => chat(csp, { model: 'sonar-reasoning-pro', question: 'wasps', stream: true }),
    () => chat(csp, { model: 'sonnet', question: 'wasps' }),
  ]) {
    const askedAt = Date.now()
    const reply = await ask()
    const repliedAt = Date.now()
    expect(reply.status).toBe(429)
    expect(await reply.json()).toHaveProperty('error')
    // The CLI gives the time to the minute, and the header has whole seconds. They count from when the limit was learned.
    const waitMs = Number(reply.headers.get('retry-after')) * 1000
    expect(waitMs).toBeGreaterThan(resetsAt.getTime() - repliedAt - 62_000)
    expect(waitMs).toBeLessThan(resetsAt.getTime() - askedAt + 62_000 + learnedMs)
    expect(reply.headers.get('x-should-retry')).toBe('false')
  }
  expect(standIn.sandbox.stats().calls).toBe(learned)
  const health = await fetch(`${csp.url}/health`)
  expect(health.status).toBe(503)
  const { backends } = await health.json()
  expect(backends[0]).toMatchObject({ ready: false, breaker: { state: 'open', retry_at: expect.any(String) } })
})

test('while the only backend is at its limit, what was seen before answers, marked as such', async () => {
  await using up = await start({
    flags: ['--rate', '0'],
    environment: { CSP_MEMORY: 'on' },
    limitResetsAt: new Date(Date.now() + hourMs),
  })
  const { csp, standIn } = up
  const list = (query: string, headers: Record<string, string> = {}) =>
    fetch(`${csp.url}/res/v1/web/search?q=${encodeURIComponent(query)}`, { headers })
  expect((await list('harbour seals')).headers.get('x-csp-backend')).toBe('claude')
  standIn.sandbox.configure({ scenario: 'error-429' })
  await eventually(async () => (await list('seals', { 'x-csp-backend': 'memory' })).headers.has('x-csp-seen'))
  const calls = standIn.sandbox.stats().calls

  const reply = await list('pups of harbour seals')
  expect(reply.status).toBe(200)
  const today = new Date().toISOString().slice(0, 10)
  expect(Object.fromEntries(reply.headers)).toMatchObject({
    ...{ 'x-csp-backend': 'memory', 'x-cache': 'stale', 'x-csp-stale-reason': 'rate-limited' },
    'x-csp-seen': expect.stringContaining(today),
  })
  const { web } = await reply.json()
  expect(web.results[0]).toMatchObject({ page_fetched: expect.stringContaining(today) })
  const written = await chat(csp, { model: 'sonar', question: 'where do harbour seals rest?' })
  const { choices } = await written.json()
  expect(choices[0].message.content).toStartWith(
    'From memory, without a new search: excerpts of pages as csp saw them on ',
  )

  expect((await list('harbour seals', { 'cache-control': 'no-cache' })).status).toBe(429)
  expect((await list('tax law of Liechtenstein')).status).toBe(429)
  const unknown = await list('harbour seals', { 'x-csp-backend': 'brave' })
  expect([unknown.status, await unknown.text()]).toEqual([
    422,
    expect.stringContaining('x-csp-backend: Input should be memory') as unknown as string,
  ])
  expect(standIn.sandbox.stats().calls - calls).toBeLessThan(20)
  const health = await (await fetch(`${csp.url}/health`)).json()
  expect(health.memory.pages).toBeGreaterThan(0)
})

test('while one backend is at its limit the next one answers, and the reply says so', async () => {
  await using searxng = serveSearxng(() => 200)
  const flags = ['--rate', '0', '--backends', 'claude,searxng', '--searxng-url', searxng.url]
  await using up = await start({ flags })
  const { csp, standIn } = up
  standIn.sandbox.configure({ scenario: 'error-429' })
  const callsAfter: number[] = []
  for (const query of ['bees', 'wasps']) {
    const reply = await post(csp, '/search', { query })
    expect([reply.status, reply.headers.get('x-csp-backend')]).toEqual([200, 'searxng'])
    expect((await reply.json()).results).toEqual([expect.objectContaining({ url: 'https://bees.example/' })])
    callsAfter.push(standIn.sandbox.stats().calls)
  }
  expect(callsAfter[1]).toBe(callsAfter[0])
  const health = await fetch(`${csp.url}/health`)
  expect(health.status).toBe(200)
  expect(await health.json()).toMatchObject({
    status: 'degraded',
    backends: [
      { name: 'claude', ready: false, breaker: { state: 'open' }, queue: { running: 0 } },
      { name: 'searxng', ready: true, breaker: { state: 'closed' } },
    ],
  })
  // Plain text is no search: only Claude can write it, so its limit is what the caller hears.
  const chatReply = await post(csp, '/v1/chat/completions', {
    model: 'sonnet',
    disable_search: true,
    messages: [{ role: 'user', content: 'hello' }],
  })
  expect(chatReply.status).toBe(429)
})

test('whoever signs in can search within seconds, however often it was tried before', async () => {
  await using up = await start({
    flags: ['--rate', '0'],
    environment: { CLAUDE_CODE_OAUTH_TOKEN: '' },
  })
  const { csp } = up
  // Each failure ends the CLIs, so those of the four at a time have one. The last two find the breaker open.
  for (const queries of [['bees'], ['wasps', 'ants', 'flies', 'moths'], ['bees'], ['bees']]) {
    for (const reply of await Promise.all(queries.map((query) => post(csp, '/search', { query })))) {
      expect([reply.status, await reply.text()]).toEqual([503, expect.stringContaining('csp login')])
    }
  }
  const { backends } = await (await fetch(`${csp.url}/health`)).json()
  expect(backends[0].breaker).toMatchObject({ state: 'open', failures: 5 })
  signIn(csp.home)
  await eventually(async () => (await post(csp, '/search', { query: 'bees' })).status === 200, 15_000)
})

test('where no search can be made an older answer is served, and marked as what it is', async () => {
  // Which backend fails is all the same, so it is one that costs nothing.
  let status = 200
  await using searxng = serveSearxng(() => status)
  const backend = ['--backends', 'searxng', '--searxng-url', searxng.url]
  await using up = await start({ flags: ['--rate', '0', '--cache-ttl', '1', ...backend] })
  const { csp } = up
  const ask = (headers = {}) => fetch(`${csp.url}/res/v1/web/search?q=bees`, { headers })
  const fresh = await ask()
  expect([fresh.status, fresh.headers.get('x-cache')]).toEqual([200, 'miss'])
  const body = await fresh.json()
  status = 429
  await eventually(async () => (await ask()).headers.has('x-csp-stale-reason'))
  const stale = await ask()
  expect(stale.status).toBe(200)
  expect(stale.headers.get('x-cache')).toBe('stale')
  expect(stale.headers.get('x-csp-stale-reason')).toBe('rate-limited')
  expect(Number(stale.headers.get('age'))).toBeGreaterThan(0)
  expect(stale.headers.get('x-csp-backend')).toBe('searxng')
  expect((await stale.json()).web.results).toEqual(body.web.results)
  expect((await ask({ 'cache-control': 'no-cache' })).status).toBe(429)
})

describe('a csp that is asked by many', () => {
  let up: Started
  let csp: CspProcess
  let standIn: RunningSandbox
  beforeAll(async () => {
    const flags = ['--rate', '0', '--cache-ttl', '0', '--concurrency', '8']
    up = await start({ flags: [...flags, ...oneSearchServer] })
    csp = up.csp
    standIn = up.standIn
  })
  beforeEach(() => standIn.sandbox.reset())
  afterAll(() => up[Symbol.asyncDispose]())

  test('one "too many requests" of the search tool is tried again, and the caller gets its rows', async () => {
    standIn.sandbox.configure({ scenario: [{ scenario: 'search-too-many-requests', times: 1 }] })
    const reply = await post(csp, '/search', { query: 'bees' })
    expect([reply.status, (await reply.json()).results.length]).toEqual([200, 8])
    expect(standIn.sandbox.stats().calls).toBe(2)
  })

  test('"too many requests" of the search tool fails one search after two tries, and shuts out nobody else', async () => {
    standIn.sandbox.configure({ scenario: [{ scenario: 'search-too-many-requests', times: 2 }] })
    const first = await post(csp, '/search', { query: 'bees' })
    expect([first.status, first.headers.get('retry-after')]).toEqual([503, '2'])
    const { backends } = await (await fetch(`${csp.url}/health`)).json()
    expect(backends[0].breaker).toMatchObject({ state: 'closed', failures: 1 })
    expect((await post(csp, '/search', { query: 'wasps' })).status).toBe(200)
  })

  test('warm processes that are killed are missed by nobody, not even by the next request', async () => {
    const asks = ['sonar', 'sonar-pro', 'sonar-reasoning-pro'].map(
      (model) => () => chat(csp, { model, question: 'bees' }),
    )
    for (const ask of asks) expect((await ask()).status).toBe(200)
    for (const ask of asks) {
      for (const pid of clisOf(csp)) killListed(pid)
      expect((await ask()).status).toBe(200)
    }
  })

  test('a hundred callers at once, a third of whom leave: each of the others is served, and nothing goes on', async () => {
    const callers = Array.from({ length: 100 }, (_, index) => {
      const leave = new AbortController()
      const asked = fetch(`${csp.url}/search`, {
        method: 'POST',
        body: JSON.stringify({ query: `subject ${index}` }),
        signal: leave.signal,
      })
      const end = asked.then(
        async (reply) => [reply.status, (await reply.text()).includes(`subject ${index}`)],
        () => ['left', index % 3 === 2],
      )
      return { index, leave, end }
    })
    await standIn.sandbox.until(({ calls }) => calls > 0)
    for (const { index, leave } of callers) if (index % 3 === 2) leave.abort()
    const ends = await Promise.all(callers.map(({ end }) => end))
    const stayed = ends.filter((_, index) => index % 3 !== 2)
    expect(stayed).toEqual(stayed.map(() => [200, true]))
    await standIn.sandbox.until(({ open }) => open === 0)
    const { queue } = await (await fetch(`${csp.url}/health`)).json()
    expect(queue).toMatchObject({ running: 0, waiting: 0, callers: 0, estimated_wait_seconds: 0 })
  })

  test('when the limit has ended, searches work again', async () => {
    // Asked of an agent, since the CLI tells it the end of the limit to the second.
    const ask = (question = 'bees') => chat(csp, { model: 'sonar-reasoning-pro', question })
    // So that the agent is up, and its start takes nothing of the eight seconds.
    expect((await ask('wasps')).status).toBe(200)
    const resetsAt = new Date(Date.now() + 8000)
    standIn.sandbox.configure({ scenario: 'error-429', limitResetsAt: resetsAt })
    const first = await ask()
    expect(first.status).toBe(429)
    expect(Number(first.headers.get('retry-after'))).toBeLessThanOrEqual(8)
    standIn.sandbox.configure({ scenario: 'ok' })
    const second = await ask()
    if (Date.now() < resetsAt.getTime()) expect(second.status).toBe(429)
    await eventually(async () => (await ask()).status === 200, 60_000)
    expect(Date.now()).toBeGreaterThanOrEqual(resetsAt.getTime() - 1000)
  })
})

interface Started extends AsyncDisposable {
  readonly csp: CspProcess
  readonly standIn: RunningSandbox
}

/** A SearXNG that finds one page, or answers with another status than 200. */
function serveSearxng(status: () => number) {
  const results = [{ url: 'https://bees.example/', title: 'Bees', content: 'All about bees.' }]
  const answer = () => Response.json({ results: status() === 200 ? results : [] }, { status: status() })
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: answer })
  return { url: `http://127.0.0.1:${server.port}`, [Symbol.asyncDispose]: () => server.stop(true) }
}

interface StartOptions {
  readonly flags: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly limitResetsAt?: Date
}

async function start({ flags, environment, limitResetsAt }: StartOptions): Promise<Started> {
  const standIn = startSandbox({ limitResetsAt })
  const csp = await startCsp({ standInUrl: standIn.url, flags, environment })
  const stop = async () => {
    await csp.stop()
    await standIn.stop()
  }
  return { csp, standIn, [Symbol.asyncDispose]: stop }
}

function post(csp: CspProcess, path: string, body: unknown): Promise<Response> {
  return fetch(`${csp.url}${path}`, { method: 'POST', body: JSON.stringify(body) })
}

interface Chat {
  readonly model: string
  readonly question: string
  readonly stream?: boolean
}

function chat(csp: CspProcess, { model, question, stream = false }: Chat): Promise<Response> {
  return post(csp, '/v1/chat/completions', { model, stream, messages: [{ role: 'user', content: question }] })
}

/** The CLIs below a csp: its launcher's child started them. */
function clisOf({ pid }: CspProcess): readonly number[] {
  const all = descendantsOf(pid)
  const children = (of: number) => all.filter(({ parent }) => parent === of).map((child) => child.pid)
  return children(pid).flatMap(children)
}
