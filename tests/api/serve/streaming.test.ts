import { describe, expect, test } from 'bun:test'
import { SearchError } from '../../../src/domain/error.ts'
import type { SearchEvent } from '../../../src/domain/search.ts'
import { answered, pages, type Step, scriptedExecutor, untilAborted } from '../../support/scripted-executor.ts'
import { asks, chunksOf, framesOf, testApp } from '../test-app.ts'

const streams = [
  ['openai', '/v1/chat/completions'],
  ['perplexity', '/chat/completions'],
] as const

const begin: readonly SearchEvent[] = [
  { type: 'search-start', id: 's1', query: 'bees' },
  { type: 'search-results', id: 's1', results: pages(2) },
  { type: 'text-delta', text: 'It is' },
]

const post = (body: unknown, more: RequestInit = {}): RequestInit => ({
  method: 'POST',
  body: JSON.stringify(body),
  ...more,
})
const ask = (more?: RequestInit): RequestInit => post(asks('bees', { model: 'sonar', stream: true }), more)

/** Reads a body piece by piece. */
class Bytes {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  text = ''

  constructor(response: Response) {
    if (!response.body) throw new Error('The response has no body.')
    this.#reader = response.body.getReader()
  }

  async until(wanted: string): Promise<void> {
    while (!this.text.includes(wanted)) {
      const { done, value } = await this.#reader.read()
      if (done) throw new Error(`The stream ended without ${wanted}: ${this.text}`)
      this.text += new TextDecoder().decode(value)
    }
  }

  async rest(): Promise<string> {
    for (;;) {
      const { done, value } = await this.#reader.read()
      if (done) return this.text
      this.text += new TextDecoder().decode(value)
    }
  }

  cancel(): Promise<void> {
    return this.#reader.cancel()
  }
}

/** A gate in a script: what follows waits until it is opened. */
function gate(): { readonly wait: () => Promise<void>; readonly open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { wait: () => promise, open: resolve }
}

describe.each(streams)('a stream in the shape of "%s"', (_name, path) => {
  test('sends its frames as they come, not at the end', async () => {
    const held = gate()
    const { request } = testApp([...begin, held.wait, { type: 'text-delta', text: ' so.' }, ...answered.slice(-1)])
    const bytes = new Bytes(await request(path, ask()))
    await bytes.until('It is')
    expect(bytes.text).not.toContain('finish_reason":"stop"')
    held.open()
    expect(framesOf(await bytes.rest()).at(-1)).toBe('[DONE]')
  })

  test('has the headers of server-sent events', async () => {
    const response = await testApp().request(path, ask())
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(response.headers.get('x-accel-buffering')).toBe('no')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('x-request-id')).toBe('id-1')
    expect(response.headers.get('server-timing')).toBe('search;dur=0')
    await response.text()
  })

  test('keeps the status of a failure before the first frame', async () => {
    const { request } = testApp([...begin.slice(0, 1), new SearchError('signed-out', 'Sign in.')])
    const response = await request(path, ask())
    expect(response.status).toBe(503)
    expect(response.headers.get('content-type')).toStartWith('application/json')
  })

  test("reports a later failure in the stream, in the vendor's shape, and sends nothing after it", async () => {
    const { request, log } = testApp([...begin, new SearchError('rate-limited', 'Enough.')])
    const response = await request(path, ask())
    expect(response.status).toBe(200)
    const frames = framesOf(await response.text())
    const { error } = JSON.parse(frames.at(-1) ?? '')
    expect(error.message).toBe('Enough.')
    expect(error.code).toBe(path.startsWith('/v1') ? 'rate_limit_exceeded' : 429)
    expect(frames).not.toContain('[DONE]')
    expect(log).toMatchObject([{ status: 200, code: 'rate-limited', results: 2 }])
  })

  test('with a slow first frame sends the status, and comments until the frame comes', async () => {
    const held = gate()
    const { request } = testApp([held.wait, ...answered], { commitAfterMs: 1, heartbeatMs: 1 })
    const response = await request(path, ask())
    expect(response.status).toBe(200)
    const bytes = new Bytes(response)
    await bytes.until(': ping\n\n: ping\n\n')
    expect(bytes.text).not.toContain('data:')
    held.open()
    const text = await bytes.rest()
    expect(chunksOf(text).length).toBeGreaterThan(2)
    expect(framesOf(text).at(-1)).toBe('[DONE]')
  })

  test('with a slow first frame sends a comment with the status, before the first heartbeat', async () => {
    const held = gate()
    const { request } = testApp([held.wait, ...answered], { commitAfterMs: 1, heartbeatMs: 60_000 })
    const bytes = new Bytes(await request(path, ask()))
    await bytes.until(': ping\n\n')
    held.open()
    expect(framesOf(await bytes.rest()).at(-1)).toBe('[DONE]')
  })

  test('sends comments during a pause between two frames', async () => {
    const held = gate()
    const { request } = testApp([...begin, held.wait, ...answered.slice(-1)], { heartbeatMs: 1 })
    const bytes = new Bytes(await request(path, ask()))
    await bytes.until('It is')
    await bytes.until(': ping\n\n')
    held.open()
    expect(framesOf(await bytes.rest()).at(-1)).toBe('[DONE]')
  })

  test('reports a failure after a slow start in the stream', async () => {
    const held = gate()
    const failure = new SearchError('unavailable', 'Gone.')
    const { request } = testApp([held.wait, failure], { commitAfterMs: 1, heartbeatMs: 1 })
    const bytes = new Bytes(await request(path, ask()))
    await bytes.until(': ping')
    held.open()
    expect(framesOf(await bytes.rest()).map((data) => JSON.parse(data).error.message)).toEqual(['Gone.'])
  })

  test('ends its search when the reader leaves', async () => {
    const executor = scriptedExecutor([...begin, untilAborted])
    const { request, log } = testApp(executor)
    const bytes = new Bytes(await request(path, ask()))
    await bytes.until('It is')
    expect(executor.running).toBe(1)
    await bytes.cancel()
    expect(executor.calls[0]?.context.signal.aborted).toBe(true)
    expect(executor.running).toBe(0)
    expect(log).toMatchObject([{ status: 200, code: 'cancelled' }])
  })

  test('ends its search when the reader leaves while no frame is requested', async () => {
    const executor = scriptedExecutor([...begin, ...begin.slice(-1), untilAborted])
    const { request } = testApp(executor)
    const response = await request(path, ask())
    await response.body?.cancel()
    expect(executor.running).toBe(0)
  })

  test('ends its search when the client leaves before the first frame', async () => {
    const left = new AbortController()
    const leave: Step = async (signal) => {
      queueMicrotask(() => left.abort())
      await untilAborted(signal)
    }
    const executor = scriptedExecutor([leave])
    const { request, log } = testApp(executor)
    const response = await request(path, ask({ signal: left.signal }))
    expect(response.status).toBe(499)
    expect(executor.running).toBe(0)
    expect(log).toMatchObject([{ status: 499, code: 'cancelled' }])
  })

  test('ends its search when the client leaves in the middle', async () => {
    const left = new AbortController()
    const executor = scriptedExecutor([...begin, untilAborted])
    const { request, log } = testApp(executor)
    const bytes = new Bytes(await request(path, ask({ signal: left.signal })))
    await bytes.until('It is')
    left.abort()
    await bytes.rest()
    expect(executor.running).toBe(0)
    expect(log).toMatchObject([{ status: 200, code: 'cancelled' }])
  })
})

describe('the first frame of a stream, sent with the first text,', () => {
  test.each(['/chat/completions', '/v1/chat/completions'])(
    'on %s leaves an earlier failure its status',
    async (path) => {
      const { request } = testApp([...begin.slice(0, 2), new SearchError('unavailable', 'Gone.')])
      expect((await request(path, ask())).status).toBe(503)
    },
  )

  test('has the sources of every earlier search for Perplexity', async () => {
    const again: readonly SearchEvent[] = [
      { type: 'search-start', id: 's2', query: 'more bees' },
      { type: 'search-results', id: 's2', results: pages(3) },
    ]
    const { request } = testApp([...begin.slice(0, 2), ...again, ...answered.slice(2)])
    const chunks = chunksOf(await (await request('/chat/completions', ask())).text())
    expect(chunks[0]).toMatchObject({ citations: pages(3).map(({ url }) => url) })
  })
})

test('a client that leaves a whole reply ends the search', async () => {
  const left = new AbortController()
  const leave: Step = async (signal) => {
    queueMicrotask(() => left.abort())
    await untilAborted(signal)
  }
  const executor = scriptedExecutor([leave])
  const response = await testApp(executor).request('/v1/search?q=bees', { signal: left.signal })
  expect(response.status).toBe(499)
  expect(executor.running).toBe(0)
})
