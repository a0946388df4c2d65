import { afterEach, beforeEach, describe, expect, jest, type Mock, spyOn, test } from 'bun:test'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createApp } from '../../../src/app.ts'
import type { ConnectionLimit } from '../../../src/runtime/server/connection-limit.ts'
import { cspAt } from '../../../src/runtime/server/csp-at.ts'
import { type Fetch, ListenError, startServer } from '../../../src/runtime/server/server.ts'
import { scriptedExecutor } from '../../support/scripted-executor.ts'

const never = new AbortController().signal
const health = () => Response.json({ status: 'ok', version: '9.9.9' })

describe('a port in use', () => {
  // The other csp has a second for each answer, which passes where a test says so.
  let patience: Mock<typeof AbortSignal.timeout>
  beforeEach(() => {
    patience = spyOn(AbortSignal, 'timeout').mockImplementation(() => never)
  })
  afterEach(() => patience.mockRestore())

  test('by another csp is recognised', async () => {
    const first = await startServer(health, '127.0.0.1', 0)
    const port = Number(new URL(first.url).port)
    const failure = await startServer(health, '127.0.0.1', port).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ListenError)
    expect(String(failure)).toContain(`Port ${port} is in use by csp 9.9.9`)
    expect(String(failure)).toContain(`--port ${port + 1}`)
    await first.stop(never)
  })

  test('by a csp with keys is recognised, and its version with its key alone', async () => {
    const app = createApp({ executor: scriptedExecutor([]), version: '9.9.9', keys: ['secret'] })
    const first = await startServer((request) => app.fetch(request), '127.0.0.1', 0)
    const port = Number(new URL(first.url).port)
    expect(await cspAt(first.url)).toMatchObject({ version: undefined, title: 'csp' })
    expect(await cspAt(first.url, 'secret')).toMatchObject({ version: '9.9.9', title: 'csp 9.9.9' })
    const failure = await startServer(health, '127.0.0.1', port).catch((error: unknown) => error)
    expect(String(failure)).toContain(`Port ${port} is in use by csp, which you can use as it is`)
    await first.stop(never)
  })

  test('by a csp that is still looking at its backends is recognised, since it says at once that it is there', async () => {
    const inner = scriptedExecutor([])
    const late = new AbortController()
    const health = () => {
      late.abort()
      return new Promise<never>(() => {})
    }
    const slow = { ...inner, health }
    const app = createApp({ executor: slow, version: '9.9.9', keys: ['secret'] })
    const first = await startServer((request) => app.fetch(request), '127.0.0.1', 0)
    patience.mockImplementationOnce(() => late.signal)
    expect(await cspAt(first.url, 'secret')).toEqual({ title: 'csp' })
    await first.stop(AbortSignal.abort())
  })

  test('by another program is recognised as such', async () => {
    const other = createServer((socket) => socket.end('nothing that csp knows\r\n')).listen(0, '127.0.0.1')
    await once(other, 'listening')
    const address = other.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const failure = await startServer(health, '127.0.0.1', port).catch((error: unknown) => error)
    other.close()
    expect(String(failure)).toContain(`Port ${port} is in use by another program`)
  })
})

test('listening on an address of another machine is refused with a clear message', async () => {
  const failure = await startServer(health, '192.0.2.1', 0).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(ListenError)
  expect(String(failure)).toContain('192.0.2.1 is not an address of this machine')
})

test.each([
  ['EACCES', 'This user may not listen on port 4711. Choose one above 1023 with --port.'],
  ['EADDRNOTAVAIL', '127.0.0.1 is not an address of this machine. Check --host.'],
  [
    'EADDRINUSE',
    'Port 4711 is in use by another program. To use another port: --port 4712, or --port 0 for any free one.',
  ],
])('a port that cannot be had for %s is said in words', async (code, message) => {
  const cause = Object.assign(new Error('Failed.'), { code })
  const serve = spyOn(Bun, 'serve').mockImplementation(() => {
    throw cause
  })
  try {
    const failure = await startServer(health, '127.0.0.1', 4711, true).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ListenError)
    expect(failure).toMatchObject({ message })
    serve.mockImplementation(() => {
      throw new Error('Something else.')
    })
    expect(await startServer(health, '127.0.0.1', 4711, true).catch(String)).toContain('Something else.')
  } finally {
    serve.mockRestore()
  }
})

test('an address that does not even refuse a connection is asked for a second, and then listened on', async () => {
  const connect = spyOn(Bun, 'connect').mockImplementation(() => new Promise(() => {}))
  const serve = spyOn(Bun, 'serve').mockImplementation(() => {
    throw Object.assign(new Error('no'), { code: 'EADDRNOTAVAIL' })
  })
  jest.useFakeTimers()
  try {
    let failure: unknown
    const starting = startServer(health, '192.0.2.1', 4711).catch((error: unknown) => {
      failure = error
    })
    jest.advanceTimersByTime(999)
    await new Promise((resolve) => setImmediate(resolve))
    expect([connect.mock.calls.length, serve.mock.calls.length]).toEqual([1, 0])
    jest.advanceTimersByTime(1)
    await starting
    expect(String(failure)).toContain('192.0.2.1 is not an address of this machine')
  } finally {
    jest.useRealTimers()
    for (const each of [connect, serve]) each.mockRestore()
  }
})

test('on all addresses a port in use is found by loopback', async () => {
  const first = await startServer(health, '127.0.0.1', 0)
  for (const host of ['0.0.0.0', '::']) {
    expect(await startServer(health, host, first.port).catch(String)).toContain(
      `Port ${first.port} is in use by csp 9.9.9`,
    )
  }
  await first.stop(AbortSignal.abort())
})

describe('a body that is not read', () => {
  /** What a server that reads no body answers to this one, and whether the connection ends. */
  async function answerTo(body: BodyInit, keeps = false) {
    const server = await startServer(
      async (_, connection) => {
        await Bun.sleep(0)
        if (keeps) connection.keepOpen()
        return new Response('no', { status: 418, statusText: 'x', headers: { 'x-own': 'y' } })
      },
      '127.0.0.1',
      0,
    )
    const response = await fetch(server.url, { method: 'POST', body, duplex: 'half' } as RequestInit)
    const { status, headers } = response
    expect([status, headers.get('x-own'), await response.text()]).toEqual([418, 'y', 'no'])
    await server.stop(AbortSignal.abort())
    return headers.get('connection')
  }
  const limit = 1024 * 1024
  const unknownLength = () =>
    new ReadableStream({
      start(controller) {
        controller.enqueue(new Uint8Array(9))
        controller.close()
      },
    })

  test('ends its connection where it is longer than a mebibyte, or nothing says how long it is', async () => {
    expect(await answerTo(new Uint8Array(limit + 1))).toBe('close')
    expect(await answerTo(unknownLength())).toBe('close')
  })

  test('and is short, or will be read on, keeps its connection', async () => {
    expect(await answerTo(new Uint8Array(limit))).not.toBe('close')
    expect(await answerTo(new Uint8Array(limit + 1), true)).not.toBe('close')
  })

  /** What Bun is given as the answer to a request. */
  async function answerOf(answer: Fetch) {
    const serve = spyOn(Bun, 'serve').mockReturnValue({ port: 4711, stop: async () => {} } as never)
    await startServer(answer, '127.0.0.1', 0)
    const [options] = serve.mock.calls[0] ?? []
    serve.mockRestore()
    expect(options).toMatchObject({ development: false, maxRequestBodySize: Number.MAX_SAFE_INTEGER })
    const { fetch } = options as { fetch: (...of: unknown[]) => Promise<Response> }
    return (body: ReadableStream) =>
      fetch(new Request('http://csp', { method: 'POST', body, duplex: 'half' } as RequestInit), {
        requestIP: () => null,
      })
  }

  test('is read on and dropped, up to 32 MiB', async () => {
    const piece = new Uint8Array(limit)
    let [pieces, isCancelled] = [0, false]
    const endless = new ReadableStream(
      {
        pull: (controller) => {
          pieces++
          controller.enqueue(piece)
        },
        cancel: () => {
          isCancelled = true
        },
      },
      { highWaterMark: 0 },
    )
    const reply = await (await answerOf(() => new Response('no')))(endless)
    expect([pieces, isCancelled, reply.headers.get('connection')]).toEqual([32, true, 'close'])
  })

  test('and does not come is waited for five seconds', async () => {
    const answer = await answerOf(() => new Response('no'))
    jest.useFakeTimers()
    try {
      let reply: Response | undefined
      const replying = answer(new ReadableStream()).then((response) => {
        reply = response
      })
      await new Promise((resolve) => setImmediate(resolve))
      jest.advanceTimersByTime(4999)
      await new Promise((resolve) => setImmediate(resolve))
      expect(reply).toBeUndefined()
      jest.advanceTimersByTime(1)
      await replying
      expect(reply?.headers.get('connection')).toBe('close')
    } finally {
      jest.useRealTimers()
    }
  })

  test('by the server, since the app reads it still, is left to the app', async () => {
    const answer = await answerOf(({ body }) => {
      body?.getReader()
      return new Response('no')
    })
    expect((await answer(unknownLength())).headers.get('connection')).toBe('close')
  })
})

test('a request may take its time once its connection is kept open, until it is released', async () => {
  const limits: unknown[] = []
  const serve = Bun.serve
  const starting = spyOn(Bun, 'serve').mockImplementation(((options: Bun.Serve.Options<unknown>) => {
    const { fetch: answer, idleTimeout } = options as { fetch: (...of: unknown[]) => unknown; idleTimeout: number }
    limits.push(idleTimeout)
    const server = { requestIP: () => null, timeout: (_: unknown, seconds: number) => limits.push(seconds) }
    return serve({ ...options, fetch: (request: Request) => answer(request, server) } as never)
  }) as never)
  try {
    const server = await startServer(
      (_, connection) => {
        connection.keepOpen()
        connection.release()
        return new Response('done')
      },
      '127.0.0.1',
      0,
    )
    await (await fetch(server.url)).text()
    expect(limits).toEqual([10, 0, 10])
    await server.stop(AbortSignal.abort())
  } finally {
    starting.mockRestore()
  }
})

test('the limit of connections hears of the port, of each caller and of the end, and says which reply is the last', async () => {
  const heard: unknown[] = []
  const limit: ConnectionLimit = {
    watch: (port) => void heard.push(['watch', port]),
    began(peer) {
      heard.push(['began', peer > 1023])
      return { isLast: heard.length > 2, admit: () => true, ended: () => void heard.push('ended') }
    },
    end: () => void heard.push('end'),
  }
  const answer: Fetch = (_, connection) => {
    connection.release()
    return new Response('x')
  }
  const server = await startServer(answer, '127.0.0.1', 0, false, limit)
  const closes = [await fetch(server.url), await fetch(server.url)].map(({ headers }) => headers.get('connection'))
  await server.stop(never)
  expect(closes).toEqual([null, 'close'])
  const each = [['began', true], 'ended'] as const
  expect(heard).toEqual([['watch', server.port], ...each, ...each, 'end'])
})

test('stopping the server lets a running request finish and accepts no new one', async () => {
  const reached = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const server = await startServer(
    async () => {
      reached.resolve()
      await release.promise
      return new Response('finished')
    },
    '127.0.0.1',
    0,
  )
  const reply = fetch(server.url).then((response) => response.text())
  await reached.promise
  let isStopped = false
  const stopped = server.stop(never).then(() => {
    isStopped = true
  })
  expect(await fetch(server.url).catch(() => 'refused')).toBe('refused')
  expect(isStopped).toBe(false)
  release.resolve()
  expect(await reply).toBe('finished')
  await stopped
})

test('stopping the server cuts a running request off when the signal is aborted', async () => {
  const reached = Promise.withResolvers<void>()
  const aborted = Promise.withResolvers<void>()
  const server = await startServer(
    (request, connection) => {
      // Otherwise an idle connection ends by itself.
      connection.keepOpen()
      request.signal.addEventListener('abort', () => aborted.resolve())
      reached.resolve()
      return new Promise<Response>(() => {})
    },
    '127.0.0.1',
    0,
  )
  const reply = fetch(server.url).catch(() => 'cut off')
  await reached.promise
  const now = new AbortController()
  const stopped = server.stop(now.signal)
  now.abort()
  expect(await reply).toBe('cut off')
  await aborted.promise
  await stopped
})

test('an address where nothing listens has no csp', async () => {
  expect(await cspAt('http://127.0.0.1:9')).toBeUndefined()
})
