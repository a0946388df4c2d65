import { afterEach, describe, expect, spyOn, test } from 'bun:test'
import { utcMomentOf } from '@csp/lib/times'
import type { RequestLog } from '../../../src/api/exchange/request-log.ts'
import { createApp } from '../../../src/app.ts'
import { SearchError } from '../../../src/domain/error.ts'
import type { BackendHealth, ExecutorHealth } from '../../../src/domain/health.ts'
import { Breaker } from '../../../src/executor/layers/resilience/breaker.ts'
import { edgeLog } from '../../../src/runtime/cloudflare/environment.ts'
import { reportHealth } from '../../../src/runtime/log/health-log.ts'
import { createLog, isLogged, type Log } from '../../../src/runtime/log/log.ts'
import { logUpstreamCall, requestLog } from '../../../src/runtime/log/request-log.ts'
import { found, scriptedExecutor } from '../../support/scripted-executor.ts'

function recorder() {
  const lines: string[] = []
  const properties: unknown[] = []
  const log: Log = (level, message, more) => {
    lines.push(`${level} ${message}`)
    properties.push(more)
  }
  return { lines, properties, log }
}

const entry: RequestLog = { id: 'id-1', method: 'GET', path: '/search', dialect: 'csp', status: 200, ms: 7 }

describe('the log entry of a request', () => {
  test.each([
    [{}, 'info GET /search 200 7ms id=id-1'],
    [{ path: '/health', status: 503 }, 'debug GET /health 503 7ms id=id-1'],
    [{ path: '/v1/health/live' }, 'debug GET /v1/health/live 200 7ms id=id-1'],
    // One view of the page asks for a dozen files.
    [{ path: '/' }, 'debug GET / 200 7ms id=id-1'],
    [{ path: '/page/main.js' }, 'debug GET /page/main.js 200 7ms id=id-1'],
    [{ path: '/', method: 'POST' }, 'info POST / 200 7ms id=id-1'],
    [{ path: '/healthy', status: 404, code: 'not-found' }, 'info GET /healthy 404 7ms code=not-found id=id-1'],
    [{ status: 429, code: 'busy' }, 'info GET /search 429 7ms code=busy id=id-1'],
    [{ code: 'cancelled' }, 'info GET /search 200 7ms code=cancelled id=id-1'],
    [{ code: 'timeout', failure: { message: 'Slow.' } }, 'warning GET /search 200 7ms code=timeout id=id-1: Slow.'],
    [
      { status: 500, code: 'failed', failure: { message: 'It failed.', fault: 'TypeError at a.ts:1:1' } },
      'error GET /search 500 7ms code=failed id=id-1: TypeError at a.ts:1:1',
    ],
    [{ status: 499 }, 'info GET /search 499 7ms id=id-1'],
    [{ status: 500, failure: { message: 'Broken.' } }, 'warning GET /search 500 7ms id=id-1: Broken.'],
    [{ path: '/', status: 499 }, 'debug GET / 499 7ms id=id-1'],
    [{ path: '/', status: 500 }, 'warning GET / 500 7ms id=id-1'],
    [{ code: 'too-busy-elsewhere' as never }, 'info GET /search 200 7ms code=too-busy-elsewhere id=id-1'],
    [
      { ms: 7.5, cache: 'hit', unreadCodes: ['timeout', 'blocked'] as never },
      'info GET /search 200 8ms cache=hit unread=timeout,blocked id=id-1',
    ],
    // Such a message quotes what the caller sent.
    [
      { status: 400, code: 'invalid-request', failure: { message: 'bees: no number.' } },
      'info GET /search 400 7ms code=invalid-request id=id-1',
    ],
  ] as const)('has the right level and text for %j', (more, line) => {
    const { lines, log } = recorder()
    requestLog(log).log({ ...entry, ...more })
    expect(lines).toEqual([line])
  })

  test('has a path of bounded length', () => {
    const { lines, log, properties } = recorder()
    requestLog(log).log({ ...entry, path: `/${'x'.repeat(10_000)}` })
    expect(lines).toEqual([`info GET /${'x'.repeat(199)} 200 7ms id=id-1`])
    expect(properties).toMatchObject([{ route: `/${'x'.repeat(199)}` }])
  })

  test('has for programs what it has for people, and says how it came', () => {
    const { lines, log, properties } = recorder()
    const failure = { message: 'Slow.', fault: 'at a.ts' }
    for (const code of ['timeout', 'invalid-request'] as const)
      requestLog(log, 'tunnel').log({ ...entry, ms: 7.2, code, failure, uncached: 'no-cache' })
    const line = 'GET /search 200 7ms by tunnel'
    const uncached = 'debug No cached answer was used: no-cache id=id-1'
    expect(lines).toEqual([
      `warning ${line} code=timeout id=id-1: at a.ts`,
      uncached,
      `info ${line} code=invalid-request id=id-1`,
      uncached,
    ])
    const facts = {
      requestId: 'id-1',
      route: '/search',
      method: 'GET',
      dialect: 'csp',
      status: 200,
      ms: 7,
      through: 'tunnel',
    }
    expect(properties).toEqual([
      { ...facts, code: 'timeout', reason: 'Slow.', fault: 'at a.ts' },
      { requestId: 'id-1', uncached: 'no-cache' },
      { ...facts, code: 'invalid-request', reason: undefined, fault: undefined },
      { requestId: 'id-1', uncached: 'no-cache' },
    ])
  })

  test('of a note names its causes', () => {
    const { lines, log } = recorder()
    requestLog(log).note({ id: 'id-1', message: 'It failed', causes: ['a', 'b'] })
    requestLog(log).note({ id: 'id-2', message: 'It goes on' })
    expect(lines).toEqual(['debug It failed id=id-1: a <- b', 'debug It goes on id=id-2'])
  })
})

describe('the log about the state of the backends', () => {
  const claude = (more: Partial<BackendHealth> = {}): ExecutorHealth => {
    const backend = { name: 'claude', ready: true, ...more }
    return { ready: backend.ready, backends: [backend] }
  }
  const signedOut = claude({ ready: false, problem: 'Sign in.' })

  test('reports a change once', () => {
    const { lines, log } = recorder()
    for (const found of [claude(), signedOut, signedOut, claude(), claude(), signedOut]) reportHealth(log, found)
    expect(lines).toEqual([
      'warning claude: Sign in.',
      'info All backends are ready again.',
      'warning claude: Sign in.',
    ])
  })

  test('names all problems, also of a backend that works, and when one is tried again', () => {
    const { lines, log } = recorder()
    const breaker = { state: 'open', failures: 5, retryAt: '2026-11-20T10:01:00Z' } as const
    const backends = [
      { name: 'claude', ready: true, problem: 'Nearly full.' },
      { name: 'brave', ready: false, breaker },
      { name: 'exa', ready: true },
    ]
    reportHealth(log, { ready: true, backends })
    expect(lines).toEqual([
      `warning claude: Nearly full. Next try at ${utcMomentOf(breaker.retryAt)}.`,
      `warning brave: not ready. Next try at ${utcMomentOf(breaker.retryAt)}.`,
    ])
  })

  test('reports no change while a breaker lets one search try', () => {
    const { lines, log } = recorder()
    const halfOpen = claude({ breaker: { state: 'half-open', failures: 5 } })
    for (const found of [signedOut, halfOpen, signedOut]) reportHealth(log, found)
    expect(lines).toEqual(['warning claude: Sign in.'])
  })

  test('reports a change that a poll of /health has seen', async () => {
    const { lines, log } = recorder()
    const executor = { ...scriptedExecutor(found(1)), health: async () => signedOut }
    const app = createApp({ executor, version: '1', newId: () => 'id-1', ...requestLog(log) })
    for (let poll = 0; poll < 3; poll++) expect((await app.request('/health')).status).toBe(503)
    expect(lines.filter((line) => !line.startsWith('debug'))).toEqual(['warning claude: Sign in.'])
    expect(lines).toHaveLength(4)
  })
})

test('an older answer that stood in for a search that failed is a warning', async () => {
  const { lines, log } = recorder()
  const older = [{ type: 'cache', status: 'stale', ageSeconds: 60, reason: 'signed-out' } as const, ...found(1)]
  const app = createApp({ executor: scriptedExecutor(older), version: '1', newId: () => 'id-1', ...requestLog(log) })
  await app.request('/v1/search?q=bees')
  expect(lines).toEqual([
    expect.stringMatching(/^warning GET \/v1\/search 200 \d+ms cache=stale stale-reason=signed-out id=id-1$/),
  ])
})

test('a breaker logs when it opens, tries and closes', () => {
  const lines: string[] = []
  let ms = 0
  const breaker = new Breaker({ name: 'claude', now: () => ms, log: (message) => lines.push(message) })
  const request = { query: 'bees', history: [], want: 'results', effort: 'fast', filters: {} } as const
  for (let failure = 0; failure < 5; failure++) breaker.begin(request)(new SearchError('unavailable', 'bees are gone'))
  ms += 20_000
  breaker.enter(request)()
  breaker.begin(request)('answered')
  expect(lines).toEqual([
    'Breaker of claude: open for lists for 10 s after 5 failures in a row, the last one unavailable',
    'Breaker of claude: half-open for lists, one search tries the backend',
    'Breaker of claude: closed again for lists, the backend answers',
  ])
})

describe('the log of the Worker', () => {
  const info = spyOn(console, 'info').mockImplementation(() => {})
  afterEach(() => {
    info.mockClear()
  })

  test('has one JSON object on each line, with the same fields', async () => {
    const app = createApp({
      executor: scriptedExecutor(found(2)),
      version: '1',
      keys: ['a-key-of-someone'],
      newId: () => 'id-1',
      ...requestLog(edgeLog('info')),
    })
    await app.request('/v1/search?q=bees', { headers: { 'x-api-key': 'a-key-of-someone' } })
    await app.request('/health')
    expect(info).toHaveBeenCalledTimes(1)
    const line = String(info.mock.calls[0]?.[0])
    expect(JSON.parse(line)).toMatchObject({
      ...{ level: 'info', requestId: 'id-1', route: '/v1/search', dialect: 'native', status: 200, caller: 'key-1' },
      ...{ want: 'results', results: 2, queuedMs: 0, message: expect.stringContaining('GET /v1/search 200') },
    })
    expect(line).not.toMatch(/bees|someone/)
  })
})

test.each([
  ['text', /^\d{4}-\d\d-\d\dT\S+Z info a \{brace\} and a line$/],
  ['simple', /^info a \{brace\} and a line$/],
  ['json', /^\{"@timestamp":"\d{4}[^"]+Z","level":"info","message":"a \{brace\} and a line","logger":"csp","id":7\}$/],
] as const)('the format %s keeps a message on one line, as it is', (format, expected) => {
  let written = ''
  const write = (text: string): void => {
    written += text
  }
  const stream = { write, isTerminal: false, columns: 80 }
  const log = createLog('info', stream, format)
  log('info', 'a {brace}\nand a line', { id: 7, absent: undefined })
  log('debug', 'unwanted')
  expect(written.endsWith('\n')).toBe(true)
  expect(written.trimEnd()).toMatch(expected)
})

test('a call of an upstream has its line, with its speed and a name of bounded length', () => {
  const { lines, log, properties } = recorder()
  const call = { baseUrl: 'https://llm.example/v1', inputTokens: 3, cachedInputTokens: 0, outputTokens: 50 }
  logUpstreamCall(log, { ...call, model: 'm'.repeat(201), milliseconds: 1200 })
  logUpstreamCall(log, { ...call, model: 'm', milliseconds: 0 })
  const line = (model: string, rate: number) =>
    `info [REQ] https://llm.example/v1 model=${model} in=3 out=50 tok/s=${rate}`
  expect(lines).toEqual([line('m'.repeat(200), 41.7), line('m', 0)])
  expect(properties).toMatchObject([{ model: 'm'.repeat(200), milliseconds: 1200 }, { model: 'm' }])
})

test('the simple format has a call in place of a request that went well, as programs look for it', () => {
  let written = ''
  const write = (text: string): void => {
    written += text
  }
  const log = createLog('debug', { write, isTerminal: false, columns: 80 }, 'simple')
  log('info', '[REQ] https://llm.example')
  log('info', 'went well', { upstreamCalls: 1 })
  log('info', 'failed', { upstreamCalls: 1, code: 'timeout' })
  log('warning', 'old', { upstreamCalls: 1 })
  log('info', 'a search', {})
  expect(written).toBe('[REQ] https://llm.example\ninfo failed\nwarning old\ninfo a search\n')
})

test.each(['debug', 'info', 'warning', 'error', 'silent'] as const)('a log from %s on has no lower level', (lowest) => {
  const levels = ['debug', 'info', 'warning', 'error'] as const
  const from = [...levels, 'silent'].indexOf(lowest)
  expect(levels.filter((level) => isLogged(level, lowest))).toEqual(levels.slice(from))
})
