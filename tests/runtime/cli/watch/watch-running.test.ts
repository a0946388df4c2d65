import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { announceServer } from '../../../../src/runtime/background/running-servers.ts'
import { main } from '../../../../src/runtime/cli/main.ts'
import { createLog } from '../../../../src/runtime/log/log.ts'
import { openWatchStore } from '../../../../src/runtime/server/open-jobs.ts'
import { testShell } from '../../test-shell.ts'

const folder = mkdtempSync(join(tmpdir(), 'csp-watch-running-'))
afterAll(() => rmSync(folder, { recursive: true }))

function watching(home = mkdtempSync(join(folder, 'home-'))) {
  const stateDir = join(home, '.local/state/csp')
  const shell = () => testShell({ environment: { HOME: home }, directory: home })
  return {
    stateDir,
    store: () => openWatchStore(stateDir, createLog('silent', shell().errors)),
    async csp(...args: readonly string[]) {
      const own = shell()
      const code = await main(['watch', ...args], own)
      return { code, output: own.printed(), errors: own.complaints() }
    },
  }
}

test('the csp that runs is told of a new watch, and has its feed; that on the sandbox is not', async () => {
  const { csp, stateDir } = watching()
  const asked: (string | null)[] = []
  let status = 200
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch({ url, headers }) {
      asked.push(`${new URL(url).pathname} ${headers.get('authorization')}`)
      return new Response('', { status })
    },
  })
  const url = `http://127.0.0.1:${server.port}`
  const about = { url, port: server.port ?? 0, version: '0', settings: '', flags: [], manager: 'terminal' as const }
  const sandbox = await announceServer(stateDir, { ...about, token: 's'.repeat(32), sandbox: true })
  expect((await csp('bees')).errors).toContain('No csp is running to make the searches. Start it with: csp start\n')
  await sandbox.end()
  const own = await announceServer(stateDir, { ...about, token: 't'.repeat(32) })
  const { output, errors } = await csp('wasps')
  expect([errors, asked]).toEqual(['', [`/v1/watches Bearer ${'t'.repeat(32)}`]])
  expect(output).toMatch(new RegExp(`^wasps\n  every 1d, not searched yet\n  ${url}/v1/watches/[0-9a-f]{32}\\.atom\n$`))
  status = 500
  expect((await csp('ants')).errors).toContain('No csp is running')
  expect(JSON.parse((await csp('flies', '--json')).output)).toMatchObject({
    object: 'watch',
    feed: expect.stringContaining(url),
  })
  expect((await csp('gnats', '--json')).errors).toBe('')
  await own.end()
  await server.stop(true)
})

test('how often is from 10 minutes to a year and a day', async () => {
  const { csp } = watching()
  const every = async (text: string) => {
    const { code, output } = await csp('bees', '--every', text, '--json')
    return code === 0 ? JSON.parse(output).every_seconds : code
  }
  expect([await every('hour'), await every('day'), await every('week')]).toEqual([3600, 86_400, 604_800])
  expect([await every('10m'), await every('599s'), await every('366d'), await every('367d')]).toEqual([
    ...[600, 2, 31_622_400, 2],
  ])
})

test('fifty watches are the most', async () => {
  const { csp, store } = watching()
  await csp('bees')
  const kept = store()
  const [first] = kept.list()
  for (let at = 1; first && at < 49; at++) kept.add({ ...first, id: at.toString(16).padStart(32, '0') })
  expect((await csp('the fiftieth')).code).toBe(0)
  expect(await csp('one more')).toMatchObject({
    code: 2,
    errors: 'There are 50 watches already: csp watch remove ID\n',
  })
  expect(kept.list()).toHaveLength(50)
  kept.close()
})

test('a watch says when it last searched, and what went wrong', async () => {
  const { csp, store } = watching()
  await csp('bees')
  const kept = store()
  const [first] = kept.list()
  const id = first?.id ?? ''
  kept.keep(id, Date.now() - 3_600_000, Date.now(), [], {})
  expect((await csp()).output).toStartWith('bees\n  every 1d, searched 1 h ago\n')
  kept.fail(id, Date.now(), 'No\nnetwork')
  kept.close()
  expect((await csp()).output).toStartWith('bees\n  every 1d, searched 1 h ago; the last try failed: No network\n')
  expect(JSON.parse((await csp('remove', id, '--json')).output)).toEqual({ removed: id })
  expect(await csp()).toMatchObject({ code: 0, output: 'Nothing is watched.\n' })
  expect((await csp('--json')).output).toBe('[]\n')
})

test('nothing is removed where nothing was ever watched', async () => {
  const { csp } = watching()
  expect(await csp('remove', 'abc')).toMatchObject({
    code: 1,
    errors: 'There is no watch "abc". csp watch lists them.\n',
  })
  expect(await csp('--json')).toEqual({ code: 0, output: '[]\n', errors: '' })
  expect((await csp('bees', 'and', 'wasps')).code).toBe(2)
  expect((await csp('bees', 'dance')).errors).toBe('Put quotes around the query: csp watch "bees dance"\n')
})
