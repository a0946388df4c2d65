import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { answers, answersAfter, fails, hangs, type Script } from '../support/fake-executor.ts'
import { startEdge, withKey } from './support/edge.ts'
import { startHome } from './support/home.ts'

// Worker, tunnel and a home in this process, with a fake in the place of the CLI. The tunnel's own ways of failing are
// in tests/tunnel.

const edge = await startEdge()
afterAll(() => edge.stop())

const list = (query: string, init: RequestInit = {}) =>
  fetch(`${edge.url}/v1/search?q=${query}`, { ...init, headers: withKey })

const chat = (content: string, stream: boolean, init: RequestInit = {}) =>
  fetch(`${edge.url}/v1/chat/completions`, {
    ...init,
    method: 'POST',
    headers: withKey,
    body: JSON.stringify({ model: 'sonar', stream, messages: [{ role: 'user', content }] }),
  })

/** Settles once it holds; a test that waits in vain runs into its time limit. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await Bun.sleep(2)
}

const writesWithoutEnd: Script = async function* (request, signal) {
  yield { type: 'search-start', id: 'one', query: request.query }
  yield { type: 'search-results', id: 'one', results: [] }
  yield { type: 'text-delta', text: 'A beginning' }
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
}

describe('a home behind the edge', () => {
  test('searches and writes; an answer in KV costs no message to home, streamed or not', async () => {
    await using home = await startHome(edge.url)
    const first = await list('bees')
    expect(first.headers.get('x-cache')).toBe('miss')
    expect(await first.json()).toMatchObject({ results: [{ title: 'About bees', source: 'fake' }, {}] })
    expect(await (await chat('wasps', false)).json()).toHaveProperty('choices.0.message.content', 'This is wasps [1].')
    expect(home.messages).toEqual(['POST /execute', 'POST /execute'])

    const again = await list('bees')
    expect(again.headers.get('x-cache')).toBe('hit')
    const stream = await chat('wasps', true)
    expect(stream.headers.get('x-cache')).toBe('hit')
    expect(await stream.text()).toContain('This is wasps')
    expect(home.messages.length).toBe(2)
  })

  test('sends the events of a stream, which the Worker writes and keeps in KV', async () => {
    await using home = await startHome(edge.url)
    const response = await chat('how hornets hum', true)
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const text = await response.text()
    expect(text).toContain('This is how hornets hum')
    expect(text).toEndWith('data: [DONE]\n\n')
    const whole = await chat('how hornets hum', false)
    expect(whole.headers.get('x-cache')).toBe('hit')
    expect(await whole.json()).toHaveProperty('choices.0.message.content', 'This is how hornets hum [1].')
    expect(home.messages).toEqual(['POST /execute'])
  })

  test('merges lists itself, as the request wishes; a wrong wish costs no message to home', async () => {
    await using home = await startHome(edge.url)
    const ask = (merge: string) =>
      fetch(`${edge.url}/v1/search?q=merged${merge}`, { headers: { ...withKey, 'x-csp-merge': merge } })
    expect((await ask('2')).status).toBe(200)
    expect(home.executor.requests).toMatchObject([{ query: 'merged2', merge: 2 }])
    expect((await ask('0')).status).toBe(400)
    expect(home.messages.length).toBe(1)
  })

  test('passes on its error code and Retry-After in the error format of the vendor', async () => {
    await using _ = await startHome(edge.url, fails('rate-limited'))
    const brave = await fetch(`${edge.url}/res/v1/web/search?q=ants`, { headers: withKey })
    expect([brave.status, brave.headers.get('retry-after')]).toEqual([429, '7'])
    expect(await brave.json()).toMatchObject({ type: 'ErrorResponse', error: { status: 429 } })
    for (const stream of [false, true]) {
      const openai = await chat('ants', stream)
      expect([openai.status, openai.headers.get('retry-after')]).toEqual([429, '7'])
      expect(await openai.json()).toMatchObject({ error: { type: 'rate_limit_error' } })
    }
  })

  test.each([
    ['a list', (init: RequestInit) => list('endless', init)],
    ['an answer', (init: RequestInit) => chat('endless', false, init)],
    ['a stream', (init: RequestInit) => chat('endless', true, init)],
  ])('stops when the client of %s leaves', async (_, ask) => {
    await using home = await startHome(edge.url, hangs)
    const leaving = new AbortController()
    const reply = ask({ signal: leaving.signal }).catch((error) => error)
    await home.executor.begun()
    expect(home.executor.running).toBe(1)
    leaving.abort()
    await until(() => home.executor.running === 0)
    await reply
  })

  test('no request waits for work that another request has started', async () => {
    const gate = Promise.withResolvers<void>()
    await using home = await startHome(edge.url, answersAfter(gate.promise))
    const leaving = new AbortController()
    const first = list('the same', { signal: leaving.signal }).catch((error) => error)
    await home.executor.begun()
    const second = list('the same')
    await home.executor.begun(2)
    leaving.abort()
    await first
    await until(() => home.executor.running === 1)
    gate.resolve()
    expect((await second).status).toBe(200)
  })

  test('fifty concurrent streams are not mixed up', async () => {
    await using home = await startHome(edge.url)
    const names = Array.from({ length: 50 }, (_, index) => `subject-${index}-of-fifty`)
    const texts = await Promise.all(names.map(async (name) => (await chat(name, true)).text()))
    const mentioned = texts.map((text) => names.filter((name) => text.includes(`This is ${name}`)))
    expect(mentioned).toEqual(names.map((name) => [name]))
    expect(home.messages.length).toBe(50)
  })

  test('is replaced by another home when it disconnects', async () => {
    await using second = await startHome(edge.url, answers, 'second')
    const first = await startHome(edge.url, answers, 'first')
    await first.stop()
    for (const query of ['gnats', 'midges', 'moths']) expect((await list(query)).status).toBe(200)
    expect(second.messages.length).toBe(3)
    expect(first.messages).toEqual([])
  })

  test('that disconnects in the middle of a stream causes an error event in the dialect', async () => {
    const home = await startHome(edge.url, writesWithoutEnd)
    const response = await chat('a sudden end', true)
    let text = ''
    let isGone = false
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk
      if (isGone || !text.includes('A beginning')) continue
      isGone = true
      void home.stop()
    }
    expect(isGone).toBe(true)
    const last = text.trim().split('\n\n').at(-1) ?? ''
    expect(JSON.parse(last.replace(/^data: /, ''))).toMatchObject({ error: { type: 'server_error' } })
  })

  test('that is lost in the middle of a whole answer is replaced by another home, and the client notices nothing', async () => {
    const first = await startHome(edge.url, writesWithoutEnd, 'first')
    const reply = chat('a hidden end', false)
    await first.executor.begun()
    await using second = await startHome(edge.url, answers, 'second')
    // The Worker has events of it: what was found has come, and the text follows.
    await until(() => first.executor.running === 1)
    await Bun.sleep(50)
    await first.stop()
    const response = await reply
    expect(response.status).toBe(200)
    expect(await response.json()).toHaveProperty('choices.0.message.content', 'This is a hidden end [1].')
    expect([first.messages.length, second.messages.length]).toEqual([1, 1])
    const again = await chat('a hidden end', false)
    expect(again.headers.get('x-cache')).toBe('hit')
  })

  test('that is lost in the middle of the only whole answer leaves an error in the dialect, and no part of the text', async () => {
    const only = await startHome(edge.url, writesWithoutEnd, 'only')
    const reply = chat('a lonely end', false)
    await only.executor.begun()
    await Bun.sleep(50)
    await only.stop()
    const response = await reply
    expect(response.status).toBe(503)
    const text = await response.text()
    expect(JSON.parse(text)).toMatchObject({ error: { type: 'server_error' } })
    expect(text).not.toContain('A beginning')
  })

  test.each([
    ['a chat', '/v1/chat/completions', { messages: [{ role: 'user', content: 'QUERY' }] }],
    ['a response', '/v1/responses', { input: 'QUERY' }],
  ])('names its own default model in %s that names none, streamed or not', async (what, path, input) => {
    for (const stream of [false, true]) {
      await using _ = await startHome(edge.url, answers, 'with-opus', 'opus')
      const body = JSON.stringify({ ...input, stream }).replace('QUERY', `the model of ${what} ${stream}`)
      const text = await (await fetch(`${edge.url}${path}`, { method: 'POST', headers: withKey, body })).text()
      expect(new Set(text.match(/"model":"[^"]*"/g))).toEqual(new Set(['"model":"opus"']))
    }
  })

  test('that names a model of another shape is not repeated', async () => {
    await using _ = await startHome(edge.url, answers, 'odd', 'opus, or so')
    const body = JSON.stringify({ messages: [{ role: 'user', content: 'an odd model' }] })
    const response = await fetch(`${edge.url}/v1/chat/completions`, { method: 'POST', headers: withKey, body })
    expect(await response.json()).toHaveProperty('model', 'sonnet')
  })

  test('is listed in /health for callers with a key', async () => {
    await using _ = await startHome(edge.url, answers, 'under-the-desk')
    const known = await fetch(`${edge.url}/health`, { headers: withKey })
    expect(await known.json()).toMatchObject({
      status: 'ok',
      backends: [{ name: 'home', ready: true, engines: { 'under-the-desk': expect.stringContaining('ready') } }],
    })
    expect(await (await fetch(`${edge.url}/health`)).json()).toEqual({ status: 'ok' })
  })
})

test('a new deployment of the edge in the middle of a stream ends the stream, and the home reconnects', async () => {
  const persist = await mkdtemp(join(tmpdir(), 'csp-deploy-'))
  try {
    const before = await startEdge({ persist })
    await using home = await startHome(before.url, (request, signal) =>
      request.query === 'endless' ? hangs(request, signal) : answers(request),
    )
    const body = JSON.stringify({ model: 'sonar', stream: true, messages: [{ role: 'user', content: 'endless' }] })
    const cut = fetch(`${before.url}/v1/chat/completions`, { method: 'POST', headers: withKey, body })
      .then((response) => response.text())
      .catch((error: Error) => error)
    await home.executor.begun()
    await before.stop()
    const ending = await cut
    expect(ending instanceof Error || !ending.includes('[DONE]')).toBe(true)
    await until(() => home.executor.running === 0)

    await using after = await startEdge({ persist, port: before.port })
    for (;;) {
      const response = await fetch(`${after.url}/v1/search?q=after`, { headers: withKey })
      if (response.status === 200) break
      expect(response.status).toBe(503)
    }
    expect(home.messages.at(-1)).toBe('POST /execute')
  } finally {
    await rm(persist, { recursive: true, force: true })
  }
})
