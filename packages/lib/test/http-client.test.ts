import { describe, expect, test } from 'bun:test'
import { askWhole, bodyText, type HttpCall, HttpFailure, openReply, pieces } from '../src/http-client.ts'

const live = () => new AbortController().signal
const call = (url: string, more: Partial<HttpCall> = {}): HttpCall => ({
  url: new URL(url),
  signal: live(),
  deadlineMs: 30_000,
  ...more,
})

async function kindOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => 'nothing',
    (thrown: unknown) => thrown,
  )
  return error instanceof HttpFailure ? error.kind : String(error)
}

/** Sends so many pieces, and then nothing. */
function halting(sent: number, onCancel = () => {}): Response {
  let count = 0
  return new Response(
    new ReadableStream({
      pull(controller) {
        count++
        if (count > sent) return new Promise<void>(() => {})
        controller.enqueue(new TextEncoder().encode('é'))
        return undefined
      },
      cancel: onCancel,
    }),
  )
}

describe('the body of a reply', () => {
  test('is given up when it is silent, and its source is released', async () => {
    const cancelled = Promise.withResolvers<void>()
    const reading = bodyText(halting(3, cancelled.resolve), { signal: live(), silenceMs: () => 20 })
    expect(await kindOf(reading)).toBe('silent')
    await cancelled.promise
  })

  test('may be silent for as long as its reader is busy, and each piece for as long as is asked then', async () => {
    const patience = [5, 60_000, 60_000]
    const { body } = halting(2)
    const source = pieces(body ?? new ReadableStream(), { signal: live(), silenceMs: () => patience.shift() ?? 5 })
    await source.next()
    await Bun.sleep(30)
    expect((await source.next()).done).toBe(false)
    const silent = source.next()
    expect(await Promise.race([kindOf(silent), Bun.sleep(30)])).toBeUndefined()
    await source.return()
  })

  test('ends at once for a caller that leaves, also one that has left before', async () => {
    for (const isLate of [false, true]) {
      const caller = new AbortController()
      if (!isLate) caller.abort()
      const reading = bodyText(halting(1), { signal: caller.signal, silenceMs: () => 60_000 })
      if (isLate) await Bun.sleep(5)
      caller.abort()
      expect(await kindOf(reading)).toBe('aborted')
    }
  })

  test('is read up to its limit, in characters that pieces divide', async () => {
    const bytes = new TextEncoder().encode('é🦭')
    const divided = () =>
      new Response(
        new ReadableStream({
          start(controller) {
            for (const byte of bytes) controller.enqueue(new Uint8Array([byte]))
            controller.close()
          },
        }),
      )
    expect(await bodyText(divided(), { signal: live(), maxBytes: bytes.byteLength })).toBe('é🦭')
    expect(await kindOf(bodyText(divided(), { signal: live(), maxBytes: bytes.byteLength - 1 }))).toBe('too-long')
    expect(await bodyText(new Response(null), { signal: live() })).toBe('')
  })

  test('that breaks is a failure, with its cause', async () => {
    const cause = new Error('reset')
    const broken = new Response(new ReadableStream({ pull: (controller) => controller.error(cause) }))
    const reading = bodyText(broken, { signal: live() })
    expect(await kindOf(reading)).toBe('broken')
    expect(await reading.catch((error) => error.cause)).toBe(cause)
  })
})

describe('an unsuccessful reply', () => {
  const explain = ({ status, text }: { status: number; text: string }) => new Error(`${status} ${text}`)

  test('is explained by its text, or by its status where the text does not come', async () => {
    const url = 'http://a.example'
    const refusing = async () => new Response('no: secret', { status: 400 })
    const keyed = call(url, { headers: { 'x-api-key': 'secret' }, fetch: refusing })
    await expect(openReply(keyed, explain)).rejects.toThrow('400 no: [key]')
    const silent = async () => new Response(halting(1).body, { status: 503 })
    await expect(openReply(call(url, { fetch: silent, deadlineMs: 20 }), explain)).rejects.toThrow(/^503 $/)
  })
})

test('a call ends by its deadline also where what sends it does not heed the signal', async () => {
  const fetch = () => new Promise<Response>(() => {})
  expect(await kindOf(askWhole(call('http://a.example', { fetch, deadlineMs: 10 }), 10))).toBe('timeout')
})

test('a caller that leaves ends the call at the server as well', async () => {
  const [came, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await using server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch({ signal }) {
      signal.addEventListener('abort', () => left.resolve(), { once: true })
      came.resolve()
      await left.promise
      return new Response(null)
    },
  })
  const caller = new AbortController()
  const asked = kindOf(openReply(call(server.url.href, { signal: caller.signal }), () => new Error('never')))
  await came.promise
  caller.abort()
  expect(await asked).toBe('aborted')
  await left.promise
})

describe('a request', () => {
  /** What servers say, by the paths of their addresses, and what they were asked. */
  function servers(replies: Readonly<Record<string, () => Response>>) {
    const asked: (readonly [url: string, method: unknown, body: unknown, redirect: unknown])[] = []
    const fetch = async (url: string, { method, body, redirect }: RequestInit) => {
      asked.push([url, method, body ?? undefined, redirect])
      return replies[new URL(url).pathname]?.() ?? new Response('found')
    }
    return { asked, fetch }
  }
  const to = (location: string, status = 302) => new Response(null, { status, headers: { location } })
  const failed = (work: Promise<unknown>) =>
    work.then(
      () => 'nothing',
      (error: HttpFailure) => [error.kind, error.message, error.status],
    )

  test('follows redirects within its origin, three at most', async () => {
    const { asked, fetch } = servers({
      '/1': () => to('/2'),
      '/2': () => to('https://a.example/3', 307),
      '/3': () => to('/4', 399),
    })
    expect(await askWhole(call('https://a.example/1', { fetch }), 10)).toMatchObject({ status: 200, text: 'found' })
    expect(asked.map(([url, method, body, redirect]) => [new URL(url).pathname, method, body, redirect])).toEqual(
      ['/1', '/2', '/3', '/4'].map((path) => [path, 'GET', undefined, 'manual']),
    )
    const endless = servers({ '/1': () => to('/1') })
    expect(await failed(askWhole(call('https://a.example/1', { fetch: endless.fetch }), 10))).toEqual([
      'strayed',
      'redirects without end.',
      302,
    ])
    expect(endless.asked).toHaveLength(4)
  })

  test.each([
    ['another origin', 'https://b.example/2', undefined, 'https://b.example'],
    ['what is no address', 'http://', undefined, 'somewhere else'],
    ['its own origin, from a POST', '/2', 'body', 'https://a.example'],
  ])('does not follow to %s', async (_, location, body, where) => {
    const { asked, fetch } = servers({ '/1': () => to(location) })
    const message = `sends csp on to ${where}, and it does not follow. Is the address right?`
    expect(await failed(askWhole(call('https://a.example/1', { fetch, body }), 10))).toEqual(['strayed', message, 302])
    expect(asked).toEqual([['https://a.example/1', body === undefined ? 'GET' : 'POST', body, 'manual']])
  })

  test('takes any other reply as it is', async () => {
    for (const reply of [to('/2', 200), to('/2', 299), to('/2', 400), new Response('no', { status: 302 })]) {
      const { asked, fetch } = servers({ '/1': () => reply })
      expect(await askWhole(call('https://a.example/1', { fetch }), 10)).toMatchObject({ status: reply.status })
      expect(asked).toHaveLength(1)
    }
  })

  test('begins when it may, and fails in words for its reader', async () => {
    const { asked, fetch } = servers({ '/long': () => new Response('12345678901') })
    const { promise: turn, resolve: give } = Promise.withResolvers<void>()
    const waiting = askWhole(call('https://a.example/', { fetch, start: () => turn }), 10)
    await Bun.sleep(1)
    expect(asked).toHaveLength(0)
    give()
    expect(await waiting).toMatchObject({ text: 'found' })
    expect(await failed(askWhole(call('https://a.example/long', { fetch }), 10))).toEqual([
      'too-long',
      'too-long',
      undefined,
    ])
    const cause = new Error('reset')
    const lost = await askWhole(call('https://a.example/', { fetch: () => Promise.reject(cause) }), 10).catch(
      (error: unknown) => error,
    )
    expect(lost).toMatchObject({ kind: 'unreachable', message: 'unreachable', cause })
    const left = await askWhole(call('https://a.example/', { fetch, signal: AbortSignal.abort('left') }), 10).catch(
      (error: unknown) => error,
    )
    expect(left).toMatchObject({ kind: 'aborted', cause: 'left' })
  })

  test('whose caller leaves while the text of a failure comes has no other failure', async () => {
    const caller = new AbortController()
    const fetch = async () => new Response(halting(1).body, { status: 503 })
    const opened = openReply(call('https://a.example/', { fetch, signal: caller.signal }), () => new Error('never'))
    await Bun.sleep(5)
    caller.abort()
    expect(await kindOf(opened)).toBe('aborted')
  })
})

test('what comes at once is passed on in pieces of 8 KB', async () => {
  const lengths = async (length: number) => {
    const { body } = new Response(new Uint8Array(length))
    const found: number[] = []
    for await (const piece of pieces(body ?? new ReadableStream(), { signal: live() })) found.push(piece.byteLength)
    return found
  }
  expect([await lengths(8192), await lengths(8193), await lengths(20_000)]).toEqual([
    [8192],
    [8192, 1],
    [8192, 8192, 3616],
  ])
})
