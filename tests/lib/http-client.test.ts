import { describe, expect, test } from 'bun:test'
import { askWhole, type HttpCall, HttpFailure, openReply, pieces, textOf } from '../../src/lib/http-client.ts'
import { hang, serveApi } from '../executor/backends/http/api-server.ts'

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
    const reading = textOf(halting(3, cancelled.resolve), { signal: live(), silenceMs: () => 20 })
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
      const reading = textOf(halting(1), { signal: caller.signal, silenceMs: () => 60_000 })
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
    expect(await textOf(divided(), { signal: live(), maxBytes: bytes.byteLength })).toBe('é🦭')
    expect(await kindOf(textOf(divided(), { signal: live(), maxBytes: bytes.byteLength - 1 }))).toBe('too-long')
    expect(await textOf(new Response(null), { signal: live() })).toBe('')
  })

  test('that breaks is a failure, with its cause', async () => {
    const cause = new Error('reset')
    const broken = new Response(new ReadableStream({ pull: (controller) => controller.error(cause) }))
    const reading = textOf(broken, { signal: live() })
    expect(await kindOf(reading)).toBe('broken')
    expect(await reading.catch((error) => error.cause)).toBe(cause)
  })
})

describe('an unsuccessful reply', () => {
  const explain = ({ status, text }: { status: number; text: string }) => new Error(`${status} ${text}`)

  test('is explained by its text, or by its status where the text does not come', async () => {
    await using server = serveApi(() => new Response('no: secret', { status: 400 }))
    const headers = { 'x-api-key': 'secret' }
    expect(openReply(call(server.url, { headers }), explain)).rejects.toThrow('400 no: [key]')
    const fetch = async () => new Response(halting(1).body, { status: 503 })
    expect(openReply(call(server.url, { fetch, deadlineMs: 20 }), explain)).rejects.toThrow(/^503 $/)
  })
})

test('a call ends by its deadline also where what sends it does not heed the signal', async () => {
  const fetch = () => new Promise<Response>(() => {})
  expect(await kindOf(askWhole(call('http://a.example', { fetch, deadlineMs: 10 }), 10))).toBe('timeout')
  await using server = serveApi(hang)
  const caller = new AbortController()
  const asked = kindOf(openReply(call(server.url, { signal: caller.signal }), () => new Error('never')))
  await server.until(({ requests }) => requests.length > 0)
  caller.abort()
  expect(await asked).toBe('aborted')
  await server.until(({ open }) => open === 0)
})
