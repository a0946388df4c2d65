import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { momentOf, timeOf } from '@csp/lib/times'
import { announceServer } from '../../../../src/runtime/background/running-servers.ts'
import { main } from '../../../../src/runtime/cli/main.ts'
import { fakeManagers } from '../../../support/fake-managers.ts'
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

describe('csp status beside other csps of this user', () => {
  const token = 't'.repeat(32)
  /** A home with csps that these servers stand for, and what they were asked. */
  async function machine(count: number, environment: Readonly<Record<string, string>> = {}) {
    const own = await scratchHome()
    const asked: string[] = []
    const servers = Array.from({ length: count }, (_, index) =>
      Bun.serve({
        port: 0,
        hostname: '127.0.0.1',
        fetch({ headers }) {
          asked.push(`${index} ${headers.get('authorization')}`)
          return Response.json({ status: 'ok', rows: [{ name: 'csp', text: 'Searches work.' }] })
        },
      }),
    )
    const urls = servers.map(({ port }) => `http://127.0.0.1:${port}`)
    for (const [index, { port = 0 }] of servers.entries()) {
      const about = { port, version: '0', settings: '', flags: [], manager: 'background' as const }
      await announceServer(join(own.path, '.local/state/csp'), {
        ...about,
        url: urls[index] ?? '',
        token: `${token}${index}`,
      })
    }
    return {
      home: own.path,
      ports: servers.map(({ port }) => String(port)),
      urls,
      asked,
      async status(...args: readonly string[]) {
        const shell = testShell({ environment: { HOME: own.path, PATH: '', ...environment }, directory: own.path })
        const code = await main(['status', ...args], shell)
        const flat = (text: string) => text.replaceAll(/\s+/g, ' ').trim()
        return { code, printed: flat(shell.printed()), complaints: flat(shell.complaints()) }
      },
      async [Symbol.asyncDispose]() {
        for (const server of servers) await server.stop(true)
        await own[Symbol.asyncDispose]()
      },
    }
  }

  test('shows the one at --port with its token, and names the others', async () => {
    await using it = await machine(2)
    const [first = '', second = ''] = it.ports
    const { code, printed } = await it.status('--port', first)
    expect([code, printed]).toEqual([
      0,
      `csp at ${it.urls[0]}: ok. Searches work. Also running: csp at ${it.urls[1]}. csp status --port ${second} shows it.`,
    ])
    expect(it.asked).toEqual([`0 Bearer ${token}0`])
    // By its address it is shown alone.
    expect((await it.status(`${it.urls[1]}/`)).printed).toBe(`csp at ${it.urls[1]}: ok. Searches work.`)
    expect(it.asked[1]).toBe(`1 Bearer ${token}1`)
  })

  test('asks another machine with the first of the keys, and without one where there is none', async () => {
    await using other = await machine(1)
    await using it = await machine(0, { CSP_API_KEYS: 'key-1,key-2' })
    await it.status(other.urls[0] ?? '')
    await using bare = await machine(0)
    await bare.status(other.urls[0] ?? '')
    expect(other.asked).toEqual(['0 Bearer key-1', '0 null'])
  })

  test('says that nothing answers, what runs instead, and how to start it', async () => {
    await using it = await machine(2)
    const running = it.urls.toSorted().map((url) => `csp runs at ${url}.`)
    expect(await it.status('--port', '9')).toMatchObject({
      code: 1,
      complaints: `Nothing answers at http://127.0.0.1:9. Start csp with: csp start ${running.join(' ')}`,
    })
    expect((await it.status('http://127.0.0.1:9')).complaints).toBe('Nothing answers at http://127.0.0.1:9.')
    expect((await it.status('--port', '9', '--host', '127.0.0.2')).complaints).toStartWith(
      'Nothing answers at http://127.0.0.2:9.',
    )
  })

  test.each(['<html>', '[]', '{"status": "fine"}'])('says that a server that answers %s is not csp', async (body) => {
    using strange = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(body) })
    await using it = await machine(0)
    const url = `http://127.0.0.1:${strange.port}`
    expect(await it.status(url)).toMatchObject({ code: 1, complaints: `That server is not csp: ${url}` })
  })

  test.each([
    [['--days', '7', '--models'], 'Usage: csp status [URL], or'],
    [['http://127.0.0.1:9', '--models'], 'Usage: csp status [URL], or'],
    [['http://127.0.0.1:9', '--days', '7'], 'Usage: csp status [URL], or'],
    [['nonsense'], 'csp status: nonsense is not an address such as'],
    [['--days', '32'], '--days must be a whole number from 1 to 31'],
  ])('refuses %j', async (args, said) => {
    await using it = await machine(0)
    expect(await it.status(...args)).toMatchObject({ code: 2, complaints: expect.stringContaining(said) })
  })

  test.if(process.platform === 'linux')('says how csp starts at login', async () => {
    await using it = await machine(1)
    const script = (isEnabled: number, active: string) =>
      `case "$2" in is-enabled) exit ${isEnabled} ;; is-active) echo '${active}' ;; esac`
    const status = async (systemctl: string, ...args: readonly string[]) => {
      const { folder } = fakeManagers(it.home, { systemctl })
      const shell = testShell({ environment: { HOME: it.home, PATH: `${folder}:/usr/bin:/bin` }, directory: it.home })
      await main(['status', ...args], shell)
      return shell.printed() + shell.complaints()
    }
    const unit = join(it.home, '.config/systemd/user/csp.service')
    expect(await status(script(0, 'active'))).not.toContain('at login')
    mkdirSync(join(unit, '..'), { recursive: true })
    writeFileSync(unit, '')
    const flat = async (...args: Parameters<typeof status>) => (await status(...args)).replaceAll(/\s+/g, ' ')
    expect(await flat(script(0, 'active'))).toContain(`at login: started by systemd, which says: active (${unit})`)
    expect(await flat(script(1, ''))).toContain(`at login: not started, but known to systemd (${unit})`)
    expect(JSON.parse(await status(script(0, 'active'), '--json'))).toEqual({
      status: 'ok',
      rows: [{ name: 'csp', text: 'Searches work.' }],
      at_login: { manager: 'systemd', file: unit, enabled: true, state: 'active' },
    })
    expect(JSON.parse(await status(script(1, ''), '--json')).at_login).toMatchObject({ enabled: false, state: null })
    expect(JSON.parse(await status(script(1, ''), '--json', it.urls[0] ?? '')).at_login).toBeUndefined()
    expect(await flat(script(0, 'failed'), '--port', '9')).toContain(
      'csp restart starts it, csp logs shows why it does not run. at login: started by systemd, which says: failed',
    )
  })
})

test('csp status says what it may not see without a key, and shows what is wrong otherwise', async () => {
  const glance = async (body: object) => {
    using bare = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => Response.json(body) })
    const url = `http://127.0.0.1:${bare.port}`
    const shell = testShell({ environment: { HOME: home.path }, directory: home.path })
    const code = await main(['status', url], shell)
    return [code, shell.printed().replace(url, 'URL')]
  }
  expect(await glance({ status: 'degraded' })).toEqual([
    ...[0, 'csp at URL: degraded\n  Set CSP_API_KEYS to its key to see more.\n'],
  ])
  expect(await glance({ status: 'down', problem: 'No keys.' })).toEqual([1, 'csp at URL: down\n  No keys.\n'])
  expect(await glance({ status: 'ok', rows: [] })).toEqual([0, 'csp at URL: ok\n'])
})
