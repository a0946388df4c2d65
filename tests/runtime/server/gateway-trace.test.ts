import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { foldMessage } from '../../../src/messages-api/fold.ts'
import { loadConfig } from '../../../src/runtime/config/config.ts'
import { createConfiguredGateway } from '../../../src/runtime/gateway.ts'
import { GatewayTrace } from '../../../src/runtime/server/gateway-trace.ts'
import { messagesServer } from '../../gateway/support/messages-server.ts'
import { serveProvider } from '../../gateway/support/strict-provider.ts'

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

test('a call that fails is a line, and fails as before', async () => {
  const { trace, lines } = traced('failed')
  const send = trace.around(async () => {
    throw new Error('no route')
  })
  await expect(send('http://a.example/', { body: '{}' })).rejects.toThrow('no route')
  await trace.settled()
  expect(lines()).toMatchObject([{ reply: { error: 'no route' } }])
})
