import { expect, jest, spyOn, test } from 'bun:test'
import { createHomeApp } from '../../../../src/app.ts'
import type { SearchEvent } from '../../../../src/domain/search.ts'
import { remote } from '../../../../src/executor/backends/remote/remote.ts'
import type { SearchContext, SearchTrace } from '../../../../src/executor/executor.ts'
import type { Fetcher } from '../../../../src/executor/wire/fetcher.ts'
import { urlFetcher } from '../../../../src/executor/wire/fetcher.ts'
import { failureOf } from '../../../support/failure-of.ts'
import { requestFor } from '../../../support/fake-executor.ts'
import { answered, scriptedExecutor } from '../../../support/scripted-executor.ts'

const done = '{"type":"done","reason":"stop","usage":{"searches":1,"inputTokens":1,"outputTokens":1},"model":"m"}'
const toolCall = '{"type":"tool-call-start","id":"t","name":"f"}'
const start = '{"type":"search-start","id":"s","query":"q"}'
const rows = '{"type":"search-results","id":"s","results":[{"title":"T","url":"https://a.example/","source":"x"}]}'

/** A csp that answers every request so. */
function replying(response: () => Response): Fetcher {
  return { fetch: async () => response() }
}

function sending(...events: readonly string[]): Fetcher {
  const body = events.map((event) => `data: ${event}\n\n`).join('')
  return replying(() => new Response(body, { headers: { 'content-type': 'text/event-stream' } }))
}

function ask(fetcher: Fetcher, signal = new AbortController().signal): Promise<SearchEvent[]> {
  return Array.fromAsync(remote({ fetcher }).search(requestFor('q'), { signal }))
}

test('events of a remote csp are passed on unchanged', async () => {
  const app = createHomeApp({ executor: scriptedExecutor(answered), version: '1' })
  expect(await ask({ fetch: async (request) => app.fetch(request) })).toEqual([...answered])
})

test('comments, unknown fields and events of unknown types are skipped', async () => {
  const body = `: ping\n\nevent: x\nid: 4\ndata: {"type":"weather","is":"fine"}\n\ndata: ${start}\n\ndata:${done}\n\n`
  const events = await ask(replying(() => new Response(body, { headers: { 'content-type': 'text/event-stream' } })))
  expect(events.map(({ type }) => type)).toEqual(['search-start', 'done'])
})

test('an event may come in pieces of any size', async () => {
  const bytes = new TextEncoder().encode(`data: {"type":"text-delta","text":"ä🙂"}\n\ndata: ${done}\n\n`)
  const body = () =>
    new ReadableStream({
      start(controller) {
        for (const byte of bytes) controller.enqueue(new Uint8Array([byte]))
        controller.close()
      },
    })
  const events = await ask(replying(() => new Response(body(), { headers: { 'content-type': 'text/event-stream' } })))
  expect(events[0]).toEqual({ type: 'text-delta', text: 'ä🙂' })
})

test.each([
  ['no JSON', ['{']],
  ['no event', ['"done"']],
  ['an event without its fields', ['{"type":"text-delta"}']],
  ['a page of another scheme', [start, rows.replace('https:', 'javascript:')]],
  ['rows of a search that never started', [rows]],
  ['a search that starts twice', [start, start]],
  [
    'a citation of no source',
    [start, rows, '{"type":"text-delta","text":"[2]"}', citation(2, 'https://a.example/', 0, 3)],
  ],
  [
    'a citation of another page',
    [start, rows, '{"type":"text-delta","text":"[1]"}', citation(1, 'https://b.example/', 0, 3)],
  ],
  [
    'a citation that spans no marker',
    [start, rows, '{"type":"text-delta","text":"a[1]"}', citation(1, 'https://a.example/', 0, 3)],
  ],
  ['a late cache event', [start, '{"type":"cache","status":"hit","ageSeconds":1}']],
  ['a late backend', [start, '{"type":"backend","name":"x"}']],
  ['a tool call that never started', ['{"type":"tool-call-delta","id":"t","arguments":"{}"}']],
  ['a tool call that starts twice', [toolCall, toolCall]],
  ['something after its end', [done, start]],
])('a remote stream with %s breaks the contract', async (_, events) => {
  const failure = await failureOf(ask(sending(...events)))
  expect(failure.code).toBe('failed')
  expect(failure.message).toStartWith('remote sent ')
})

test('a tool call that has begun has arguments', async () => {
  const events = await ask(sending(toolCall, '{"type":"tool-call-delta","id":"t","arguments":"{}"}', done))
  expect(events.map(({ type }) => type)).toEqual(['tool-call-start', 'tool-call-delta', 'done'])
})

function citation(number: number, url: string, begin: number, end: number): string {
  return JSON.stringify({ type: 'citation', citation: { number, url, title: 'T', start: begin, end } })
}

test.each([401, 403])(
  'a remote csp that refuses our key with %i is signed out, whatever its error says',
  async (status) => {
    const told = Response.json({ type: 'error', code: 'failed', message: 'Wrong key of the caller.' }, { status })
    for (const response of [new Response('', { status }), told]) {
      const failure = await failureOf(ask(replying(() => response)))
      expect(failure).toMatchObject({ code: 'signed-out', message: 'remote refuses the key of this csp.' })
    }
  },
)

test('an event without an end fails the search', async () => {
  const chunk = new TextEncoder().encode('x'.repeat(1024 * 1024))
  let made = 0
  const endless = () =>
    new ReadableStream({
      pull(controller) {
        made += 1
        controller.enqueue(chunk)
      },
    })
  const fetcher = replying(() => new Response(endless(), { headers: { 'content-type': 'text/event-stream' } }))
  expect((await failureOf(ask(fetcher))).code).toBe('failed')
  expect(made).toBeLessThan(20)
})

test('a remote stream that ends too early, or breaks, makes the remote csp unavailable', async () => {
  expect((await failureOf(ask(sending(start)))).code).toBe('unavailable')
  const broken = () =>
    new ReadableStream({
      pull(controller) {
        controller.error(new Error('reset'))
      },
    })
  const fetcher = replying(() => new Response(broken(), { headers: { 'content-type': 'text/event-stream' } }))
  expect((await failureOf(ask(fetcher))).code).toBe('unavailable')
})

test('the end of a remote stream that does not come is not waited for', async () => {
  let isCancelled = false
  const endless = () =>
    new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode(`data: ${done}\n\n`)),
      cancel() {
        isCancelled = true
      },
    })
  const fetcher = replying(() => new Response(endless(), { headers: { 'content-type': 'text/event-stream' } }))
  jest.useFakeTimers()
  try {
    const { signal } = new AbortController()
    const events = remote({ fetcher }).search(requestFor('q'), { signal })[Symbol.asyncIterator]()
    expect((await events.next()).value).toMatchObject({ type: 'done' })
    const end = events.next()
    jest.advanceTimersByTime(999)
    expect(isCancelled).toBe(false)
    jest.advanceTimersByTime(1)
    expect(await end).toMatchObject({ done: true })
    expect(isCancelled).toBe(true)
  } finally {
    jest.useRealTimers()
  }
})

test.each([
  [429, { type: 'error', code: 'rate-limited', message: 'Later.', retryAfterSeconds: 77 }, 'rate-limited', 77],
  [429, { type: 'error', code: 'busy', message: 'Later.', retryAfterSeconds: 2 }, 'busy', 2],
  [503, { type: 'error', code: 'signed-out', message: 'Sign in.' }, 'signed-out', undefined],
  [502, { type: 'error', code: 'ungrounded', message: 'Nothing.' }, 'ungrounded', undefined],
  [504, { type: 'error', code: 'timeout', message: 'Too long.' }, 'timeout', undefined],
  [400, { type: 'error', code: 'invalid-request', message: 'query: Field required.' }, 'invalid-request', undefined],
  [499, { type: 'error', code: 'cancelled', message: 'Cancelled.' }, 'unavailable', undefined],
  [500, { type: 'error', code: 'a-new-one', message: 'New.' }, 'failed', undefined],
  [401, { type: 'error', code: 'unauthorized', message: 'The key is wrong.' }, 'signed-out', undefined],
  [404, { error: 'not found' }, 'unavailable', undefined],
  [429, 'slow down', 'rate-limited', undefined],
  [502, '<html>', 'unavailable', undefined],
  [302, '', 'unavailable', undefined],
  [200, 'hello', 'unavailable', undefined],
])('status %d with %p is %s', async (status, body, code, retryAfterSeconds) => {
  const failure = await failureOf(ask(replying(() => Response.json(body, { status }))))
  expect<string>(failure.code).toBe(code)
  expect(failure.retryAfterSeconds).toBe(retryAfterSeconds)
  if (typeof body === 'object' && 'message' in body && status !== 401) expect(failure.message).toBe(body.message ?? '')
})

test('an error text of a remote csp is bounded and shown without control characters', async () => {
  const long = JSON.stringify({ type: 'error', code: 'failed', message: 'x'.repeat(100_000) })
  expect((await failureOf(ask(replying(() => new Response(long, { status: 500 }))))).message).toContain('status 500')
  const odd = { type: 'error', code: 'failed', message: '\x1b[31mred\n' }
  expect((await failureOf(ask(replying(() => Response.json(odd, { status: 500 }))))).message).toBe(' [31mred ')
})

test('a request by URL has the key, keeps the path prefix and follows no redirect to another host', async () => {
  const seen: unknown[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      const { pathname } = new URL(request.url)
      seen.push([request.method, pathname, request.headers.get('authorization'), request.headers.get('cache-control')])
      return pathname.startsWith('/base') ? Response.redirect('http://127.0.0.1:9/', 307) : new Response()
    },
  })
  const executor = remote({ fetcher: urlFetcher(`${server.url.origin}/base/`, 'a-key') })
  const { signal } = new AbortController()
  const events = Array.fromAsync(executor.search(requestFor('q'), { signal, cache: 'no-store', caller: 'me' }))
  expect((await failureOf(events)).code).toBe('unavailable')
  expect(seen).toEqual([['POST', '/base/execute', 'Bearer a-key', 'no-store']])
  await server.stop(true)
})

test('an address where nothing listens is unavailable', async () => {
  expect((await failureOf(ask(urlFetcher('http://127.0.0.1:9')))).code).toBe('unavailable')
})

test.each([
  [
    { status: 'ok', version: '2.0.0', backends: [{ name: 'claude', ready: true }] },
    { ready: true, version: '2.0.0' },
  ],
  [
    { status: 'down', version: '2.0.0', backends: [{ name: 'claude', ready: false, problem: 'Sign in.' }] },
    { ready: false, problem: 'Sign in.', version: '2.0.0' },
  ],
  // Its gateway works, its searches do not.
  [{ status: 'degraded', ready: false, backends: [{ name: 'claude', ready: false }] }, { ready: false }],
  [{ status: 'ok' }, { ready: false, problem: 'It refuses the key of this csp.' }],
  [{ hello: 'world' }, { ready: false, problem: 'That server is not csp.' }],
])('the health of a remote csp is read from %p', async (body, expected) => {
  const { ready, backends } = await remote({ fetcher: replying(() => Response.json(body)), name: 'far' }).health()
  expect(ready).toBe(expected.ready)
  expect(backends).toEqual([{ name: 'far', ...expected }])
})

test('the health of a remote csp is down when nothing answers', async () => {
  const { ready } = await remote({ fetcher: urlFetcher('http://127.0.0.1:9') }).health()
  expect(ready).toBe(false)
})

test('the health of a remote csp is waited for as long as three seconds', async () => {
  const { timeout } = AbortSignal
  const limited = spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout.call(AbortSignal, 0))
  try {
    const fetcher: Fetcher = {
      fetch: ({ signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true })),
    }
    expect(await remote({ fetcher }).health()).toEqual({
      ready: false,
      backends: [{ name: 'remote', ready: false, problem: 'It cannot be reached.' }],
    })
    expect(limited.mock.calls).toEqual([[3000]])
  } finally {
    limited.mockRestore()
  }
})

test('a request has just the headers that its context gives, percent-encoded where that is needed', async () => {
  const headersOf = async (context: Partial<SearchContext>) => {
    let seen: Record<string, string> = {}
    const fetcher: Fetcher = {
      async fetch(request) {
        seen = Object.fromEntries(request.headers)
        return new Response(`data: ${done}\n\n`, { headers: { 'content-type': 'text/event-stream' } })
      },
    }
    const { signal } = new AbortController()
    await Array.fromAsync(remote({ fetcher }).search(requestFor('q'), { signal, ...context }))
    return seen
  }
  const common = { accept: 'text/event-stream', 'content-type': 'application/json' }
  expect(await headersOf({})).toEqual(common)
  expect(await headersOf({ cache: 'default', isWhole: false, trace: {} as SearchTrace })).toEqual(common)
  const trace = { id: 'r1', traceparent: '00-1-2-01' } as SearchTrace
  expect(await headersOf({ cache: 'no-cache', caller: 'Zoë', isWhole: true, trace })).toEqual({
    ...common,
    'cache-control': 'no-cache',
    'x-request-id': 'r1',
    traceparent: '00-1-2-01',
    'x-csp-whole': '1',
    'x-csp-caller': 'Zo%C3%AB',
  })
})

test('the log hears which model writes there, if its name is one', async () => {
  for (const [name, isName] of [
    ['sonnet', true],
    ['<script>', false],
    [undefined, false],
  ] as const) {
    const heard: string[] = []
    const trace = { defaultModel: (model: string) => heard.push(model) } as unknown as SearchTrace
    const headers = { 'content-type': 'text/event-stream', ...(name && { 'x-csp-model': name }) }
    const fetcher = replying(() => new Response(`data: ${done}\n\n`, { headers }))
    const { signal } = new AbortController()
    await Array.fromAsync(remote({ fetcher }).search(requestFor('q'), { signal, trace }))
    expect(heard).toEqual(isName ? [name] : [])
  }
})

test('another csp judges no claims', () => {
  const supports = (rest: object) => remote({ fetcher: sending() }).supports?.(requestFor('q', rest))
  expect([{}, { claims: [] }].map(supports)).toEqual([true, false])
})

test('a closed backend asks nothing, and neither does one whose caller has left; what runs ends with its close', async () => {
  let asked = 0
  let cancelled = 0
  const stream = () =>
    new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode(`data: ${start}\n\n`)),
      cancel: () => void cancelled++,
    })
  const fetcher: Fetcher = {
    async fetch() {
      asked++
      return new Response(stream(), { headers: { 'content-type': 'text/event-stream' } })
    },
  }
  const executor = remote({ fetcher, name: 'far' })
  const search = (signal = new AbortController().signal) =>
    Array.fromAsync(executor.search(requestFor('q'), { signal }))
  expect((await failureOf(search(AbortSignal.abort()))).code).toBe('cancelled')
  expect(asked).toBe(0)
  const caller = new AbortController()
  const [left, closed] = [failureOf(search(caller.signal)), failureOf(search())]
  while (asked < 2) await Bun.sleep(0)
  caller.abort()
  expect((await left).code).toBe('cancelled')
  await executor.close()
  expect(await closed).toMatchObject({ code: 'unavailable', message: 'far is closed.' })
  expect(cancelled).toBe(2)
  expect(await failureOf(search())).toMatchObject({ code: 'unavailable', message: 'far is closed.' })
  expect(asked).toBe(2)
})

test('a request that is cancelled before its reply comes is no failure of the other csp', async () => {
  const caller = new AbortController()
  const fetcher: Fetcher = {
    async fetch() {
      caller.abort()
      throw new Error('aborted')
    },
  }
  expect((await failureOf(ask(fetcher, caller.signal))).code).toBe('cancelled')
})

test('evidence comes without its disguises, and an answer without evidence as it is', async () => {
  const sentence = 'Seals h\u200bttps://evil.example/p sleep.'
  const evidence = [{ sentence, start: 0, end: 5, verdict: 'found', score: 1, sources: [1] }]
  const [guarded] = await ask(sending(JSON.stringify({ ...JSON.parse(done), evidence })))
  expect(guarded?.type === 'done' && guarded.evidence?.[0]?.sentence).toBe('Seals https://. sleep.')
  expect(await ask(sending(done))).toEqual([JSON.parse(done)])
})

test('a stream that breaks behind its end, or is no stream, is told apart', async () => {
  const broken = () => {
    let pulls = 0
    return new ReadableStream({
      pull(controller) {
        if (pulls++ === 0) controller.enqueue(new TextEncoder().encode(`data: ${done}\n\n`))
        else controller.error(new Error('reset'))
      },
    })
  }
  const headers = { 'content-type': 'text/event-stream' }
  expect((await failureOf(ask(replying(() => new Response(broken(), { headers }))))).message).toContain('was lost')
  expect(
    (await failureOf(ask(replying(() => new Response('{}', { headers: { 'content-type': 'x' } }))))).message,
  ).toContain('not a csp that can be searched')
  expect((await failureOf(ask(replying(() => new Response(null, { headers }))))).message).toContain('not a csp')
})
