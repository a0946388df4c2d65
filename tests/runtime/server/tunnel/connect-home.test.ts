import { afterEach, describe, expect, setSystemTime, spyOn, test } from 'bun:test'
import { eventually } from '@csp/testing/eventually'
import { quickTimers } from '@csp/testing/quick-timers'
import {
  type ConnectHomeOptions,
  connectHome,
  type HomeLink,
  type LinkState,
} from '../../../../src/runtime/server/tunnel/connect-home.ts'
import { type FakeEdge, fakeEdge } from './fake-edge.ts'

const links: HomeLink[] = []
afterEach(async () => {
  setSystemTime()
  await Promise.all(links.splice(0).map((link) => link.stop(AbortSignal.abort())))
})

/** A home of an edge, and where its link stood. */
function connect({ url }: Pick<FakeEdge, 'url'>, more: Partial<ConnectHomeOptions> = {}) {
  const states: LinkState[] = []
  const link = connectHome({
    ...{ url, secret: 'a-secret-of-the-tests', home: 'attic', capacity: 7, workers: 3, random: () => 0.01 },
    handler: () => new Response('answered'),
    onState: (state) => states.push(state),
    ...more,
  })
  links.push(link)
  const waits = () => states.flatMap((state) => ('retryInMs' in state ? [state.retryInMs] : []))
  return { link, states, waits }
}

const request = (id: number) =>
  JSON.stringify({ type: 'request', id, method: 'GET', path: '/', headers: [], window: 9 })

describe('the link of a home', () => {
  test('logs in with its name, its capacity and its edge, and says how it stands', async () => {
    using edge = fakeEdge()
    const { link, states } = connect(edge)
    expect(link.status()).toEqual({
      ...{ url: edge.url, home: 'attic', connected: false, running: 0, served: 0 },
      ...{ connectedSince: undefined, roundTripMs: undefined, lastError: undefined },
    })
    await eventually(() => states.length === 3)
    expect(states.map(({ name }) => name)).toEqual(['connecting', 'connected', 'measured'])
    const [login = ''] = edge.asked.map((headers) => headers.get('authorization'))
    expect(login).toMatch(/home=attic/)
    expect(login).toMatch(/capacity=7/)
    expect(login).toMatch(/workers=3/)
    const { roundTripMs, connectedSince, ...rest } = link.status()
    expect(roundTripMs).toBeNumber()
    expect(connectedSince).toMatch(/^\d{4}-\d\d-\d\dT/)
    expect(rest).toMatchObject({ connected: true, running: 0, served: 0 })
    edge.socket()?.send(request(1))
    await eventually(() => link.status().served === 1)
    await link.stop(AbortSignal.abort())
    await link.ended
    expect(states.at(-1)).toEqual({ name: 'stopped' })
    expect(link.status()).toMatchObject({ connected: false, roundTripMs: undefined, served: 1, lastError: undefined })
  })

  test('measures the way in tenths of a millisecond', async () => {
    let ms = 1000
    const clock = spyOn(performance, 'now').mockImplementation(() => ms)
    try {
      using edge = fakeEdge({
        onMessage(socket, message) {
          ms += 12.34
          if (message === 'ping') socket.send('pong')
        },
      })
      const measured = Promise.withResolvers<LinkState>()
      connect(edge, { onState: (state) => state.name === 'measured' && measured.resolve(state) })
      expect(await measured.promise).toEqual({ name: 'measured', roundTripMs: 12.3 })
    } finally {
      clock.mockRestore()
    }
  })

  test('measures the way again and again, and reports the first time alone', async () => {
    using edge = fakeEdge()
    const { states } = connect(edge, { pingIntervalMs: 5 })
    await eventually(() => edge.received.length > 4)
    expect(states.map(({ name }) => name)).toEqual(['connecting', 'connected', 'measured'])
  })

  test('that is lost is back within a second thirty times, and then waits longer each time', async () => {
    using _ = quickTimers()
    using edge = fakeEdge({ onOpen: (socket) => socket.close(4000, 'Deployed.') })
    const { link, waits, states } = connect(edge)
    await eventually(() => waits().length >= 32)
    expect(waits().slice(0, 32)).toEqual([5, ...Array(29).fill(10), 20, 40])
    expect(states).toContainEqual({ name: 'lost', reason: 'Deployed.', retryInMs: 5 })
    expect(link.status().lastError).toBe('Deployed.')
  })

  test('that has stood for more than five seconds begins with the shortest wait again', async () => {
    const start = Date.parse('2026-11-20T10:00:00Z')
    const stays = [0, 5000, 5001, 0]
    setSystemTime(start)
    using edge = fakeEdge({
      onMessage(socket, message) {
        if (message !== 'ping') return
        setSystemTime(Date.now() + (stays.shift() ?? 0))
        socket.close(4000, 'Deployed.')
      },
    })
    const { waits } = connect(edge)
    await eventually(() => waits().length >= 4)
    expect(waits().slice(0, 4)).toEqual([5, 10, 3, 5])
  })

  test('that is refused says why, and is tried again after half a minute at most', async () => {
    using edge = fakeEdge({
      refuse: () => Response.json({ type: 'error', code: 'login', message: 'Invalid login.' }, { status: 401 }),
    })
    const { link, states } = connect(edge)
    await eventually(() => states.length === 2)
    expect(states[1]).toMatchObject({
      name: 'refused',
      refusal: { code: 'login', message: 'Invalid login.' },
      retryInMs: 30_000,
    })
    expect(link.status()).toMatchObject({ connected: false, lastError: 'Invalid login.' })
    // Asked by HTTP, the edge sees a login as well, and a new one.
    const logins = edge.asked.map((headers) => headers.get('authorization') ?? '')
    expect(logins.map((login) => /home=attic/.test(login))).toEqual([true, true])
    expect(new Set(logins).size).toBe(2)
  })

  test('whose edge is not available says how the connection ended', async () => {
    using edge = fakeEdge({ refuse: () => new Response('', { status: 500 }) })
    const { states } = connect(edge)
    await eventually(() => states.length >= 2)
    expect(states[1]).toMatchObject({ name: 'lost', retryInMs: 20 })
    expect(JSON.stringify(states[1])).toContain('101')
  })

  test('that another csp has taken ends for good', async () => {
    using edge = fakeEdge({ onOpen: (socket) => socket.close(4409, 'Replaced.') })
    const { link, states } = connect(edge)
    await link.ended
    expect(states.map(({ name }) => name)).toEqual(['connecting', 'connected', 'replaced'])
    expect(link.status()).toMatchObject({ connected: false, lastError: 'Replaced.' })
    expect(edge.asked).toHaveLength(1)
  })

  test('is stopped once what runs has ended, or cut where nobody waits', async () => {
    for (const isCut of [false, true]) {
      using edge = fakeEdge()
      const gate = Promise.withResolvers<void>()
      const handler = async () => {
        await gate.promise
        return new Response('answered')
      }
      const { link, states } = connect(edge, { handler })
      await eventually(() => states.length === 3)
      edge.socket()?.send(request(1))
      await eventually(() => link.status().running === 1)
      const leave = new AbortController()
      let isStopped = false
      const stopping = link.stop(leave.signal).then(() => {
        isStopped = true
      })
      await eventually(() => edge.received.some((message) => String(message).includes('drain')))
      expect(isStopped).toBe(false)
      if (isCut) leave.abort()
      else gate.resolve()
      await stopping
      if (!isCut) expect(edge.closed).toHaveLength(1)
      await link.ended
      await eventually(() => edge.closed.length === 1)
      // Cut off, it says nothing more.
      expect(edge.closed[0]?.[1]).toBe(isCut ? '' : 'csp is stopping.')
      gate.resolve()
    }
  })

  test('is stopped while it waits for its edge, and before it has begun', async () => {
    const { link, states } = connect({ url: 'http://127.0.0.1:9' }, { random: () => 1 })
    await eventually(() => states.some(({ name }) => name === 'lost'))
    await link.stop(AbortSignal.abort())
    await link.ended
    expect(states.map(({ name }) => name)).toEqual(['connecting', 'lost', 'stopped'])
    using edge = fakeEdge()
    const other = connect(edge)
    await other.link.stop(AbortSignal.abort())
    await other.link.ended
    expect(other.states.map(({ name }) => name)).toEqual(['connecting', 'stopped'])
  })
})
