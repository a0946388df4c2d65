import { describe, expect, test } from 'bun:test'
import type { EdgeSocket } from 'cloudflare:workers'
import { attachmentFor, ConnectedHome } from '../../../src/tunnel/edge/connected-home.ts'
import { closeCodes, maxControlLength, packData, type ToHome, windowBytes } from '../../../src/tunnel/protocol.ts'

const offer = { method: 'POST' as const, path: '/x', headers: [], body: 'same' }

/** A home as the edge sees it, with what the edge sends it. */
function connected({ isOpen = true, pingAt = 0 } = {}) {
  const sent: ToHome[] = []
  const kept: unknown[] = [attachmentFor({ home: 'attic', capacity: 4, workers: 2 }, 1000)]
  const closes: unknown[] = []
  const refuse = () => {
    if (!isOpen) throw new Error('The socket is closing.')
  }
  const socket = {
    send: (text: string) => {
      refuse()
      sent.push(JSON.parse(text))
    },
    close: (code: number) => {
      refuse()
      closes.push(code)
    },
    serializeAttachment: (value: unknown) => kept.push(value),
    deserializeAttachment: () => kept.at(-1),
  } as unknown as EdgeSocket
  const home = new ConnectedHome(socket, () => pingAt)
  const take = (frame: object, now = 2000) => home.take(JSON.stringify(frame), now)
  return { home, take, sent, closes, socket }
}

describe('the requests of a home', () => {
  test('have ids of their own, which begin at random: a home that slept may still have earlier ones', () => {
    const firsts = Array.from({ length: 4 }, () => connected().home.offer(offer).id)
    expect(new Set(firsts).size).toBe(4)
    const { home } = connected()
    const ids = Array.from({ length: 4 }, () => home.offer(offer).id)
    expect(ids.map((id) => (id - (ids[0] ?? 0)) >>> 0)).toEqual([0, 1, 2, 3])
  })

  test('are offered with a window, and count until they end', () => {
    const { home, take, sent } = connected()
    const [{ id }, other] = [home.offer(offer), home.offer({ ...offer, body: 'other' })]
    expect(sent[0]).toEqual({ type: 'request', id, window: windowBytes, ...offer })
    expect([home.running, home.load, home.runs(offer), home.isDraining]).toEqual([2, 1, true, false])
    expect(take({ type: 'busy', id })).toBeUndefined()
    expect([home.running, home.load, home.runs(offer), home.runs({ ...offer, body: 'other' })]).toEqual([
      ...[1, 0.5, false, true],
    ])
    home.lose()
    expect(other.accepted.promise).rejects.toMatchObject({ reason: 'lost' })
    expect([home.running, home.runs({ ...offer, body: 'other' })]).toEqual([0, false])
  })

  test('without a body are like no other', () => {
    const { home } = connected()
    const { body: _, ...bare } = offer
    home.offer(bare)
    expect(home.runs(bare)).toBe(false)
  })
})

describe('a home', () => {
  test('was last seen when it connected, sent a frame or a ping, whichever was latest', () => {
    expect(connected().home.lastSeenAt).toBe(1000)
    const { home, take } = connected({ pingAt: 1500 })
    expect(home.lastSeenAt).toBe(1500)
    take({ type: 'state', ready: true }, 1700)
    expect(home.lastSeenAt).toBe(1700)
  })

  test('is silent from when it is suspected until it sends anything', () => {
    const { home, take } = connected()
    expect(home.isSilent).toBe(false)
    home.suspect(1800)
    expect(home.isSilent).toBe(true)
    take({ type: 'state', ready: true }, 1800)
    expect(home.isSilent).toBe(true)
    take({ type: 'state', ready: true }, 1801)
    expect(home.isSilent).toBe(false)
  })

  test('rests for a while, until it says that it is ready, and as long as it says that it is not', () => {
    const { home, take } = connected()
    expect(home.problemAt(0)).toBeUndefined()
    home.rest(3000, 'at a limit')
    expect([home.problemAt(2999), home.problemAt(3000)]).toEqual(['at a limit', undefined])
    take({ type: 'state', ready: true })
    expect(home.problemAt(2999)).toBeUndefined()
    take({ type: 'state', ready: false })
    expect(home.problemAt(1e15)).toBe('not ready')
    take({ type: 'state', ready: false, problem: 'signed out' })
    expect(home.problemAt(1e15)).toBe('signed out')
    take({ type: 'state', ready: true })
    expect(home.problemAt(0)).toBeUndefined()
  })

  test('is the same after the object slept', () => {
    const { take, socket } = connected()
    take({ type: 'drain' })
    take({ type: 'state', ready: false, problem: 'signed out' })
    const woken = new ConnectedHome(socket, () => 0)
    const { name, connectedAt, capacity, isDraining } = woken
    expect({ name, connectedAt, capacity, isDraining, problem: woken.problemAt(0) }).toEqual({
      ...{ name: 'attic', connectedAt: 1000, capacity: 4, isDraining: true, problem: 'signed out' },
    })
  })

  test.each<[string, (id: number) => string | ArrayBuffer, string | undefined]>([
    ['a text that is no frame', () => 'hello', 'a malformed frame'],
    ['a frame that is too long', () => `{"type":"drain"${' '.repeat(maxControlLength)}}`, 'a malformed frame'],
    [
      'a data frame without data',
      (id) => packData({ id, bytes: new Uint8Array(0) }).buffer,
      'a data frame of the wrong size',
    ],
    [
      'data of another request',
      (id) => packData({ id: (id ^ 1) >>> 0, bytes: new Uint8Array(1) }).buffer,
      'data for an unknown request',
    ],
    ['data before its reply', (id) => packData({ id, bytes: new Uint8Array(1) }).buffer, 'data before a reply'],
    [
      'an end of another request',
      (id) => JSON.stringify({ type: 'end', id: (id ^ 1) >>> 0 }),
      'a frame for an unknown request',
    ],
    ['an end before its reply', (id) => JSON.stringify({ type: 'end', id }), 'an end without a reply'],
    ['an accept', (id) => JSON.stringify({ type: 'accept', id }), undefined],
    ['that it stops', () => '{"type":"drain"}', undefined],
  ])('that sends %s', (_, message, problem) => {
    const { home } = connected()
    expect(home.take(message(home.offer(offer).id), 2000)).toBe(problem)
  })

  test('that is dismissed hears why, and loses its requests, also where its socket is closing', () => {
    const { home, sent, closes } = connected()
    const { accepted } = home.offer(offer)
    home.dismiss(closeCodes.silent, 'Gone.')
    expect(sent.at(-1)).toEqual({ type: 'bye', code: closeCodes.silent, reason: 'Gone.' })
    expect([closes, home.running]).toEqual([[closeCodes.silent], 0])
    expect(accepted.promise).rejects.toMatchObject({ reason: 'lost' })
    const closing = connected({ isOpen: false }).home
    closing.offer(offer)
    closing.dismiss(closeCodes.silent, 'Gone.')
    expect(closing.running).toBe(0)
  })
})
