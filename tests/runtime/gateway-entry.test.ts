import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Gateway } from '@csp/gateway/gateway'
import { KeyRing, nameOfKey } from '@csp/gateway/layers/keys'
import { foldMessage } from '@csp/messages-api/fold'
import type { MessagesRequest } from '@csp/messages-api/request'
import { UpstreamError } from '@csp/messages-api/upstream-error'
import { loadConfig } from '../../src/runtime/config/config.ts'
import { createConfiguredGateway } from '../../src/runtime/gateway.ts'
import { askModels } from '../../src/runtime/upstream-models.ts'
import { upstreamPlans } from '../../src/runtime/upstream-plans.ts'

// What an entry of the list gives its provider: keys, headers, fields of the body.

interface Sent {
  readonly path: string
  readonly key: string
  readonly headers: Headers
  readonly body: Readonly<Record<string, unknown>>
}

let sent: Sent[] = []
let answer: (sent: Sent) => Response | undefined = () => undefined
beforeEach(() => {
  sent = []
  answer = () => undefined
})

const failed = (status: number, message: string, headers: Record<string, string> = {}) =>
  Response.json({ error: { message, type: 'error' } }, { status, headers })
const chat = { choices: [{ message: { content: 'Hello.' }, finish_reason: 'stop' }] }
const native = { id: 'm', type: 'message', role: 'assistant', content: [{ type: 'text', text: 'Hello.' }] }

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    const { pathname: path } = new URL(request.url)
    // It is not Ollama.
    if (path === '/api/version') return failed(404, 'Not found.')
    const key = request.headers.get('authorization')?.replace('Bearer ', '') ?? ''
    const text = await request.text()
    const one = { path, key, headers: request.headers, body: text === '' ? {} : JSON.parse(text) }
    sent.push(one)
    return answer(one) ?? Response.json(path.endsWith('messages') ? { ...native, model: 'm', usage: {} } : chat)
  },
})
afterAll(() => server.stop(true))

const planned = (entry: object, environment: Record<string, string> = {}) => {
  const list = JSON.stringify([{ name: 'mine', url: `http://127.0.0.1:${server.port}/v1`, ...entry }])
  const all = { HOME: '/nowhere', CSP_GATEWAY: list, ...environment }
  return { config: loadConfig({}, all, '/').config, environment: all }
}

async function withGateway<Result>(
  entry: object,
  work: (gateway: Gateway, log: readonly string[]) => Promise<Result>,
  environment: Record<string, string> = {},
): Promise<Result> {
  const given = planned(entry, environment)
  const log: string[] = []
  const gateway = createConfiguredGateway(given.config, given.environment, { log: (said) => log.push(said) })
  if (!gateway) throw new Error('There is no gateway.')
  try {
    return await work(gateway, log)
  } finally {
    await gateway.close()
  }
}

const requestOf = (session: string): MessagesRequest => ({
  model: 'm',
  max_tokens: 10,
  messages: [{ role: 'user', content: 'hi' }],
  metadata: { user_id: session },
})

async function say(gateway: Gateway, session = 'one'): Promise<string> {
  const [to] = gateway.upstreams
  if (!to) throw new Error('There is no upstream.')
  const context = { signal: new AbortController().signal }
  const passing = await to.native()
  if (passing) return (await passing.forward(requestOf(session), context)).text()
  const { content } = await foldMessage(to.upstream.send(requestOf(session), context))
  return JSON.stringify(content)
}

const keys = ['sk-first-key-of-mine-aaaa', 'sk-second-key-of-mine-bbbb', 'sk-third-key-of-mine-cccc']

describe.each(['compatible', 'native', 'responses'] as const)('of several keys, where the shape is %s', (shape) => {
  const ok = shape === 'responses' ? () => failed(400, 'enough') : undefined

  test('a conversation keeps one, and all of them are used', async () => {
    await withGateway({ keys, shape }, async (gateway) => {
      if (ok) answer = ok
      for (let session = 0; session < 40; session++)
        for (const _ of [1, 2]) await say(gateway, `session ${session}`).catch(() => {})
      for (let at = 0; at < sent.length; at += 2) expect(sent[at]?.key).toBe(sent[at + 1]?.key ?? '')
      expect([...new Set(sent.map(({ key }) => key))].sort()).toEqual(keys)
    })
  })

  test.each([
    [402, 'Insufficient balance.', {}, 'quota', 3600],
    [401, 'Invalid API key.', {}, 'rejected', 3600],
    [429, 'Slow down.', { 'retry-after': '90' }, 'rate limit', 90],
  ] as const)('the next is tried after %d, and the first rests', async (status, message, headers, why, seconds) => {
    await withGateway({ keys, shape }, async (gateway, log) => {
      const bad = keys[new KeyRing({ keys }).orderFor(requestOf('one'))[0] ?? 0] ?? ''
      answer = ({ key }) => (key === bad ? failed(status, message, headers) : ok?.())
      await say(gateway).catch(() => {})
      await say(gateway).catch(() => {})
      // The second request does not ask it again.
      expect(sent.filter(({ key }) => key === bad)).toHaveLength(1)
      const [health] = gateway.health()
      expect(health?.restingKeys).toMatchObject([{ name: nameOfKey(bad, 0), why }])
      expect(health?.restingKeys?.[0]?.secondsLeft).toBeWithin(seconds - 30, seconds + 1)
      expect(health?.ready).toBe(true)
      expect(log.join()).toContain(nameOfKey(bad, 0))
      expect(JSON.stringify([health, log])).not.toContain(bad)
    })
  })

  test('another is not tried for a wrong request', async () => {
    await withGateway({ keys, shape }, async (gateway) => {
      answer = () => failed(400, 'The prompt is empty.')
      await expect(say(gateway)).rejects.toMatchObject({ status: 400 })
      expect(new Set(sent.map(({ key }) => key)).size).toBe(1)
      expect(gateway.health()[0]?.restingKeys).toEqual([])
    })
  })
})

test('where every key rests, the one that wakes first is asked, and its own error is told', async () => {
  await withGateway({ keys: keys.slice(0, 2), shape: 'compatible' }, async (gateway) => {
    answer = ({ key }) => (key === keys[0] ? failed(402, 'No balance.') : failed(429, 'Wait.', { 'retry-after': '20' }))
    await say(gateway).catch(() => {})
    sent = []
    await expect(say(gateway)).rejects.toMatchObject({ status: 429, message: expect.stringContaining('Wait.') })
    expect(sent.map(({ key }) => key)).toEqual([keys[1] ?? ''])
  })
})

test('a key that has rested is asked again', () => {
  let now = 0
  const ring = new KeyRing({ keys, now: () => now })
  const [first = 0, second] = ring.orderFor(requestOf('one'))
  expect(ring.isOfKey(first, new UpstreamError(429, 'Wait.', { retryAfterSeconds: 10 }))).toBe(true)
  expect(ring.orderFor(requestOf('one'))[0]).toBe(second as number)
  now = 10_000
  expect(ring.orderFor(requestOf('one'))[0]).toBe(first)
  expect(ring.resting).toEqual([])
})

test('another key is not tried once a reply has begun', async () => {
  await withGateway({ keys, shape: 'compatible' }, async (gateway) => {
    const begun = `data: ${JSON.stringify({ choices: [{ delta: { content: 'He' } }] })}\n\n`
    const limit = `data: ${JSON.stringify({ error: { message: 'Slow down.', code: 429 } })}\n\n`
    answer = () => new Response(begun + limit, { headers: { 'content-type': 'text/event-stream' } })
    await expect(say(gateway)).rejects.toMatchObject({ status: 429 })
    expect(sent).toHaveLength(1)
  })
})

test('a variable may have several keys, with commas between them', () => {
  const listed = planned({ 'key-variable': 'MY_KEYS' }, { MY_KEYS: 'a, b' })
  expect(upstreamPlans(listed.config, listed.environment)).toMatchObject([{ key: 'a', keys: ['a', 'b'] }])
  const named = { HOME: '/nowhere', OPENAI_BASE_URL: 'https://a.example/v1', OPENAI_API_KEY: 'a,b' }
  expect(upstreamPlans(loadConfig({}, named, '/').config, named)).toMatchObject([{ key: 'a', keys: ['a', 'b'] }])
})

describe.each(['compatible', 'native', 'responses'] as const)('headers and fields of a provider, at %s', (shape) => {
  const entry = {
    shape,
    key: 'the-key',
    headers: { 'X-Team': 'sea', 'anthropic-version': null },
    body: { provider: { order: ['a'] }, max_tokens: null, max_completion_tokens: null, max_output_tokens: null },
  }

  test('come last, and null takes one out', async () => {
    await withGateway(entry, async (gateway) => {
      if (shape === 'responses') answer = () => failed(400, 'enough')
      await say(gateway).catch(() => {})
      const [one] = sent
      expect(one?.headers.get('x-team')).toBe('sea')
      expect(one?.headers.has('anthropic-version')).toBe(false)
      expect(one?.key).toBe('the-key')
      expect(one?.body).toMatchObject({ model: 'm', provider: { order: ['a'] } })
      for (const name of ['max_tokens', 'max_completion_tokens', 'max_output_tokens'])
        expect(one?.body).not.toHaveProperty(name)
    })
  })

  test('are repeated by no error, before a reply or in it', async () => {
    const headers = { 'x-gateway-key': 'gw-secret-1234', 'x-auth': 'Bearer bearer-secret', 'x-team': 'sea' }
    await withGateway({ shape, key: 'the-key', headers }, async (gateway) => {
      const error = {
        message: 'No such keys: gw-secret-1234, bearer-secret, the-key, of sea',
        type: 'authentication_error',
      }
      for (const stream of [false, true]) {
        answer = () =>
          stream
            ? new Response(`data: ${JSON.stringify({ type: 'error', error })}\n\n`, {
                headers: { 'content-type': 'text/event-stream' },
              })
            : failed(401, error.message)
        const told = await say(gateway).catch(({ message }) => message)
        expect(told).toContain('No such keys: [key], [key], [key], of sea')
      }
    })
  })

  test('go with the question for its models', async () => {
    const { config, environment } = planned(entry)
    for (const plan of upstreamPlans(config, environment)) await askModels(plan)
    expect(sent[0]?.headers.get('x-team')).toBe('sea')
  })
})

test('a field that the provider refuses is left out', async () => {
  await withGateway({ shape: 'compatible', body: { top_k: 3 } }, async (gateway) => {
    answer = ({ body }) => ('top_k' in body ? failed(400, 'Unsupported parameter: top_k') : undefined)
    expect(await say(gateway)).toContain('Hello.')
    expect(sent.map(({ body }) => 'top_k' in body)).toEqual([true, false])
  })
})

test.each([
  [{ headers: { Authorization: 'Bearer x' } }, 'Authorization'],
  [{ headers: { host: 'a.example' } }, 'host'],
  [{ headers: { 'content-length': '1' } }, 'content-length'],
  [{ headers: { 'a b': '1' } }, 'a b'],
  [{ headers: { 'x-a': 'two\nlines' } }, 'x-a'],
  [{ body: { messages: [] } }, 'messages'],
  [{ body: { model: 'x' } }, 'model'],
  [{ keys: ['one'] }, 'keys'],
  [{ keys: ['a', 'b'], key: 'c' }, 'keys'],
])('an entry is refused with %j', (entry, named) => {
  expect(() => planned(entry)).toThrow(named)
})

describe.each(['compatible', 'native', 'responses'] as const)('a model that refuses images, at %s', (shape) => {
  const image = (data: string) => ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } })
  const looking = (...images: readonly object[]): MessagesRequest => ({
    model: 'blind',
    max_tokens: 10,
    stream: true,
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'What is it?' }, ...images] } as never,
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'Look', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: images }] } as never,
    ],
  })
  /** Two upstreams at one server: one whose models see nothing, and one that describes. */
  const entries = (vision: string) => [
    { name: 'mine', url: `http://127.0.0.1:${server.port}/v1`, shape, vision },
    { name: 'eyes', url: `http://127.0.0.1:${server.port}/eyes/v1`, shape: 'compatible' },
  ]
  const shows = ({ body }: Sent) => /"(?:type":"image"|type":"input_image"|image_url":)/.test(JSON.stringify(body))

  async function look(requests: readonly MessagesRequest[], seen: (body: string) => Response, vision = 'eyes/seer') {
    const environment = { HOME: '/nowhere', CSP_GATEWAY: JSON.stringify(entries(vision)) }
    const gateway = createConfiguredGateway(loadConfig({}, environment, '/').config, environment)
    const told: string[] = []
    answer = (one) => {
      if (one.path.startsWith('/eyes')) return seen(JSON.stringify(one.body))
      if (shows(one)) return failed(400, 'This model does not support image input.')
      return shape === 'responses' ? done() : undefined
    }
    try {
      const [to] = gateway?.upstreams ?? []
      if (!to) throw new Error('There is no upstream.')
      const trace = { note() {}, answered: ({ model }: { readonly model: string }) => void told.push(model) }
      for (const request of requests) {
        const context = { signal: new AbortController().signal, trace }
        const passing = await to.native()
        if (passing) await (await passing.forward(request, context)).text()
        else await foldMessage(to.upstream.send(request, context))
      }
    } finally {
      await gateway?.close()
    }
    return { told, last: JSON.stringify(sent.findLast(({ path }) => !path.startsWith('/eyes'))?.body) }
  }

  const done = () =>
    Response.json({
      ...{ id: 'r', object: 'response', status: 'completed' },
      output: [{ type: 'message', content: [{ type: 'output_text', text: 'ok' }] }],
    })
  const says = (text: string) => Response.json({ choices: [{ message: { content: text }, finish_reason: 'stop' }] })
  const asked = () => sent.filter(({ path }) => path.startsWith('/eyes') && path.endsWith('completions'))

  test('reads descriptions in the first turn and in each later one, for which each image is shown once', async () => {
    const seer = (body: string) => says(body.includes('AAAA') ? 'A seal.' : 'A tide table: 09:12.')
    const first = looking(image('AAAA'))
    expect((await look([first], seer)).last).toContain('A seal.')
    sent = []
    const { last, told } = await look([first, looking(image('AAAA'), image('BBBB'))], seer)
    expect(asked()).toHaveLength(2)
    expect(last).toContain('A seal.')
    expect(last).toContain('A tide table: 09:12.')
    expect(last).toContain('eyes/seer')
    expect(last).not.toContain('AAAA')
    // What it costs is told as that of any other reply.
    expect(told.filter((model) => model === 'seer')).toHaveLength(2)
  })

  test('reads a note where the other model fails, which is then left alone', async () => {
    const requests = [looking(image('AAAA')), looking(image('BBBB'))]
    const { last } = await look(requests, () => failed(400, 'No images either.'))
    expect(last).toContain('An image stood here')
    expect(asked().length).toBeLessThanOrEqual(2)
    sent = []
    // A vision model that refuses images itself does not ask itself.
    const again = await look(requests, () => failed(400, 'No.'), 'mine/blind')
    expect(again.last).toContain('An image stood here')
  })

  test('is asked as it is where there is no image', async () => {
    await look([requestOf('one')], () => says('Nothing.'))
    expect(asked()).toEqual([])
  })
})

test('a vision model has to be that of an upstream', () => {
  expect(() => planned({ vision: 'gpt-5' })).toThrow('vision')
  const { config, environment } = planned({ vision: 'other/gpt-5' })
  expect(() => upstreamPlans(config, environment)).toThrow('other/gpt-5')
})
