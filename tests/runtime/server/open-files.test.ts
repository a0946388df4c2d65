import { expect, test } from 'bun:test'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { openFilesOfSystem } from '../../../src/runtime/server/open-files.ts'
import { testNeeding } from '../../support/needs.ts'

const files = openFilesOfSystem()
const onUnix = testNeeding('a system with such a limit', files !== undefined)

testNeeding('Linux', process.platform === 'linux')('the limit is that of the process', () => {
  const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
  expect(`${files?.limit}`).toBe(limit ?? '')
})

test('Windows has no such limit', () => {
  const { platform } = process
  Object.defineProperty(process, 'platform', { value: 'win32' })
  try {
    expect(openFilesOfSystem()).toBeUndefined()
  } finally {
    Object.defineProperty(process, 'platform', { value: platform })
  }
})

onUnix('files that are opened are counted, until they are closed', () => {
  const before = files?.count() ?? 0
  const opened = Array.from({ length: 5 }, () => openSync(import.meta.path, 'r'))
  expect(files?.count()).toBe(before + 5)
  for (const file of opened) closeSync(file)
  expect(files?.count()).toBe(before)
})

onUnix('the connections to a port are found by the ports of their callers, and cut off', async () => {
  const ended = Promise.withResolvers<void>()
  // A failure of a socket says what it was.
  const error = (_: unknown, reason: Error) => ended.reject(reason)
  const socket = { data() {}, error }
  using server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: { ...socket, open: (it) => void it.write('hello') },
  })
  using other = Bun.listen({ hostname: '127.0.0.1', port: 0, socket })
  const peers = (port: number) => files?.connectionsTo(port).map(({ peer }) => peer) ?? []
  // Other tests of this worker have left connections that went out by any port.
  const strangers = new Set([server.port, other.port].flatMap(peers))
  const greeted = Promise.withResolvers<void>()
  const client = await Bun.connect({
    hostname: '127.0.0.1',
    port: server.port,
    socket: { data: () => greeted.resolve(), close: () => ended.resolve(), error },
  })
  await greeted.promise
  expect(peers(server.port).filter((peer) => !strangers.has(peer))).toEqual([client.localPort])
  expect(peers(other.port).filter((peer) => !strangers.has(peer))).toEqual([])
  files
    ?.connectionsTo(server.port)
    .find(({ peer }) => peer === client.localPort)
    ?.cut()
  await ended.promise
})
