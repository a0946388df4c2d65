import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { momentOf, timeOf } from '../../../../src/lib/times.ts'
import { announceServer } from '../../../../src/runtime/background/running-servers.ts'
import { main } from '../../../../src/runtime/cli/main.ts'
import { scratchHome } from '../../../support/real-claude.ts'
import { testShell } from '../../test-shell.ts'

const home = await scratchHome()
const at = '2026-11-21T12:00:00.000Z'
const row = { name: 'csp', level: 'warning', text: '' }
const health = {
  status: 'down',
  rows: [
    { name: 'csp', level: 'bad', text: 'Searches cannot work now. Version 1.2.3, running for 2 min.' },
    { name: 'claude', level: 'bad', text: 'The usage limit is reached.', details: ['direct: \u001b[31mready'] },
    { name: 'claude 5-hour limit', level: 'bad', text: 'Reached.', used: 1, when: { label: 'Resets', at } },
  ],
}
const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => Response.json(health) })
afterAll(async () => {
  await server.stop(true)
  await home[Symbol.asyncDispose]()
})

test('csp status prints the rows of /health, with times in the zone of this machine', async () => {
  const shell = testShell({ environment: { HOME: home.path }, directory: home.path })
  const url = `http://127.0.0.1:${server.port}`
  expect(await main(['status', url], shell)).toBe(1)
  const lines = shell.printed().split('\n')
  expect(lines.slice(0, 3)).toEqual([
    `csp at ${url}: down. Searches cannot work now. Version 1.2.3, running for 2 min.`,
    '  claude: The usage limit is reached.',
    '    direct: ready',
  ])
  expect(lines[3]).toStartWith(`  claude 5-hour limit: Reached. Resets at ${timeOf(at)} (`)
})

test('csp status ends with 4 where a limit allows no new search, and shows its end in the zone of this machine', async () => {
  const text = `No new searches until ${at}: daily limit of 500 searches. Works from memory.`
  const limited = { status: 'degraded', searches: { status: 'limited', text, until: at }, rows: [{ ...row, text }] }
  using spent = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => Response.json(limited) })
  const shell = testShell({ environment: { HOME: home.path }, directory: home.path })
  expect(await main(['status', `http://127.0.0.1:${spent.port}`], shell)).toBe(4)
  expect(shell.printed()).toContain(`No new searches until ${momentOf(at)}: daily limit of 500 searches. Works from`)
})

test('csp status ends with 3 where Claude is signed out', async () => {
  const text = 'Signed out: no new searches until `csp login`.'
  const out = { status: 'down', searches: { status: 'signed-out', text }, rows: [{ ...row, text }] }
  using server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => Response.json(out, { status: 503 }) })
  const shell = testShell({ environment: { HOME: home.path }, directory: home.path })
  expect(await main(['status', `http://127.0.0.1:${server.port}`], shell)).toBe(3)
  expect(shell.printed()).toBe(`csp at http://127.0.0.1:${server.port}: ${text}\n`)
})

test('csp open starts the browser of this machine at the page, or names its address', async () => {
  const bin = join(home.path, 'bin')
  mkdirSync(bin, { recursive: true })
  const noted = join(home.path, 'opened')
  writeFileSync(join(bin, 'xdg-open'), `#!/bin/sh\necho "$1" > ${noted}\n`, { mode: 0o755 })
  const url = `http://127.0.0.1:${server.port}`
  const shell = testShell({ environment: { HOME: home.path, PATH: `${bin}:/usr/bin:/bin` }, directory: home.path })
  expect([await main(['open', url], shell), shell.printed()]).toEqual([0, `The page is open: ${url}\n`])
  expect(readFileSync(noted, 'utf8')).toBe(`${url}/\n`)
  const bare = testShell({ environment: { HOME: home.path, PATH: '/nowhere' }, directory: home.path })
  expect([await main(['open', url], bare), bare.printed()]).toEqual([
    0,
    `No browser was found here. Open ${url} in one.\n`,
  ])
  const silent = testShell({ environment: { HOME: home.path }, directory: home.path })
  expect(await main(['open', 'http://127.0.0.1:9'], silent)).toBe(1)
})

test.each([[[]], [['--port', '0']]])('csp status %j finds the csp that listens elsewhere', async (flags) => {
  const state = join(home.path, 'state')
  const url = `http://0.0.0.0:${server.port}`
  const about = { port: Number(server.port), version: '0', token: 't'.repeat(32), settings: '', flags: [] }
  const record = await announceServer(state, { ...about, url, manager: 'background' })
  const shell = testShell({ environment: { HOME: home.path, CSP_STATE_DIR: state }, directory: home.path })
  expect(await main(['status', ...flags], shell)).toBe(1)
  expect(shell.printed()).toContain(`csp at http://127.0.0.1:${server.port}: down.`)
  await record.end()
})
