import { afterEach, describe, expect, spyOn, test } from 'bun:test'
import type { RequestLog } from '../../../src/api/exchange/request-log.ts'
import { createApp } from '../../../src/app.ts'
import { SearchError } from '../../../src/domain/error.ts'
import type { BackendHealth, ExecutorHealth } from '../../../src/domain/health.ts'
import { Breaker } from '../../../src/executor/layers/resilience/breaker.ts'
import { edgeLog } from '../../../src/runtime/cloudflare/environment.ts'
import { reportHealth } from '../../../src/runtime/log/health-log.ts'
import { createLog, type Log } from '../../../src/runtime/log/log.ts'
import { requestLog } from '../../../src/runtime/log/request-log.ts'
import { found, scriptedExecutor } from '../../support/scripted-executor.ts'

function recorder() {
  const lines: string[] = []
  const log: Log = (level, message) => lines.push(`${level} ${message}`)
  return { lines, log }
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
    const { lines, log } = recorder()
    requestLog(log).log({ ...entry, path: `/${'x'.repeat(10_000)}` })
    expect(lines.join('').length).toBeLessThan(300)
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
