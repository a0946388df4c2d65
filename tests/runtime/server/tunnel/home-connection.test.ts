import { describe, expect, jest, spyOn, test } from 'bun:test'
import { eventually } from '@csp/testing/eventually'
import { quickTimers } from '@csp/testing/quick-timers'
import {
  type HomeConnectionOptions,
  openConnection,
  refusalOf,
} from '../../../../src/runtime/server/tunnel/home-connection.ts'
import { type FakeEdge, fakeEdge } from './fake-edge.ts'

/** A connection to an edge, with what it told. */
function connect({ url }: Pick<FakeEdge, 'url'>, more: Partial<HomeConnectionOptions> = {}) {
  const told = { opened: 0, trips: [] as number[] }
  const connection = openConnection({
    url: `${url.replace('http', 'ws')}/connect`,
    authorization: 'a-login',
    handler: () => new Response('answered'),
    capacity: 1,
    onEnd: () => {},
    onOpen: () => told.opened++,
    onRoundTrip: (ms) => told.trips.push(ms),
    ...more,
  })
  return { connection, told }
}

describe('a connection to an edge', () => {
  test('logs in, pings at once and then at its interval, and measures each way there and back', async () => {
    using edge = fakeEdge()
    const { connection, told } = connect(edge, { headers: { 'x-more': '1' }, pingIntervalMs: 20 })
    await eventually(() => told.trips.length >= 3)
    const [headers] = edge.asked
    expect([headers?.get('authorization'), headers?.get('x-more')]).toEqual(['a-login', '1'])
    // Small frames do not benefit from compression.
    expect(headers?.get('sec-websocket-extensions')).toBeNull()
    expect(told.opened).toBe(1)
    expect(new Set(edge.received)).toEqual(new Set(['ping']))
    expect(told.trips.filter((ms) => ms < 0 || ms > 10_000)).toEqual([])
    connection.cut()
    expect(await connection.ended).toEqual({ opened: true, isReplaced: false, reason: 'csp is stopping.' })
  })

  test('says at once that it is not ready, and with each ping whether it is again', async () => {
    using edge = fakeEdge()
    let asked = 0
    const state = async () => (++asked < 3 ? { ready: false, problem: 'Signed out.' } : { ready: true })
    const { connection } = connect(edge, { state, pingIntervalMs: 20 })
    const states = () => edge.received.filter((message) => message !== 'ping').map((text) => JSON.parse(String(text)))
    await eventually(() => states().length === 2)
    expect(states()).toEqual([
      { type: 'state', ready: false, problem: 'Signed out.' },
      { type: 'state', ready: true },
    ])
    await Bun.sleep(60)
    expect(asked).toBe(3)
    connection.cut()
    await connection.ended
  })

  test('ends where a ping is not answered, and sends no other meanwhile', async () => {
    using _ = quickTimers()
    using edge = fakeEdge({ onMessage: () => {} })
    const { connection } = connect(edge, { pingIntervalMs: 5, answerTimeoutMs: 1000 })
    expect(await connection.ended).toEqual({ opened: true, isReplaced: false, reason: 'The edge does not answer.' })
    expect(edge.received).toEqual(['ping'])
  })

  test('ends where the edge does not accept it in time', async () => {
    using edge = fakeEdge({ refuse: () => new Promise(() => {}) })
    const { connection, told } = connect(edge, { answerTimeoutMs: 50 })
    expect(await connection.ended).toEqual({ opened: false, isReplaced: false, reason: 'The edge does not answer.' })
    expect(told.opened).toBe(0)
  })

  test('goes through the proxy that is named', async () => {
    let seen = ''
    const data = (socket: Bun.Socket, bytes: Uint8Array): void => {
      seen += new TextDecoder().decode(bytes)
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
    }
    const proxy = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data } })
    const { connection } = connect({ url: 'http://edge.example' }, { proxy: `http://127.0.0.1:${proxy.port}` })
    expect(await connection.ended).toMatchObject({ opened: false })
    proxy.stop(true)
    expect(seen).toStartWith('CONNECT edge.example:80 HTTP/1.1\r\n')
  })

  test('that the edge refuses was never open', async () => {
    using edge = fakeEdge({ refuse: () => new Response('', { status: 401 }) })
    const { connection } = connect(edge)
    const { opened, isReplaced, reason } = await connection.ended
    expect([opened, isReplaced]).toEqual([false, false])
    expect(reason).toContain('101')
  })

  const bye = (code: number) => JSON.stringify({ type: 'bye', code, reason: 'Bye.' })
  test.each<[string, (socket: NonNullable<ReturnType<FakeEdge['socket']>>) => void, string, boolean]>([
    ['that says goodbye', (socket) => socket.send(bye(4408)), 'Bye.', false],
    ['that has another home of the name', (socket) => socket.send(bye(4409)), 'Bye.', true],
    ['that closes it', (socket) => socket.close(4400, 'Wrong.'), 'Wrong.', false],
    ['that closes it for another home', (socket) => socket.close(4409, 'Replaced.'), 'Replaced.', true],
    ['that closes it without a word', (socket) => socket.close(4000), 'The connection was lost (4000).', false],
    [
      'that sends bytes',
      (socket) => socket.send(new Uint8Array(3)),
      'The edge sent an unexpected binary frame.',
      false,
    ],
    ['that sends nonsense', (socket) => socket.send('nonsense'), 'The edge sent a malformed frame.', false],
  ])('ends with an edge %s', async (_, act, reason, isReplaced) => {
    using edge = fakeEdge({ onOpen: act })
    const { connection } = connect(edge)
    expect(await connection.ended).toEqual({ opened: true, isReplaced, reason })
  })

  test('is closed in order, and stops what runs', async () => {
    using edge = fakeEdge()
    const requests: Request[] = []
    const { connection, told } = connect(edge, {
      handler(request) {
        requests.push(request)
        return new Promise(() => {})
      },
    })
    await eventually(() => told.trips.length === 1)
    edge.socket()?.send(JSON.stringify({ type: 'request', id: 1, method: 'GET', path: '/', headers: [], window: 9 }))
    await eventually(() => requests.length === 1)
    connection.close()
    expect(requests[0]?.signal.aborted).toBe(true)
    expect(await connection.ended).toMatchObject({ opened: true, isReplaced: false })
    await eventually(() => edge.closed.length === 1)
    expect(edge.closed).toEqual([[1000, 'csp is stopping.']])
  })

  test('ends within a second where the edge does not answer its close, and not otherwise', async () => {
    const guid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
    // It upgrades, and says nothing more.
    const data = (socket: Bun.Socket, bytes: Uint8Array): void => {
      const [, key] = /sec-websocket-key: (\S+)/i.exec(new TextDecoder().decode(bytes)) ?? []
      const accept = new Bun.CryptoHasher('sha1').update(`${key}${guid}`).digest('base64')
      const head = 'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n'
      if (key) socket.write(`${head}sec-websocket-accept: ${accept}\r\n\r\n`)
    }
    const edge = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data } })
    jest.useFakeTimers()
    try {
      let reason: string | undefined
      const { connection, told } = connect({ url: `http://127.0.0.1:${edge.port}` })
      void connection.ended.then((end) => {
        reason = end.reason
      })
      const turns = async () => {
        for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
      }
      while (told.opened === 0) await turns()
      jest.advanceTimersByTime(1000)
      await turns()
      expect(reason).toBeUndefined()
      connection.close()
      jest.advanceTimersByTime(999)
      await turns()
      expect(reason).toBeUndefined()
      jest.advanceTimersByTime(1)
      await connection.ended
      expect(reason).toBe('The edge closed the connection.')
    } finally {
      jest.useRealTimers()
      edge.stop(true)
    }
  })

  test('that is not open yet ends at once', async () => {
    using edge = fakeEdge({ refuse: () => new Promise(() => {}) })
    const { connection } = connect(edge)
    connection.close()
    expect(await connection.ended).toEqual({ opened: false, isReplaced: false, reason: 'csp is stopping.' })
  })
})

describe('an edge that lets a home not in', () => {
  const failure = (code: string) => Response.json({ type: 'error', code, message: 'No.' }, { status: 503 })
  const access = { 'cf-access-domain': 'x' }
  const noToken = 'Cloudflare Access protects the edge. Set CSP_ACCESS_TOKEN to a service token: ID:SECRET.'
  const wrongToken =
    'Cloudflare Access refuses the service token. A policy must allow it, with the action Service Auth.'

  const ask = (edge: Pick<FakeEdge, 'url'>, headers?: Record<string, string>) =>
    refusalOf({ url: edge.url, authorization: 'a-login', headers })

  test.each<[string, () => Response, object | undefined]>([
    ['its own refusal', () => failure('login'), { type: 'error', code: 'login', message: 'No.' }],
    ['the wish for a WebSocket', () => failure('upgrade'), undefined],
    ['that it is not available', () => failure('unavailable'), undefined],
    ['a failure of its own', () => new Response('', { status: 500 }), undefined],
    [
      'the login page of Access',
      () => new Response('', { status: 302, headers: { location: 'https://x.example/cdn-cgi/access/login' } }),
      { code: 'access', message: noToken },
    ],
    ...[401, 403].map(
      (status) =>
        [
          `${status} by Access`,
          () => new Response('', { status, headers: access }),
          { code: 'access', message: noToken },
        ] as [string, () => Response, object],
    ),
  ])('answers by HTTP with %s', async (_, refuse, expected) => {
    using edge = fakeEdge({ refuse })
    expect(await ask(edge)).toEqual(expected as never)
    expect(edge.asked[0]?.get('authorization')).toBe('a-login')
  })

  test('is none where another program answers, whatever it says', async () => {
    for (const [status, headers] of [
      [404, access],
      [499, {}],
      [401, { 'x-other': '1' }],
      [302, { location: 'https://x.example/elsewhere' }],
    ] as const) {
      using edge = fakeEdge({ refuse: () => new Response('no', { status, headers }) })
      const message = `There is no csp edge at ${edge.url} (status ${status}).`
      expect(await ask(edge)).toEqual({ code: 'no-edge', message })
    }
  })

  test('says no more than a thousand letters, or is none', async () => {
    for (const length of [1000, 1001]) {
      const refusal = { type: 'error', code: 'login', message: 'x'.repeat(length) }
      using edge = fakeEdge({ refuse: () => Response.json(refusal, { status: 401 }) })
      expect(await ask(edge)).toMatchObject({ code: length === 1000 ? 'login' : 'no-edge' })
    }
  })

  test('is asked through the proxy that is named, for five seconds', async () => {
    const patience = spyOn(AbortSignal, 'timeout')
    const asked: string[] = []
    const answer = (request: Request) => {
      asked.push(request.url)
      return new Response('', { status: 404 })
    }
    const proxy = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: answer })
    try {
      const place = { url: 'http://edge.example', authorization: '', proxy: proxy.url.origin }
      expect(await refusalOf(place)).toMatchObject({ code: 'no-edge' })
      expect(asked).toEqual(['http://edge.example/connect'])
      expect(patience.mock.calls).toEqual([[5000]])
    } finally {
      patience.mockRestore()
      await proxy.stop(true)
    }
  })

  test('behind Access is told with a token that the token is wrong', async () => {
    using edge = fakeEdge({ refuse: () => new Response('', { status: 403, headers: access }) })
    expect(await ask(edge, { 'cf-access-client-id': 'x' })).toEqual({ code: 'access', message: wrongToken })
    expect(edge.asked[0]?.get('cf-access-client-id')).toBe('x')
  })

  test('cannot be reached for a reason in words, and the proxy on the way is named without its password', async () => {
    expect(await ask({ url: 'http://127.0.0.1:9' })).toBe('127.0.0.1:9 cannot be reached: nothing listens there.')
    const proxy = 'http://me:a-password@127.0.0.1:9'
    expect(await refusalOf({ url: 'http://127.0.0.1:8', authorization: '', proxy })).toStartWith(
      '127.0.0.1:8 cannot be reached through the proxy 127.0.0.1:9: ',
    )
  })
})
