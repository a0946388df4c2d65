import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { startSandbox } from '../../packages/sandbox/test/support/sandbox.ts'
import { type CspProcess, startCsp } from '../support/csp-process.ts'
import { fewSearchServers, wayOf, ways } from './ask.ts'

// The network between csp and its callers.

const standIn = startSandbox()
const { sandbox } = standIn
let csp: CspProcess
// Not at once: where no test of this file is chosen, nothing would end it.
beforeAll(async () => {
  const flags = ['--rate', '0', '--cache-ttl', '0', '--answers', 'pages', ...fewSearchServers]
  csp = await startCsp({ standInUrl: standIn.url, flags })
})
beforeEach(() => sandbox.configure({ scenario: 'ok' }))
afterAll(async () => {
  await csp.stop()
  await standIn.stop()
})

const portOf = ({ url }: CspProcess) => Number(new URL(url).port)

interface RawCaller {
  readonly socket: Socket
  /** All that has come so far, once the connection has ended. */
  readonly received: Promise<string>
}

/** Asks over a bare connection. */
function ask(path: string, body: object): RawCaller {
  const socket = connect({ port: portOf(csp), host: '127.0.0.1', allowHalfOpen: true })
  const json = JSON.stringify(body)
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: ${new URL(csp.url).host}\r\ncontent-type: application/json\r\nconnection: close\r\n` +
      `content-length: ${Buffer.byteLength(json)}\r\n\r\n${json}`,
  )
  const received = new Promise<string>((resolve) => {
    let text = ''
    socket.on('data', (bytes) => {
      text += bytes.toString()
    })
    socket
      .on('error', () => resolve(text))
      .on('close', () => resolve(text))
      .on('end', () => resolve(text))
  })
  return { socket, received }
}

const streamed = { model: 'sonnet', stream: true, messages: [{ role: 'user', content: 'harbour seals' }] }

async function expectWorks(): Promise<void> {
  sandbox.configure({ scenario: 'ok' })
  await sandbox.until(({ open }) => open === 0)
  expect((await wayOf('a list, Brave').send(csp.url, 'grey whales')).status).toBe(200)
}

test('a caller that reads slowly gets its whole stream and delays no other caller', async () => {
  sandbox.reset()
  const { socket, received } = ask('/v1/chat/completions', streamed)
  socket.pause()
  await sandbox.until(({ open, callsByKind }) => open === 0 && callsByKind.write === 1)
  // The writer is free now, and it serves all the others, one after another.
  for (const way of ways) {
    const other = await way.send(csp.url, 'grey whales')
    expect([way.name, other.status]).toEqual([way.name, 200])
    await other.text()
  }
  socket.resume()
  expect(await received).toContain('data: [DONE]')
})

test('a caller that closes its half of the connection is treated as gone', async () => {
  sandbox.configure({ scenario: 'hang' })
  const { socket, received } = ask('/search', { query: 'harbour seals' })
  await sandbox.until(({ open }) => open > 0)
  socket.end()
  await received
  await expectWorks()
})

test('a caller that vanishes has its search stopped, in the middle of its stream too', async () => {
  sandbox.configure({ scenario: [{ scenario: 'slow', kind: 'write' }], deltaPauseMs: 1000 })
  const { socket } = ask('/v1/chat/completions', streamed)
  await new Promise((resolve) => socket.once('data', resolve))
  socket.resetAndDestroy()
  await expectWorks()
})

test('a caller that never ends its request delays no other caller', async () => {
  const socket = connect(portOf(csp), '127.0.0.1')
  socket.on('error', () => {})
  socket.write(`POST /search HTTP/1.1\r\nhost: ${new URL(csp.url).host}\r\ncontent-length: 100\r\n\r\n{"query":`)
  await expectWorks()
  socket.destroy()
})
