import { expect, test } from 'bun:test'
import { eventually } from '@csp/testing/eventually'
import { type HomeState, TunnelServer } from '../../../src/tunnel/home/tunnel-server.ts'
import type { ToEdge } from '../../../src/tunnel/protocol.ts'

/** A home whose states follow one another, and what the edge is told. */
function stating(status: number, ...states: readonly (HomeState | Error)[]) {
  const frames: ToEdge[] = []
  const left = [...states]
  const home = new TunnelServer({
    handler: async () => new Response(null, { status }),
    capacity: 2,
    onEnd: () => {},
    send: (message) => typeof message === 'string' && frames.push(JSON.parse(message)),
    state: async () => {
      const state = left.shift() ?? { ready: true }
      if (state instanceof Error) throw state
      return state
    },
  })
  return { home, frames, states: () => frames.filter(({ type }) => type === 'state') }
}

test('a home tells the edge how it stands when that has changed', async () => {
  const out = { ready: false, problem: 'It is signed out.' }
  const { home, frames } = stating(
    503,
    { ready: true },
    out,
    out,
    { ...out, problem: 'It has no CLI.' },
    new Error('x'),
    {
      ready: true,
    },
  )
  expect(home.isReady).toBe(true)
  const told: number[] = []
  const isReady: boolean[] = []
  for (let count = 0; count < 6; count++) {
    await home.reportState()
    told.push(frames.length)
    isReady.push(home.isReady)
  }
  expect(told).toEqual([0, 1, 1, 2, 2, 3])
  expect(isReady).toEqual([true, false, false, false, false, true])
  expect(frames).toEqual([
    { type: 'state', ...out },
    { type: 'state', ready: false, problem: 'It has no CLI.' },
    { type: 'state', ready: true },
  ])
})

test('a long problem is told in a frame that the edge takes', async () => {
  const { home, frames } = stating(503, { ready: false, problem: 'x'.repeat(500) })
  await home.reportState()
  expect(frames).toEqual([{ type: 'state', ready: false, problem: 'x'.repeat(300) }])
})

test('a home that says nothing of itself is ready', async () => {
  const frames: unknown[] = []
  const home = new TunnelServer({
    ...{ handler: () => new Response(), capacity: 1, onEnd: () => {} },
    send: (message) => frames.push(message),
  })
  await home.reportState()
  expect([home.isReady, frames]).toEqual([true, []])
})

test.each([
  [429, true],
  [503, true],
  [200, false],
  [500, false],
])('a reply with the status %i is followed by a look at how the home stands: %p', async (status, isFollowed) => {
  const { home, frames, states } = stating(status, { ready: false, problem: 'No room.' })
  home.take(JSON.stringify({ type: 'request', id: 1, method: 'GET', path: '/', headers: [], window: 10 }))
  await eventually(() => frames.some(({ type }) => type === 'end'))
  await home.drain()
  expect(states()).toEqual(isFollowed ? [{ type: 'state', ready: false, problem: 'No room.' }] : [])
})
