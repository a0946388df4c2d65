import { describe, expect, test } from 'bun:test'
import { eventually } from '@csp/testing/eventually'
import { TunnelServer } from '../../../src/tunnel/home/tunnel-server.ts'
import { maxRequestBytes, packData, type ToEdge, unpackData } from '../../../src/tunnel/protocol.ts'

interface Sent {
  readonly server: TunnelServer
  readonly frames: ToEdge[]
  /** All bytes that were sent, whatever they are of, and in how many frames. */
  readonly bytes: () => number
  readonly dataFrames: () => number
  /** Settles once a frame of the type has been sent. */
  said(type: ToEdge['type']): Promise<void>
}

/** A tunnel server whose frames are recorded. */
function startServer(handler: (request: Request) => Response | Promise<Response>, capacity = 2): Sent {
  const frames: ToEdge[] = []
  const waiting = new Map<string, () => void>()
  let bytes = 0
  let dataFrames = 0
  const made = new TunnelServer({
    handler,
    capacity,
    onEnd: () => {},
    send(message) {
      if (typeof message !== 'string') {
        dataFrames += 1
        bytes += unpackData(message.buffer)?.bytes.byteLength ?? Number.NaN
        return
      }
      const frame: ToEdge = JSON.parse(message)
      frames.push(frame)
      waiting.get(frame.type)?.()
    },
  })
  return {
    server: made,
    frames,
    bytes: () => bytes,
    dataFrames: () => dataFrames,
    said: (type) =>
      new Promise((resolve) => {
        if (frames.some((frame) => frame.type === type)) resolve()
        else waiting.set(type, resolve)
      }),
  }
}

function request(id: number, more: object = {}): string {
  return JSON.stringify({ type: 'request', id, method: 'GET', path: '/a', headers: [], window: 1000, ...more })
}

describe('the server of a home', () => {
  test.each(['drain', 'close'] as const)('takes no request after %s', async (end) => {
    let calls = 0
    const { server: home, frames } = startServer(() => {
      calls++
      return new Response('')
    })
    await home[end]()
    home.take(request(1))
    await Bun.sleep(1)
    expect([calls, frames.at(-1)]).toEqual([0, { type: 'busy', id: 1 } as never])
  })

  test('sends nothing of a reply that comes when the client has gone, and lets go of it', async () => {
    const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let isCancelled = false
    const body = new ReadableStream({
      cancel() {
        isCancelled = true
      },
    })
    const {
      server: home,
      frames,
      said,
    } = startServer(async () => {
      begun.resolve()
      await gate.promise
      return new Response(body)
    })
    home.take(request(7))
    await begun.promise
    home.take('{"type":"abort","id":7}')
    gate.resolve()
    await said('error')
    expect(frames.slice(1)).toEqual([{ type: 'error', id: 7, message: 'aborted' }])
    expect(isCancelled).toBe(true)
  })

  test('accepts a request before it begins and reports its end', async () => {
    const {
      server: home,
      frames,
      said,
      bytes,
    } = startServer(() => new Response('four', { headers: { 'x-secret': 'no', 'content-type': 'text/plain' } }))
    expect(home.take(request(7))).toBeUndefined()
    expect(frames).toEqual([{ type: 'accept', id: 7 }])
    await said('end')
    expect(frames.slice(1)).toEqual([
      { type: 'reply', id: 7, status: 200, headers: [['content-type', 'text/plain']] },
      { type: 'end', id: 7 },
    ])
    expect(bytes()).toBe(4)
  })

  test('passes the request on to the application', async () => {
    let seen: unknown
    const { server: home, said } = startServer(async (asked) => {
      seen = [asked.method, asked.url, asked.headers.get('x-csp-caller'), await asked.text()]
      return new Response()
    })
    home.take(request(7, { method: 'POST', path: '/v1/a?b=c', headers: [['x-csp-caller', 'me']], body: 'body' }))
    await said('end')
    expect(seen).toEqual(['POST', 'http://home.invalid/v1/a?b=c', 'me', 'body'])
  })

  test('begins nothing when the abort follows directly on the request', async () => {
    let begun = 0
    const { server: home, frames, said } = startServer(() => new Response(String(begun++)))
    home.take(request(7))
    home.take(JSON.stringify({ type: 'abort', id: 7 }))
    await said('error')
    expect(begun).toBe(0)
    expect(frames.at(-1)).toEqual({ type: 'error', id: 7, message: 'aborted' })
    expect(home.running).toBe(0)
  })

  test('sends no more than its credit allows, and continues with new credit', async () => {
    const { server: home, said, bytes } = startServer(() => new Response(new Uint8Array(2500)))
    home.take(request(7))
    await said('reply')
    await eventually(() => bytes() > 0)
    expect(bytes()).toBe(1000)
    home.take(JSON.stringify({ type: 'window', id: 7, bytes: 1500 }))
    await said('end')
    expect(bytes()).toBe(2500)
  })

  test('takes no more credit than it sends bytes', async () => {
    const body = new ReadableStream({
      start(controller) {
        for (const size of [2500, 3000]) controller.enqueue(new Uint8Array(size))
        controller.close()
      },
    })
    const { server: home, said, bytes } = startServer(() => new Response(body))
    home.take(request(7))
    await eventually(() => bytes() === 1000)
    home.take(JSON.stringify({ type: 'window', id: 7, bytes: 4500 }))
    await said('end')
    expect(bytes()).toBe(5500)
  })

  test('reads no more of a reply than it may soon send, and sends nothing of it after an abort', async () => {
    let read = 0
    const body = new ReadableStream(
      {
        pull(controller) {
          if (++read === 100) controller.close()
          else controller.enqueue(new Uint8Array(64 * 1024))
        },
      },
      { highWaterMark: 0 },
    )
    const { server: home, said, bytes, dataFrames } = startServer(() => new Response(body))
    home.take(request(7))
    await eventually(() => bytes() === 1000)
    for (let turns = 0; turns < 10; turns++) await new Promise((resolve) => setImmediate(resolve))
    expect(read).toBeLessThan(10)
    home.take(JSON.stringify({ type: 'abort', id: 7 }))
    await said('error')
    expect([dataFrames(), bytes()]).toEqual([1, 1000])
  })

  test('sends a burst of small chunks in few frames, in their order', async () => {
    const {
      server: home,
      said,
      bytes,
      dataFrames,
    } = startServer(
      () =>
        new Response(
          new ReadableStream({
            start(controller) {
              for (let left = 100; left > 0; left--) controller.enqueue(new Uint8Array(3))
              controller.close()
            },
          }),
        ),
    )
    home.take(request(7))
    await said('end')
    expect(bytes()).toBe(300)
    expect(dataFrames()).toBeLessThan(10)
  })

  test.each(['before its reply', 'while it waits for leave to send', 'in the middle of a body'])(
    'reports that it has stopped only when it has, when aborted %s',
    async (when) => {
      const stopped = Promise.withResolvers<void>()
      const begun = Promise.withResolvers<void>()
      let hasStopped = false
      const {
        server: home,
        frames,
        said,
      } = startServer(async ({ signal }) => {
        begun.resolve()
        if (when === 'before its reply') {
          await new Promise((resolve) => signal.addEventListener('abort', resolve))
          await stopped.promise
          hasStopped = true
          return new Response()
        }
        const size = when === 'in the middle of a body' ? 10 : 5000
        return new Response(
          new ReadableStream({
            pull: (controller) =>
              size === 10 && controller.desiredSize === 0
                ? new Promise(() => {})
                : controller.enqueue(new Uint8Array(size)),
            async cancel() {
              await stopped.promise
              hasStopped = true
            },
          }),
        )
      })
      home.take(request(7))
      await begun.promise
      if (when !== 'before its reply') await said('reply')
      home.take(JSON.stringify({ type: 'abort', id: 7 }))
      await Bun.sleep(5)
      expect(frames.some(({ type }) => type === 'error')).toBe(false)
      stopped.resolve()
      await said('error')
      expect(hasStopped).toBe(true)
    },
  )

  test('does not send the message of an internal failure', async () => {
    const {
      server: home,
      frames,
      said,
    } = startServer(() => {
      throw new TypeError('the path of a file')
    })
    home.take(request(7))
    await said('error')
    expect(frames.at(-1)).toEqual({ type: 'error', id: 7, message: 'failed: TypeError' })
  })

  test('is busy beyond its capacity, and while it drains', async () => {
    const gate = Promise.withResolvers<Response>()
    const { server: home, frames } = startServer(() => gate.promise, 1)
    home.take(request(1))
    home.take(request(2))
    expect(frames.at(-1)).toEqual({ type: 'busy', id: 2 })
    let isDrained = false
    const drained = home.drain().then(() => {
      isDrained = true
    })
    expect(frames.at(-1)).toEqual({ type: 'drain' })
    await Bun.sleep(0)
    expect(isDrained).toBe(false)
    gate.resolve(new Response())
    await drained
    home.take(request(3))
    expect(frames.at(-1)).toEqual({ type: 'busy', id: 3 })
  })
})

describe('a home whose edge breaks the protocol', () => {
  test.each([
    ['no JSON', '{'],
    ['no frame', '{"type":"dance"}'],
    ['a foreign method', request(1, { method: 'CONNECT' })],
    ['a path that is an address', request(1, { path: 'http://elsewhere.example/' })],
    ['a header that breaks its line', request(1, { headers: [['a\r\nb', 'c']] })],
    ['a window of nothing', request(1, { window: 0 })],
    ['a request that is too large', request(1, { body: 'x'.repeat(maxRequestBytes + 1) })],
  ])('notices %s and begins nothing', async (_, text) => {
    let begun = 0
    const { server: home } = startServer(() => new Response(String(begun++)))
    expect(home.take(text)).toBeString()
    await Bun.sleep(0)
    expect(begun).toBe(0)
  })

  test('takes the largest request that there may be', async () => {
    const { server: home, said } = startServer(async (asked) => new Response(String((await asked.text()).length)))
    expect(home.take(request(1, { method: 'POST', body: 'x'.repeat(maxRequestBytes) }))).toBeUndefined()
    await said('end')
  })

  test('notices a request id that is in use', () => {
    const { server: home } = startServer(() => new Promise(() => {}))
    home.take(request(1))
    expect(home.take(request(1))).toBe('a request id that is in use')
  })

  test('skips frames about requests that it does not have', () => {
    const { server: home } = startServer(() => new Response())
    expect(home.take(JSON.stringify({ type: 'window', id: 1, bytes: 5 }))).toBeUndefined()
    expect(home.take(JSON.stringify({ type: 'abort', id: 1 }))).toBeUndefined()
  })
})

test('a data frame is decoded to what was encoded', () => {
  const packed = packData({ id: 0xfffffffe, bytes: new Uint8Array([1, 2, 3]) })
  expect(unpackData(packed.buffer)).toEqual({ id: 0xfffffffe, bytes: new Uint8Array([1, 2, 3]) })
})
