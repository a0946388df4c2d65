import { afterEach, beforeEach, describe, expect, type Mock, spyOn, test } from 'bun:test'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createApp } from '../../../src/app.ts'
import { cspAt } from '../../../src/runtime/server/csp-at.ts'
import { ListenError, startServer } from '../../../src/runtime/server/server.ts'
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
  const stopped = server.stop(never)
  expect(await fetch(server.url).catch(() => 'refused')).toBe('refused')
  release.resolve()
  expect(await reply).toBe('finished')
  await stopped
})

test('stopping the server cuts a running request off when the signal is aborted', async () => {
  const reached = Promise.withResolvers<void>()
  const aborted = Promise.withResolvers<void>()
  const server = await startServer(
    (request) => {
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
