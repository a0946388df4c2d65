import { expect, test } from 'bun:test'
import {
  chooseServers,
  nothingRuns,
  type RunningServerRecord,
} from '../../../src/runtime/background/running-servers.ts'

const at = (port: number) => ({ port, url: `http://127.0.0.1:${port}` }) as RunningServerRecord
const named = (port: number, from: string) => ({ config: { port }, origins: { port: from } })

test.each<[readonly number[], number, string, readonly number[]]>([
  [[1, 2], 2, 'default', [2]],
  [[1, 2], 2, '--port', [2]],
  [[1], 2, 'default', [1]],
  [[1], 2, '/home/jo/.config/csp/config.json', [1]],
  [[1], 2, '--port', []],
  [[1], 2, 'CSP_PORT', []],
  [[1], 0, '--port', [1]],
  [[1, 2], 0, '--port', []],
  [[1, 2], 3, 'default', []],
  [[], 1, 'default', []],
])('of the csp at %j a command for port %d from %s chooses those at %j', (ports, port, from, chosen) => {
  expect(chooseServers(ports.map(at), named(port, from)).map((server) => server.port)).toEqual([...chosen])
})

test('where none is chosen the others are named', () => {
  const nothing = 'No csp of this user is running at port 3.'
  expect(nothingRuns([], named(3, 'default'))).toBe(nothing)
  expect(nothingRuns([at(1), at(2)], named(3, 'default'))).toBe(
    `${nothing} Running: http://127.0.0.1:1, http://127.0.0.1:2. Choose one with --port.`,
  )
})
