import { afterAll, expect, setSystemTime, spyOn, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { foldMessage } from '@csp/messages-api/fold'
import { eventually } from '@csp/testing/eventually'
import { messagesServer } from '../../../packages/gateway/test/support/messages-server.ts'
import { serveProvider } from '../../../packages/gateway/test/support/strict-provider.ts'
import { loadConfig } from '../../../src/runtime/config/config.ts'
import { createConfiguredGateway } from '../../../src/runtime/gateway.ts'
import { GatewayTrace } from '../../../src/runtime/server/gateway-trace.ts'
import { openGateway } from '../../../src/runtime/server/open-gateway.ts'

const folder = mkdtempSync(join(tmpdir(), 'csp-trace-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const key = 'sk-secret-of-the-upstream'
const request = { model: 'm', max_tokens: 100, messages: [{ role: 'user' as const, content: `Is ${key} a key?` }] }

function traced(name: string, maxBytes?: number) {
  const said: string[] = []
  const file = join(folder, name, 'trace.ndjson')
  const trace = new GatewayTrace({ file, secrets: [key], log: (_level, message) => said.push(message), maxBytes })
  const lines = () =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  return { trace, said, file, lines }
}

test('a translated exchange is a line, without the key, in a file of its owner', async () => {
  await using provider = serveProvider({ key })
  const { trace, said, file, lines } = traced('translated')
  const { config } = loadConfig(
    {},
    { HOME: folder, CSP_GATEWAY: JSON.stringify([{ name: 'a', url: provider.url, key, shape: 'compatible' }]) },
    folder,
  )
  const gateway = createConfiguredGateway(config, {}, { aroundFetch: (send) => trace.around(send) })
  const [upstream] = gateway?.upstreams ?? []
  if (!upstream) throw new Error('no upstream')
  await foldMessage(upstream.upstream.send(request, { signal: new AbortController().signal }))
  await gateway?.close()
  await trace.settled()
  const chat = lines().filter((line) => line.request.url.endsWith('/chat/completions'))
  expect(chat).toHaveLength(1)
  expect(chat[0].request.body).toContain('Is [key] a key?')
  expect(chat[0].reply).toMatchObject({ status: 200, body: expect.stringContaining('data: ') })
  expect(readFileSync(file, 'utf8')).not.toContain(key)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(said[0]).toContain(file)
})

test.each([true, false])('a reply that passes through is a line, streamed: %p', async (stream) => {
  const server = messagesServer('succeed')
  const { trace, lines } = traced(`native-${stream}`)
  const { config } = loadConfig(
    {},
    { HOME: folder, CSP_GATEWAY: JSON.stringify([{ name: 'a', url: server.url, shape: 'native' }]) },
    folder,
  )
  const gateway = createConfiguredGateway(config, {}, { aroundFetch: (send) => trace.around(send) })
  const native = await gateway?.upstreams[0]?.native()
  const reply = await native?.forward({ ...request, stream }, { signal: new AbortController().signal })
  await reply?.text()
  await gateway?.close()
  await server.stop()
  await trace.settled()
  expect(lines()).toMatchObject([{ request: { body: expect.stringContaining('messages') }, reply: { status: 200 } }])
})

test('a reply goes on before its end is written', async () => {
  const { trace, lines } = traced('pace')
  let go: (() => void) | undefined
  const waiting = new Promise<void>((resolve) => {
    go = resolve
  })
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(new TextEncoder().encode('one'))
      await waiting
      controller.close()
    },
  })
  const reply = await trace.around(async () => new Response(body))('http://a.example/', {
    headers: { cookie: 'a=1', authorization: 'Bearer x', 'x-api-key': 'y', accept: 'z' },
  })
  const reader = reply.body?.getReader()
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('one')
  await trace.settled()
  expect(() => lines()).toThrow()
  go?.()
  await reader?.read()
  await trace.settled()
  expect(lines()).toMatchObject([{ request: { headers: { accept: 'z' } }, reply: { body: 'one' } }])
  expect(Object.keys(lines()[0].request.headers)).toEqual(['accept'])
})

test('a file that is full gets no more, and the log says so once', async () => {
  const { trace, said, lines } = traced('full', 1000)
  const send = trace.around(async () => new Response('x'.repeat(400)))
  for (let turn = 0; turn < 4; turn++) await (await send('http://a.example/', {})).text()
  await trace.settled()
  expect(lines().length).toBeLessThan(3)
  expect(said.filter((message) => message.startsWith('Nothing more'))).toHaveLength(1)
})

test('a file may be as large as its bound, with what is there already, and becomes one of its owner alone', async () => {
  const exchange = async ({ trace }: ReturnType<typeof traced>) => {
    await (await trace.around(async () => new Response('x'))('http://a.example/', {})).text()
    await trace.settled()
  }
  const first = traced('measured')
  await exchange(first)
  const size = statSync(first.file).size
  for (const [room, count] of [
    [size, 1],
    [size - 1, 0],
  ] as const) {
    const there = '{"kept":1}\n'
    const next = traced(`bounded-${count}`, there.length + room)
    mkdirSync(dirname(next.file), { recursive: true })
    writeFileSync(next.file, there, { mode: 0o644 })
    // The same number of digits, whatever passed meanwhile.
    const clock = spyOn(Date, 'now').mockImplementation(() => 1_800_000_000_000)
    await exchange(next)
    clock.mockRestore()
    expect(next.lines()).toHaveLength(1 + count)
    expect(statSync(next.file).mode & 0o777).toBe(0o600)
    const limit = `it would be larger than ${(there.length + room) / 1_000_000} MB.`
    const end = [`Nothing more is written to ${next.file}: ${limit}`]
    expect(next.said.slice(1)).toEqual(count === 0 ? end : [])
  }
})

test('of a body of more than eight megabytes the beginning is written, and how long it is', async () => {
  const { trace, lines } = traced('long')
  const sent = new TextEncoder().encode('x'.repeat(8_000_000))
  const body = 'x'.repeat(8_000_001)
  const send = trace.around(async () => new Response(body))
  expect((await (await send('http://a.example/', { body: sent })).text()).length).toBe(body.length)
  await trace.settled()
  const [line] = lines()
  expect(line?.request.body === 'x'.repeat(8_000_000)).toBe(true)
  expect(line?.reply.body === `${'x'.repeat(8_000_000)}… (8000001 bytes)`).toBe(true)
})

test('a line says when the request began, and how long it took until its reply had been read', async () => {
  const { trace, lines } = traced('time')
  const began = Date.parse('2026-03-15T12:00:00Z')
  try {
    setSystemTime(began)
    const send = trace.around(async () => {
      setSystemTime(began + 1234)
      return new Response(null, { status: 204 })
    })
    await send('http://a.example/', {})
  } finally {
    setSystemTime()
  }
  await trace.settled()
  expect(lines()).toMatchObject([{ at: '2026-03-15T12:00:00.000Z', milliseconds: 1234 }])
})

test('a reply without a body, one that breaks off and one whose reader leaves are lines', async () => {
  const { trace, lines } = traced('ends')
  const send = (response: Response) => trace.around(async () => response)('http://a.example/', {})
  expect((await send(new Response(null, { status: 204, headers: { 'set-cookie': 'a', 'x-b': 'c' } }))).status).toBe(204)
  let pulls = 0
  const breaking = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (pulls++ === 0) controller.enqueue(new TextEncoder().encode('half'))
      else controller.error(new Error('It broke.'))
    },
  })
  await expect((await send(new Response(breaking))).text()).rejects.toThrow('It broke.')
  let reason: unknown
  const left = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode('one')),
    cancel(why) {
      reason = why
    },
  })
  const reader = (await send(new Response(left, { status: 201 }))).body?.getReader()
  await reader?.read()
  await reader?.cancel('enough')
  await trace.settled()
  expect(reason).toBe('enough')
  expect(lines().map(({ reply }) => reply)).toEqual([
    { status: 204, headers: { 'x-b': 'c' } },
    { status: 200, headers: {}, body: 'half', error: 'It broke.' },
    { status: 201, headers: {}, body: 'one', error: 'The reader has left.' },
  ])
})

test('the gateway of a csp leaves out the keys of its upstreams and its own', async () => {
  await using provider = serveProvider({ key })
  const file = join(folder, 'whole/trace.ndjson')
  const own = 'a-key-of-a-caller-of-csp'
  const environment = {
    HOME: folder,
    CSP_GATEWAY: JSON.stringify([{ name: 'a', url: provider.url, key, shape: 'compatible' }]),
    CSP_GATEWAY_TRACE: file,
    CSP_API_KEYS: own,
  }
  const { config } = loadConfig({}, environment, folder)
  const gateway = await openGateway(config, environment, () => {}, undefined)
  const [upstream] = gateway?.upstreams ?? []
  const messages = [{ role: 'user' as const, content: `${key} and ${own}` }]
  if (upstream)
    await foldMessage(upstream.upstream.send({ ...request, messages }, { signal: new AbortController().signal }))
  await gateway?.close()
  await eventually(() => existsSync(file) && readFileSync(file, 'utf8').includes('[key] and [key]'))
  expect(readFileSync(file, 'utf8')).not.toMatch(new RegExp(`${key}|${own}`))
})

test('a csp without an upstream has no gateway, except on the sandbox, and writes no trace unless it is asked to', async () => {
  const { config } = loadConfig({}, { HOME: folder }, folder)
  expect(await openGateway(config, {}, () => {}, undefined)).toBeUndefined()
  const said: string[] = []
  const sandbox = await openGateway(
    config,
    {},
    (_, message) => said.push(message),
    async () => 'http://127.0.0.1:9',
  )
  expect(sandbox?.upstreams.map(({ name }) => name)).toEqual(['sandbox'])
  expect(said).toEqual([])
  await sandbox?.close()
})

test('a call that fails is a line, and fails as before', async () => {
  const { trace, lines } = traced('failed')
  const send = trace.around(async () => {
    throw new Error('no route')
  })
  await expect(send('http://a.example/', { body: '{}' })).rejects.toThrow('no route')
  await trace.settled()
  expect(lines()).toMatchObject([{ reply: { error: 'no route' } }])
})
