import { describe, expect, test } from 'bun:test'
import { quickTimers } from '@csp/testing/quick-timers'
import { SearchError } from '../../../../src/domain/error.ts'
import { ApiClient, type ApiLimits } from '../../../../src/executor/backends/http/api-client.ts'
import { failureOf } from '../../../support/failure-of.ts'
import { hang, serveApi } from './api-server.ts'

const headers = { 'x-key': 'very-secret' }
const live = () => new AbortController().signal
const client = (limits: ApiLimits = {}) => new ApiClient('Example', '1.2.3', { requestsPerSecond: 0, ...limits })
const at = (base: string, path = '/a') => ({ url: new URL(path, base), headers })

async function streamed(limits: ApiLimits, url: string, signal = live()): Promise<string> {
  const explain = ({ status, text }: { status: number; text: string }) => new SearchError('failed', `${status} ${text}`)
  let text = ''
  for await (const chunk of client(limits).stream(at(url), explain, signal)) text += new TextDecoder().decode(chunk)
  return text
}

describe('a request to an API', () => {
  test('returns status, headers and the whole text', async () => {
    await using server = serveApi(() => new Response('seals 🦭', { status: 418, headers: { 'x-a': 'b' } }))
    const reply = await client().ask(at(server.url), live())
    expect([reply.status, reply.headers.get('x-a'), reply.text]).toEqual([418, 'b', 'seals 🦭'])
    expect(server.requests[0]?.headers.get('x-key')).toBe('very-secret')
    expect(server.requests[0]?.headers.get('user-agent')).toStartWith('claude-search-proxy/1.2.3 (+csp')
  })

  test('that fails does not show the keys that were sent', async () => {
    await using server = serveApi(() => new Response('No: very-secret and secret-too', { status: 401 }))
    const call = { url: new URL(server.url), headers: { ...headers, authorization: 'Bearer secret-too' } }
    expect((await client().ask(call, live())).text).toBe('No: [key] and [key]')
    expect(await failureOf(streamed({}, server.url))).toMatchObject({ message: '401 No: [key] and secret-too' })
  })

  test('with a body is sent as JSON', async () => {
    await using server = serveApi((request) => new Response(request.method))
    expect((await client().ask({ ...at(server.url), body: { q: 'é' } }, live())).text).toBe('POST')
    expect(server.requests[0]?.body).toBe('{"q":"é"}')
    expect(server.requests[0]?.headers.get('content-type')).toBe('application/json')
  })
})

describe('a redirect of an API', () => {
  test('within the origin is followed, with the key', async () => {
    await using server = serveApi((request) =>
      new URL(request.url).pathname === '/a'
        ? new Response('', { status: 302, headers: { location: '/b' } })
        : new Response('there'),
    )
    expect((await client().ask(at(server.url), live())).text).toBe('there')
    expect(server.requests[1]?.headers.get('x-key')).toBe('very-secret')
  })

  test.each([301, 302, 307, 308])(
    'to another origin (%d) is not followed, and the key is not sent there',
    async (status) => {
      await using other = serveApi(() => new Response('caught'))
      await using server = serveApi(() => new Response('', { status, headers: { location: `${other.url}/a` } }))
      const failure = await failureOf(client().ask(at(server.url), live()))
      expect(failure.code).toBe('unavailable')
      expect(failure.message).toContain(other.url)
      expect(other.requests).toHaveLength(0)
    },
  )

  test('is not followed endlessly, nor for a POST', async () => {
    await using server = serveApi(() => new Response('', { status: 307, headers: { location: '/a' } }))
    expect((await failureOf(client().ask(at(server.url), live()))).message).toContain('without end')
    expect(server.requests).toHaveLength(4)
    expect((await failureOf(client().ask({ ...at(server.url), body: {} }, live()))).code).toBe('unavailable')
    expect(server.requests).toHaveLength(5)
  })
})

describe('a limit of a request to an API', () => {
  test('bounds the size that is read, streamed or not', async () => {
    await using server = serveApi((request) => endless(request))
    expect((await failureOf(client({ maximumBytes: 10_000 }).ask(at(server.url), live()))).code).toBe('failed')
    expect((await failureOf(streamed({ maximumBytes: 10_000 }, server.url))).code).toBe('failed')
    await server.until(({ open }) => open === 0)
  })

  test('bounds the time of the head and that of the rest', async () => {
    using _ = quickTimers()
    await using silent = serveApi(hang)
    const failure = await failureOf(client({ deadlineMs: 50 }).ask(at(silent.url), live()))
    expect(failure.code).toBe('timeout')
    expect(failure.message).toBe(`Example at ${new URL(silent.url).host} sent nothing for 0.05 s.`)
    expect((await failureOf(streamed({ deadlineMs: 50 }, silent.url))).code).toBe('timeout')
    await silent.until(({ open }) => open === 0)

    await using halting = serveApi(halfOf)
    expect((await failureOf(client({ deadlineMs: 50 }).ask(at(halting.url), live()))).code).toBe('timeout')
    expect((await failureOf(streamed({ silenceMs: 50 }, halting.url))).code).toBe('timeout')
  })

  test('bounds the requests of a second: a third one waits, may leave, and its wait counts against the deadline', async () => {
    using _ = quickTimers()
    let requests = 0
    // At once, so that the deadline is met by those that need not wait.
    const fetch = async () => {
      requests++
      return new Response('ok')
    }
    const paced = client({ requestsPerSecond: 2, deadlineMs: 400, fetch })
    const ask = (signal: AbortSignal) => paced.ask(at('http://a.example'), signal)
    await Promise.all([ask(live()), ask(live())])
    const leaving = new AbortController()
    const left = failureOf(ask(leaving.signal))
    const late = failureOf(ask(live()))
    leaving.abort()
    expect((await left).code).toBe('cancelled')
    expect((await late).code).toBe('timeout')
    expect(requests).toBe(2)
  })
})

describe('a failure of a request to an API', () => {
  test('of the network names the host and no key', async () => {
    const gone = serveApi(() => new Response())
    await gone[Symbol.asyncDispose]()
    for (const work of [client().ask(at(gone.url, '/a?key=very-secret'), live()), streamed({}, gone.url)]) {
      const failure = await failureOf(work)
      expect(failure.code).toBe('unavailable')
      expect(failure.message).toBe(`Example at ${new URL(gone.url).host} cannot be reached.`)
    }
  })

  test('of a stream is explained from the whole reply', async () => {
    await using server = serveApi(() => new Response('no', { status: 503 }))
    expect((await failureOf(streamed({}, server.url))).message).toBe('503 no')
  })

  test.each([
    ['an abort', undefined, 'cancelled'],
    ['a time-out', new DOMException('Late', 'TimeoutError'), 'timeout'],
  ] as const)('by %s closes the connection', async (_, reason, code) => {
    for (const isStreamed of [false, true]) {
      const closed = Promise.withResolvers<void>()
      await using server = serveApi((request) => {
        request.signal.addEventListener('abort', () => closed.resolve(), { once: true })
        return halfOf()
      })
      const leaving = new AbortController()
      const work = isStreamed ? streamed({}, server.url, leaving.signal) : client().ask(at(server.url), leaving.signal)
      const failure = failureOf(work)
      await server.until(({ requests }) => requests.length > 0)
      leaving.abort(reason)
      expect((await failure).code).toBe(code)
      await closed.promise
    }
  })
})

/** Sends the first half of a reply, and then nothing. */
function halfOf(): Response {
  return new Response(
    new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('half')),
    }),
  )
}

function endless(request: Request): Response {
  return new Response(
    new ReadableStream({
      pull(controller) {
        if (request.signal.aborted) controller.close()
        else controller.enqueue(new Uint8Array(1000).fill(97))
      },
    }),
  )
}
