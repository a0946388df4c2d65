import { Database } from 'bun:sqlite'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, setSystemTime, test } from 'bun:test'
import type { EdgeSocket, ObjectState } from 'cloudflare:workers'
import { attachmentFor } from '../../../src/tunnel/edge/connected-home.ts'
import { TunnelObject } from '../../../src/tunnel/edge/tunnel-object.ts'
import { signLogin } from '../../../src/tunnel/login.ts'
import {
  closeCodes,
  maxRequestBytes,
  objectPaths,
  protocolVersion,
  type ToEdge,
  type ToHome,
} from '../../../src/tunnel/protocol.ts'
import type { SecretVariables } from '../../../src/tunnel/secrets.ts'
import type { TunnelStatus } from '../../../src/tunnel/status.ts'

// The object on sockets of the test's, where timers and the clock are its own. In workerd it is in ../tunnel.test.ts.

const secret = 'a-secret-of-the-tests'
const start = Date.parse('2026-03-01T12:00:00Z')
const globals = globalThis as Record<string, unknown>
const given = ['WebSocketPair', 'WebSocketRequestResponsePair']

beforeAll(() => {
  for (const name of given)
    globals[name] = class {
      0 = {}
      1 = createSocket(undefined)
    }
})
afterAll(() => {
  for (const name of given) delete globals[name]
})

const sql = new Database(':memory:')
beforeEach(() => {
  jest.useFakeTimers()
  setSystemTime(start)
})
afterEach(() => {
  jest.useRealTimers()
  setSystemTime()
})
afterAll(() => sql.close())

/** Lets that much time pass. */
async function pass(ms: number): Promise<void> {
  jest.advanceTimersByTime(ms)
  await turns()
}

/** Lets everything happen that waits for nothing but its turn. */
async function turns(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve))
  for (let turn = 0; turn < 100; turn++) await Promise.resolve()
}

/** The edge's end of a connection, and what the edge did with it. */
function createSocket(attachment: unknown) {
  const kept = [attachment]
  const sent: ToHome[] = []
  const closes: (readonly [number, string])[] = []
  const own = { readyState: WebSocket.OPEN as number, pingedAt: 0, sent, closes }
  return Object.assign(own, {
    send: (text: string) => void sent.push(JSON.parse(text)),
    close(code: number, reason: string) {
      closes.push([code, reason])
      own.readyState = WebSocket.CLOSING
    },
    serializeAttachment: (value: unknown) => void kept.push(value),
    deserializeAttachment: () => kept.at(-1),
  })
}

type Socket = ReturnType<typeof createSocket> & EdgeSocket

/** An object, and a way to connect homes to it. */
function createTunnel(variables: SecretVariables = { CSP_CONNECT_SECRET: secret }) {
  const sockets: Socket[] = []
  const exec: ObjectState['storage']['sql']['exec'] = (query, ...bindings) => {
    const { changes } = sql.prepare(query).run(...bindings)
    return Object.assign([], { rowsWritten: changes })
  }
  const state: ObjectState = {
    storage: { sql: { exec } },
    acceptWebSocket: (socket) => void sockets.push(socket as Socket),
    getWebSockets: () => sockets,
    setWebSocketAutoResponse: () => {},
    getWebSocketAutoResponseTimestamp: (socket) => new Date((socket as Socket).pingedAt),
  }
  const object = new TunnelObject(state, variables)
  const connect = (home: string, places: { capacity?: number; workers?: number } = {}) => {
    const socket: Socket = createSocket(attachmentFor({ home, capacity: 2, workers: 1, ...places }, Date.now()))
    sockets.push(socket)
    const say = (frame: ToEdge) => object.webSocketMessage(socket, JSON.stringify(frame))
    /** The ids of the requests that it was offered. */
    const offered = () => socket.sent.filter(({ type }) => type === 'request').map((frame) => 'id' in frame && frame.id)
    const id = () => Number(offered().at(-1))
    const accept = () => say({ type: 'accept', id: id() })
    const reply = (status = 200, headers: [string, string][] = []) => {
      accept()
      say({ type: 'reply', id: id(), status, headers })
    }
    const end = () => say({ type: 'end', id: id() })
    return { socket, say, offered, id, accept, reply, end }
  }
  /** A request of a client, and its reply once there is one. */
  const ask = async (body = 'question', signal?: AbortSignal) => {
    const init = { method: 'POST', body, ...(signal && { signal }) }
    const asked: { reply?: Response } = {}
    void object.fetch(new Request('https://edge.example/v1/search', init)).then((reply) => {
      asked.reply = reply
    })
    await turns()
    return asked
  }
  return { object, sockets, connect, ask }
}

async function homesOf(object: TunnelObject): Promise<TunnelStatus['homes']> {
  const reply = await object.fetch(new Request(`https://edge.example${objectPaths.status}`))
  return ((await reply.json()) as TunnelStatus).homes
}

/** Connects as a home does, with a login of its own. */
async function login(object: TunnelObject, home: string): Promise<Response> {
  const claims = { home, capacity: 1, version: protocolVersion, edge: 'edge.example' }
  const authorization = await signLogin(secret, claims, { now: Date.now() })
  const headers = { authorization, upgrade: 'WebSocket' }
  return object.fetch(new Request(`https://edge.example${objectPaths.connect}`, { headers }))
}

describe('a home whose connection ends', () => {
  test.each([
    [1005, 1000],
    [1006, 1000],
    [1001, 1001],
    [closeCodes.replaced, closeCodes.replaced],
  ])('with the code %d is answered with %d, and its requests are lost at once', async (code, answered) => {
    const { object, connect, ask } = createTunnel()
    const home = connect('attic')
    const asked = await ask()
    home.accept()
    home.socket.readyState = WebSocket.CLOSING
    object.webSocketClose(home.socket, code)
    await turns()
    expect(home.socket.closes).toEqual([[answered, '']])
    expect(asked.reply?.status).toBe(503)
    expect(await asked.reply?.json()).toMatchObject({ message: expect.stringContaining('lost its connection') })
  })

  test('by an error loses its requests to another home', async () => {
    const { object, connect, ask } = createTunnel()
    const [first, second] = [connect('attic'), connect('cellar')]
    const asked = await ask()
    first.accept()
    first.socket.readyState = WebSocket.CLOSED
    object.webSocketError(first.socket)
    await turns()
    second.reply(200)
    await turns()
    expect(asked.reply?.status).toBe(200)
  })

  test('without a word loses its requests as soon as somebody looks', async () => {
    const { object, connect, ask } = createTunnel()
    const home = connect('attic')
    const asked = await ask()
    home.accept()
    home.socket.readyState = WebSocket.CLOSED
    expect(await homesOf(object)).toEqual([])
    await turns()
    expect(asked.reply?.status).toBe(503)
  })

  test('is heard no more, whatever it still sends', async () => {
    const { object, connect } = createTunnel()
    const { socket } = connect('attic')
    socket.readyState = WebSocket.CLOSING
    object.webSocketMessage(socket, 'no frame')
    expect([socket.sent, socket.closes]).toEqual([[], []])
    socket.readyState = WebSocket.OPEN
    object.webSocketMessage(socket, 'no frame')
    expect(socket.closes).toEqual([[closeCodes.protocol, 'The home sent a malformed frame.']])
  })
})

describe('a home that is not heard of', () => {
  test('is dismissed after three of its pings, and one of them keeps it', async () => {
    const { object, connect } = createTunnel()
    const { socket } = connect('attic')
    await pass(44_999)
    expect(await homesOf(object)).toMatchObject([{ name: 'attic' }])
    socket.pingedAt = Date.now()
    await pass(44_999)
    expect(await homesOf(object)).toHaveLength(1)
    await pass(1)
    expect(await homesOf(object)).toEqual([])
    expect(socket.closes).toEqual([[closeCodes.silent, 'The home stopped responding.']])
  })

  test('loses its requests within seconds, and without requests nobody looks', async () => {
    const { connect, ask } = createTunnel()
    const { socket, accept } = connect('attic')
    await pass(40_000)
    const asked = await ask()
    expect(jest.getTimerCount()).toBe(2)
    accept()
    await turns()
    await pass(44_999)
    expect([asked.reply, socket.closes]).toEqual([undefined, []])
    await pass(5001)
    expect(asked.reply?.status).toBe(503)
    await pass(5000)
    expect(jest.getTimerCount()).toBe(0)
  })

  test('is asked last for three seconds, and longer while it sends other replies', async () => {
    const { object, connect, ask } = createTunnel()
    const frozen = connect('attic')
    frozen.say({ type: 'state', ready: true })
    const other = connect('cellar', { workers: 1 })
    const asked = await ask()
    await pass(2999)
    expect([frozen.offered().length, other.offered().length]).toEqual([1, 0])
    await pass(1)
    expect(other.offered()).toHaveLength(1)
    expect(frozen.socket.sent.at(-1)).toEqual({ type: 'abort', id: frozen.id() })
    other.reply()
    await turns()
    expect(asked.reply?.status).toBe(200)
    expect(await homesOf(object)).toMatchObject([{ silent: true }, { silent: false }])
    other.end()

    const busy = createTunnel()
    const [slow, next] = [busy.connect('attic'), busy.connect('cellar')]
    slow.say({ type: 'state', ready: true })
    await pass(1)
    await busy.ask()
    for (let waited = 0; waited < 12_000; waited += 1000) {
      await pass(1000)
      slow.say({ type: 'state', ready: true })
    }
    expect(next.offered()).toEqual([])
    await pass(3000)
    expect(next.offered()).toHaveLength(1)
  })
})

describe('a request', () => {
  test('of which no home is left says whether there was one', async () => {
    const messageOf = async ({ reply }: { reply?: Response }) =>
      ((await reply?.json()) as { message?: string } | undefined)?.message
    const none = createTunnel()
    expect(await messageOf(await none.ask())).toBe('No home is connected.')
    const draining = createTunnel()
    draining.connect('attic').say({ type: 'drain' })
    expect(await messageOf(await draining.ask())).toContain('The home is stopping')
    const lost = createTunnel()
    const { socket } = lost.connect('attic')
    const asked = await lost.ask()
    socket.readyState = WebSocket.CLOSED
    lost.sockets.splice(0)
    lost.object.webSocketClose(socket, 1001)
    await turns()
    expect(await messageOf(asked)).toContain('lost its connection')
  })

  test.each([
    [[7, 3], 3],
    [[3, 7], 3],
    [[undefined, 7], 7],
    [[7, undefined], 7],
    [[0, 7], 7],
  ])('that homes refuse for %p seconds gets the reply of %p', async (waits, sooner) => {
    const { connect, ask } = createTunnel()
    const homes = waits.map((_, index) => connect(`home-${index}`))
    const asked = await ask()
    for (const [index, home] of homes.entries()) {
      const wait = waits[index]
      home.reply(429, wait === undefined ? [] : [['retry-after', String(wait)]])
      await turns()
      home.end()
      await turns()
    }
    expect(asked.reply?.headers.get('retry-after')).toBe(String(sooner))
  })

  test('is answered by the next home, and one that refused it may stop', async () => {
    const { connect, ask } = createTunnel()
    const [first, second] = [connect('attic'), connect('cellar')]
    const asked = await ask()
    first.reply(503)
    await turns()
    expect([asked.reply, second.offered().length]).toEqual([undefined, 1])
    second.reply(200)
    await turns()
    expect(asked.reply?.status).toBe(200)
    expect(first.socket.sent.at(-1)).toEqual({ type: 'abort', id: first.id() })
    expect(second.socket.sent.at(-1)).toMatchObject({ type: 'request' })
  })

  test('that two homes refuse for the same time gets the first reply, and the other home may stop', async () => {
    const { connect, ask } = createTunnel()
    const [first, second] = [connect('attic'), connect('cellar')]
    const asked = await ask()
    for (const [home, status] of [
      [first, 429],
      [second, 503],
    ] as const) {
      home.reply(status, [['retry-after', '5']])
      await turns()
    }
    expect(asked.reply?.status).toBe(429)
    expect(second.socket.sent.at(-1)).toEqual({ type: 'abort', id: second.id() })
  })

  test('that every home is too busy for may come again; that one fails at is not asked of the next', async () => {
    const busy = createTunnel()
    const { say, id } = busy.connect('attic')
    const refused = await busy.ask()
    say({ type: 'busy', id: id() })
    await turns()
    expect(refused.reply?.status).toBe(429)
    const broken = createTunnel()
    const [first, second] = [broken.connect('attic'), broken.connect('cellar')]
    const failed = await broken.ask()
    first.accept()
    first.say({ type: 'error', id: first.id(), message: 'failed: TypeError' })
    await turns()
    expect([failed.reply?.status, second.offered().length]).toEqual([502, 0])
  })

  test('is passed on as GET or POST, with a body of four megabytes at most', async () => {
    const { object, connect, ask } = createTunnel()
    const { socket, end, reply } = connect('attic', { capacity: 9 })
    void object.fetch(new Request('https://edge.example/health?a=b'))
    await turns()
    expect(socket.sent.at(-1)).toMatchObject({ method: 'GET', path: '/health?a=b' })
    reply()
    end()
    expect((await ask('x'.repeat(maxRequestBytes))).reply).toBeUndefined()
    expect(socket.sent.at(-1)).toMatchObject({ method: 'POST', path: '/v1/search' })
    expect((await ask('x'.repeat(maxRequestBytes + 1))).reply?.status).toBe(413)
  })

  test('is answered by the next home, also when one that refused it is gone meanwhile', async () => {
    const { object, connect, ask } = createTunnel()
    const [first, second] = [connect('attic'), connect('cellar')]
    const asked = await ask()
    first.reply(503)
    await turns()
    first.socket.readyState = WebSocket.CLOSED
    object.webSocketClose(first.socket, 1006)
    second.reply(200)
    await turns()
    expect(asked.reply?.status).toBe(200)
  })

  test('lets the home that refused it rest for as long as it says, a minute at most, five seconds by default', async () => {
    for (const [says, seconds] of [
      ['7', 7],
      ['600', 60],
      [undefined, 5],
    ] as const) {
      const { object, connect, ask } = createTunnel()
      const { socket, reply, end } = connect('attic')
      await ask()
      reply(429, says === undefined ? [] : [['retry-after', says]])
      await turns()
      end()
      await pass(seconds * 1000 - 1)
      socket.pingedAt = Date.now()
      expect(await homesOf(object)).toMatchObject([{ problem: 'at a limit', running: 0 }])
      await pass(1)
      expect((await homesOf(object))[0]?.problem).toBeUndefined()
    }
  })

  test('goes to the home with the fewest for each worker, of equal ones to that which came first, and never beyond its room', async () => {
    const { sockets, connect, ask, object } = createTunnel()
    const large = connect('attic', { capacity: 3, workers: 2 })
    await pass(1)
    const small = connect('cellar', { capacity: 1, workers: 1 })
    sockets.reverse()
    expect(await homesOf(object)).toMatchObject([{ name: 'attic' }, { name: 'cellar' }])
    const counts = async (body: string) => {
      const asked = await ask(body)
      return [large.offered().length, small.offered().length, asked.reply?.status]
    }
    expect(await counts('one')).toEqual([1, 0, undefined])
    expect(await counts('two')).toEqual([1, 1, undefined])
    expect(await counts('three')).toEqual([2, 1, undefined])
    expect(await counts('four')).toEqual([3, 1, undefined])
    expect(await counts('five')).toEqual([3, 1, 429])
  })

  test('that equals a running one goes where that runs, unless that home rests', async () => {
    const { connect, ask } = createTunnel()
    const [first, second] = [connect('attic', { capacity: 3 }), connect('cellar', { capacity: 3 })]
    await ask('same')
    await ask('same')
    expect([first.offered().length, second.offered().length]).toEqual([2, 0])
    first.say({ type: 'state', ready: false })
    await ask('same')
    expect([first.offered().length, second.offered().length]).toEqual([2, 1])
  })

  test('whose client has gone is taken back, and asked of nobody else', async () => {
    const { connect, ask } = createTunnel()
    const [first, second] = [connect('attic'), connect('cellar')]
    const leaving = new AbortController()
    const asked = await ask('question', leaving.signal)
    leaving.abort()
    await turns()
    expect(first.socket.sent.at(-1)).toEqual({ type: 'abort', id: first.id() })
    expect([second.offered().length, asked.reply?.status]).toEqual([0, 499])
  })

  test('has a round trip from the offer to its acceptance', async () => {
    const { object, connect, ask } = createTunnel()
    const { accept } = connect('attic')
    await ask()
    await pass(120)
    accept()
    await turns()
    await pass(1000)
    expect(await homesOf(object)).toMatchObject([{ roundTripMs: 120 }])
  })
})

describe('a login', () => {
  test('replaces the connection of the same home, and 32 homes have room', async () => {
    const tunnel = createTunnel()
    const { object, sockets, connect } = tunnel
    for (let index = 0; index < 31; index++) connect(`home-${index}`)
    expect((await login(object, 'attic')).status).toBe(101)
    expect((await login(object, 'home-0')).status).toBe(101)
    expect(sockets[0]?.closes).toEqual([[closeCodes.replaced, expect.stringContaining('replaced')]])
    expect(sockets[1]?.closes).toEqual([])
    expect((await login(object, 'one-more')).status).toBe(503)
    expect(await homesOf(object)).toHaveLength(32)
  })

  test('without a WebSocket, or a second time, connects nobody', async () => {
    const { object, sockets } = createTunnel()
    const claims = { home: 'attic', capacity: 1, version: protocolVersion, edge: 'edge.example' }
    const authorization = await signLogin(secret, claims, { now: Date.now() })
    const send = (headers: Record<string, string>) =>
      object.fetch(new Request(`https://edge.example${objectPaths.connect}`, { headers }))
    expect((await send({})).status).toBe(401)
    expect((await send({ authorization })).status).toBe(426)
    expect((await send({ authorization, upgrade: 'websocket' })).status).toBe(401)
    expect(sockets).toEqual([])
  })

  test('lets nobody in where the edge has no secret', async () => {
    const { object, sockets } = createTunnel({})
    const reply = await login(object, 'attic')
    expect([reply.status, sockets]).toEqual([503, []])
    expect(await reply.json()).toMatchObject({ code: 'no-secret' })
  })
})
