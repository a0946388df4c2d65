import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { quickTimers } from '@csp/testing/quick-timers'
import { runningServers } from '../../../../src/runtime/background/running-servers.ts'
import { runCommand } from '../../../../src/runtime/cli/run-command.ts'
import { serve } from '../../../../src/runtime/cli/serve/serve.ts'
import { type ApiServer, serveApi } from '../../../executor/backends/http/api-server.ts'
import { testShell } from '../../test-shell.ts'

// csp serve in this process over a SearXNG that answers when a test lets it.

const scratch = mkdtempSync(join(tmpdir(), 'csp-serve-'))
let held = Promise.withResolvers<void>()
let searxng: ApiServer
beforeAll(() => {
  searxng = serveApi(async () => {
    await held.promise
    return Response.json({ query: 'q', results: [{ url: 'https://a.example/', title: 'A' }], unresponsive_engines: [] })
  })
})
afterAll(async () => {
  held.resolve()
  await searxng[Symbol.asyncDispose]()
  rmSync(scratch, { recursive: true })
})

async function serving(args: readonly string[] = [], prepare: (stateDir: string) => void = () => {}) {
  const home = mkdtempSync(join(scratch, 'home-'))
  const environment = {
    ...{ HOME: home, PATH: '', CSP_BACKENDS: 'searxng', CSP_SEARXNG_URL: searxng.url },
    ...{ CSP_PAGES: 'off', CSP_MEMORY: 'off', CSP_CACHE_TTL: '0' },
  }
  const stateDir = join(home, 'state')
  prepare(stateDir)
  let handOver = () => {}
  const own = testShell({ environment, directory: home })
  const shell = {
    ...own,
    onHandover(listener: () => void) {
      handOver = listener
      return () => {}
    },
  }
  const ended = runCommand(serve, ['--port', '0', '--state-dir', stateDir, ...args], shell)
  await Promise.race([own.says('listening on'), ended])
  const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(own.complaints()) ?? []
  const search = () => fetch(`${url}/v1/search?q=seals`)
  return { shell: own, ended, url, stateDir, search, handOver: () => handOver() }
}

const asked = async (count: number) => searxng.until(({ requests }) => requests.length >= count)

test('a csp that hands its place over finishes its searches, and its record goes', async () => {
  held = Promise.withResolvers()
  const before = searxng.requests.length
  const { shell, ended, url, stateDir, search, handOver } = await serving()
  expect(await runningServers(stateDir)).toMatchObject([
    { url, manager: 'terminal', flags: ['--port=0', `--state-dir=${stateDir}`] },
  ])
  const reply = search()
  await asked(before + 1)
  handOver()
  await shell.says('another csp takes over; running searches finish here')
  held.resolve()
  expect((await reply).status).toBe(200)
  expect(await ended).toBe(0)
  expect(shell.complaints()).not.toContain('stopping on')
  expect(await runningServers(stateDir)).toEqual([])
})

test('a second stop signal waits for no search', async () => {
  using _ = quickTimers()
  held = Promise.withResolvers()
  const before = searxng.requests.length
  const { shell, ended, search } = await serving()
  const reply = search().catch(() => undefined)
  await asked(before + 1)
  shell.send('SIGTERM')
  await shell.says('stopping on SIGTERM')
  await Bun.sleep(450)
  shell.send('SIGTERM')
  expect(await ended).toBe(130)
  held.resolve()
  await reply
})

test('a port that another csp has is refused, and a state folder that cannot be written is told', async () => {
  held.resolve()
  const first = await serving([], (stateDir) => writeFileSync(stateDir, ''))
  expect(first.shell.complaints()).toContain('csp stop and csp status will not find this csp: ')
  expect((await first.search()).status).toBe(200)
  const port = new URL(first.url).port
  const second = await serving(['--port', port])
  expect([await second.ended, second.shell.complaints()]).toEqual([1, expect.stringContaining(`ort ${port} is in use`)])
  first.shell.send('SIGINT')
  expect(await first.ended).toBe(0)
})
