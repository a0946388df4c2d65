import { afterAll, describe, expect, test } from 'bun:test'
import { createApp } from '../../src/app.ts'
import { startServer } from '../../src/runtime/server/server.ts'
import { testNeeding } from '../support/needs.ts'
import { answered, scriptedExecutor } from '../support/scripted-executor.ts'
import { rawConnection, statusesOf } from './raw-connection.ts'

// A client that writes its whole body before it reads must be able to read why it is refused.

const servers = await Promise.all(
  [[], ['key-of-a-caller']].map((keys) => {
    const app = createApp({ executor: scriptedExecutor(answered), version: '1', keys })
    return startServer((request, connection) => app.fetch(request, { connection }), '127.0.0.1', 0)
  }),
)
const [open = '', locked = ''] = servers.map(({ url }) => url)
afterAll(() => Promise.all(servers.map((server) => server.stop(AbortSignal.abort()))))

const megabytes = 5

const pythonClient = `
import http.client, sys
host, path = sys.argv[1], sys.argv[2]
body = b'{"query": "' + b'a' * (${megabytes} << 20) + b'"}'
for _ in range(10):
    connection = http.client.HTTPConnection(host, timeout=20)
    connection.request('POST', path, body, {'Content-Type': 'application/json'})
    reply = connection.getresponse()
    print(reply.status, b'error' in reply.read())
    connection.close()
`

const nodeClient = `
const body = JSON.stringify({ query: 'a'.repeat(${megabytes} << 20) })
for (let turn = 0; turn < 10; turn++) {
  const reply = await fetch('http://' + process.argv[1] + process.argv[2], { method: 'POST', body })
  console.log(reply.status, (await reply.text()).includes('error') ? 'True' : 'False')
}
`

async function run(command: readonly string[]): Promise<readonly string[]> {
  const child = Bun.spawn([...command], { stdout: 'pipe', stderr: 'pipe' })
  const [out, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return `${out}${errors}`.trim().split('\n')
}

describe('a body of 5 MB', () => {
  testNeeding('python3', Bun.which('python3') !== null)(
    'is refused with a message that Python’s http.client can read',
    async () => {
      const lines = await run(['python3', '-c', pythonClient, new URL(open).host, '/v1/search'])
      expect(lines).toEqual(Array(10).fill('413 True'))
    },
  )

  testNeeding('python3', Bun.which('python3') !== null)(
    'without a key gets a 401 that Python’s http.client can read',
    async () => {
      const lines = await run(['python3', '-c', pythonClient, new URL(locked).host, '/v1/search'])
      expect(lines).toEqual(Array(10).fill('401 True'))
    },
  )

  testNeeding('node', Bun.which('node') !== null)(
    'is refused with a message that fetch of Node.js can read',
    async () => {
      const lines = await run(['node', '--input-type=module', '-e', nodeClient, new URL(open).host, '/v1/search'])
      expect(lines).toEqual(Array(10).fill('413 True'))
    },
  )
})

test('a client that stops in the middle of a large body gets its refusal within some seconds', async () => {
  const connection = await rawConnection(open)
  const head = `POST /v1/search HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${20 << 20}\r\n\r\n`
  connection.send(head + 'a'.repeat(1 << 20))
  const startedAt = performance.now()
  expect(statusesOf(await connection.replies(1))).toEqual([413])
  expect(performance.now() - startedAt).toBeLessThan(20_000)
  await connection.closed
})

test('a caller without a key in a header may send 64 KiB, not a megabyte, to a vendor whose key may be in the body', async () => {
  const post = (query: string, more: object = {}) =>
    fetch(`${locked}/tavily/search`, { method: 'POST', body: JSON.stringify({ query, ...more }) })
  expect((await post('bees', { api_key: 'key-of-a-caller' })).status).toBe(200)
  expect((await post('bees', { api_key: 'wrong' })).status).toBe(401)
  expect((await post('a'.repeat(100_000), { api_key: 'key-of-a-caller' })).status).toBe(413)
})
