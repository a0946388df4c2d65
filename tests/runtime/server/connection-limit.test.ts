import { afterEach, beforeEach, describe, expect, jest, spyOn, test } from 'bun:test'
import { eventually } from '@csp/testing/eventually'
import { createApp } from '../../../src/app.ts'
import { connectionLimit } from '../../../src/runtime/server/connection-limit.ts'
import { openFilesOfSystem } from '../../../src/runtime/server/open-files.ts'
import { type RunningServer, startServer } from '../../../src/runtime/server/server.ts'
import { rawConnection, statusesOf } from '../../security/raw-connection.ts'
import { testNeeding } from '../../support/needs.ts'
import { found, scriptedExecutor } from '../../support/scripted-executor.ts'

const knowsFiles = process.platform !== 'win32'
const servers: RunningServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop(AbortSignal.abort())
})

/** A server that has this many files open, of 100; connections are the real ones. */
async function serverWith(count: () => number, answer: Promise<void> = Promise.resolve()) {
  let looks = 0
  const system = openFilesOfSystem()
  const executor = scriptedExecutor(() => [() => answer, ...found(3)])
  const app = createApp({ executor, version: '1' })
  const limit = connectionLimit(() => ({
    limit: 100,
    count() {
      looks++
      return count()
    },
    connectionsTo: (port) => system?.connectionsTo(port) ?? [],
  }))
  const server = await startServer(
    (request, connection) => app.fetch(request, { connection }),
    '127.0.0.1',
    0,
    false,
    limit,
  )
  servers.push(server)
  /** Until it has looked once more. */
  const looked = (before = looks) => eventually(() => looks > before)
  await looked(0)
  return { url: server.url, looked, begun: executor.begun }
}

test('a system that knows such a limit tells it', () => {
  const files = openFilesOfSystem()
  if (!knowsFiles) return
  expect(files?.limit).toBeGreaterThan(files?.count() ?? Number.NaN)
  expect(files?.count()).toBeGreaterThan(0)
})

test('what is answered makes room, for all callers and for its own', async () => {
  // All files are csp's own: four requests, or an eighth of the limit more for others.
  let looks = 0
  const count = () => {
    looks++
    return 80
  }
  const limit = connectionLimit(() => ({ limit: 80, count, connectionsTo: () => [] }))
  limit.watch(1)
  try {
    await eventually(() => looks > 1)
    const visits = (callers: readonly string[]) =>
      callers
        .map((caller) => ({ caller, visit: limit.began(1) }))
        .map(({ caller, visit }) => ({ visit, ok: visit.admit(caller) }))
    const names = Array.from({ length: 20 }, (_, number) => `caller ${number}`)
    const first = visits(names)
    expect(first.filter(({ ok }) => ok)).toHaveLength(14)
    // Told twice that it has ended.
    for (const { visit } of [...first, ...first]) visit.ended()
    const greedy = visits(Array.from({ length: 20 }, () => 'greedy'))
    expect(greedy.filter(({ ok }) => ok)).toHaveLength(4)
    for (const { visit } of greedy) visit.ended()
    // The share of each is that of two, not of all that have been here.
    const two = visits([...['other', 'other', 'other'], ...['greedy', 'greedy', 'greedy']])
    expect(two.map(({ ok }) => ok)).toEqual([true, true, true, true, true, false])
  } finally {
    limit.end()
  }
})

/** A limit whose files, connections and clock the test sets. */
function scriptedLimit(files: number, system = true) {
  const state = { files, ms: 0, looks: 0, peers: [] as number[] }
  const cut: number[] = []
  const opens: number[] = []
  const limit = connectionLimit(() => {
    opens.push(state.ms)
    if (!system) return undefined
    return {
      limit: 100_000,
      count() {
        state.looks++
        return state.files
      },
      connectionsTo: (port) => state.peers.map((peer) => ({ peer, cut: () => void cut.push(port + peer) })),
    }
  })
  const pass = (ms: number): void => {
    state.ms += ms
    jest.advanceTimersByTime(ms)
  }
  return { state, limit, cut, opens, pass }
}

describe('the watch over the files', () => {
  let clock: { mockRestore(): void } | undefined
  const watching = (of: ReturnType<typeof scriptedLimit>) => {
    clock = spyOn(performance, 'now').mockImplementation(() => of.state.ms)
    of.limit.watch(4000)
    return of
  }
  beforeEach(() => void jest.useFakeTimers())
  afterEach(() => {
    clock?.mockRestore()
    jest.useRealTimers()
  })

  test('looks each second, and each tenth of one from half of 8192 on', () => {
    const { state, limit, opens, pass } = watching(scriptedLimit(4095))
    pass(99)
    expect([opens, state.looks]).toEqual([[], 0])
    pass(1)
    expect([opens, state.looks]).toEqual([[100], 1])
    expect(limit.began(1).isLast).toBe(false)
    pass(999)
    const before = state.looks
    state.files = 4096
    pass(1)
    expect(state.looks).toBeGreaterThan(before)
    expect(limit.began(1).isLast).toBe(true)
    state.files = 4095
    pass(100)
    expect(limit.began(1).isLast).toBe(false)
    limit.end()
    const last = state.looks
    pass(5000)
    expect([opens, state.looks]).toEqual([[100], last])
  })

  test('looks at once where a request finds half of the files open', () => {
    const { state, limit, pass } = watching(scriptedLimit(10))
    pass(100)
    state.files = 4096
    expect(limit.began(1).isLast).toBe(true)
    limit.end()
  })

  test('is none where the system says nothing of files', () => {
    const { limit, opens, pass } = watching(scriptedLimit(0, false))
    pass(10_000)
    const visits = Array.from({ length: 100 }, () => limit.began(1))
    expect(visits.every((visit) => visit.admit('one') && !visit.isLast)).toBe(true)
    expect(opens).toHaveLength(1)
  })

  test.each([
    // Below three quarters of 8192 a connection may wait for a second, and otherwise for a tenth of one.
    [6143, 10],
    [6144, 1],
  ])('with %d files ends connections that have waited, after %d looks', (files, looks) => {
    const { state, limit, cut, pass } = watching(scriptedLimit(files))
    state.peers = [1, 2, 3]
    const [busy, done] = [limit.began(1), limit.began(2)]
    pass(100)
    done.ended()
    for (let look = 1; look < looks; look++) pass(100)
    expect(cut).toEqual([])
    pass(100)
    // The one that was never heard of has waited as long.
    expect(cut.toSorted()).toEqual([4002, 4003])
    busy.ended()
    limit.end()
  })

  test('counts no connection among the files of csp itself, which leave the less room the more they are', () => {
    const { state, limit, pass } = watching(scriptedLimit(6200))
    state.peers = Array.from({ length: 190 }, (_, at) => at + 1)
    pass(100)
    const visits = Array.from({ length: 200 }, () => limit.began(9000))
    // Three quarters of 8192, less the 6010 that are no connections.
    expect(visits.filter((visit) => visit.admit('one'))).toHaveLength(134)
    limit.end()
  })

  test('gives no caller more than its share where there is no room, however often one of its requests ends', () => {
    const { limit, pass } = watching(scriptedLimit(8192))
    pass(100)
    const ask = (caller: string) => {
      const visit = limit.began(1)
      return visit.admit(caller) ? visit : undefined
    }
    const [first] = ['a', 'a', 'b', 'c'].map(ask)
    // Of four places for three callers and one more each has one.
    expect(ask('b')).toBeUndefined()
    expect(ask('d')).toBeDefined()
    first?.ended()
    expect(ask('a')).toBeUndefined()
    limit.end()
    const alone = watching(scriptedLimit(8192))
    alone.pass(100)
    const visits = Array.from({ length: 4 }, () => alone.limit.began(1))
    expect(visits.every((visit) => visit.admit('a'))).toBe(true)
    visits[0]?.ended()
    expect([1, 2].map(() => alone.limit.began(1).admit('a'))).toEqual([true, false])
    alone.limit.end()
  })

  test('forgets connections that wait for nothing while there is room', () => {
    const { state, limit, cut, pass } = watching(scriptedLimit(10))
    limit.began(1).ended()
    pass(5100)
    state.files = 6144
    state.peers = [1]
    pass(1000)
    // As new: it has not waited since then.
    expect(cut).toEqual([])
    pass(100)
    expect(cut).toEqual([4001])
    limit.end()
  })
})

testNeeding('a limit of files', knowsFiles)('with room, connections stay open', async () => {
  const server = await serverWith(() => 49)
  const connection = await rawConnection(server.url)
  for (const count of [1, 2]) {
    connection.send('GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
    expect(statusesOf(await connection.replies(count))).toHaveLength(count)
  }
  expect(connection.received()).not.toMatch(/^connection: close/im)
  connection.socket.destroy()
})

testNeeding('a limit of files', knowsFiles)('with little room, connections end with their reply', async () => {
  const server = await serverWith(() => 50)
  const connection = await rawConnection(server.url)
  connection.send('GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
  await connection.closed
  expect(connection.received()).toMatch(/^HTTP\/1\.1 200 /)
  expect(connection.received()).toMatch(/^connection: close/im)
})

testNeeding('a limit of files', knowsFiles)(
  'with little room, connections that wait for nothing are closed, and no other',
  async () => {
    let count = 20
    const answer = Promise.withResolvers<void>()
    const server = await serverWith(() => count, answer.promise)
    const silent = await rawConnection(server.url)
    const used = await rawConnection(server.url)
    used.send('GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
    await used.replies(1)
    const halved = await rawConnection(server.url)
    halved.send('GET /v1/search?q=bees HTTP/1.1\r\nHost: 127')
    const searching = await rawConnection(server.url)
    searching.send('GET /v1/search?q=bees HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
    count = 99
    await Promise.all([silent.closed, used.closed, halved.closed])
    expect(searching.socket.destroyed).toBe(false)
    answer.resolve()
    expect(statusesOf(await searching.replies(1))).toEqual([200])
  },
)

testNeeding('a limit of files', knowsFiles)(
  'a caller with more than its share is refused in its own dialect, another is served, and csp says that it lives',
  async () => {
    let count = 20
    const answer = Promise.withResolvers<void>()
    const server = await serverWith(() => count, answer.promise)
    const ask = (caller: string, path = '/res/v1/web/search?q=bees') =>
      fetch(`${server.url}${path}`, { headers: { 'user-agent': caller }, keepalive: false })
    // All files but four are csp's own: so many requests are served whatever happens.
    count = 100
    const greedy = Array.from({ length: 4 }, () => ask('greedy'))
    await server.begun(4)
    await server.looked()
    const refused = await ask('greedy')
    expect([refused.status, refused.headers.get('retry-after'), refused.headers.get('connection')]).toEqual([
      503,
      '1',
      'close',
    ])
    expect(await refused.json()).toMatchObject({ type: 'ErrorResponse', error: { status: 503 } })
    expect((await ask('greedy', '/health/live')).status).toBe(200)
    const other = ask('modest')
    answer.resolve()
    expect((await other).status).toBe(200)
    for (const reply of greedy) expect((await reply).status).toBe(200)
    // Those that are answered make room.
    await eventually(async () => (await ask('greedy')).status === 200)
  },
)
