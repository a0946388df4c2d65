import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { eventually } from '@csp/testing/eventually'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { stopServer } from '../../../src/runtime/background/background.ts'
import { logFile } from '../../../src/runtime/background/log-file.ts'
import { runningServers } from '../../../src/runtime/background/running-servers.ts'
import { freePort } from '../../support/free-port.ts'
import { testNeeding } from '../../support/needs.ts'
import { ownAddress } from '../../support/own-address.ts'
import { standInClaude } from '../../support/quick-claude.ts'
import { claudeEnvironment } from '../../support/real-claude.ts'
import { launcher } from '../../support/tested-program.ts'
import { runHere } from '../run-here.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'csp-background-'))
})
afterEach(async () => {
  for (const left of await runningServers(stateDir())) await stopServer(left, true)
  rmSync(home, { recursive: true, force: true })
})

const environment = () => ({
  ...claudeEnvironment('http://127.0.0.1:9', home),
  CSP_CLAUDE_BIN: standInClaude(),
  TMPDIR: home,
})

/** Runs a command of csp in this process: one that starts no csp. */
function here(...args: readonly string[]) {
  return runHere(args, { environment: environment(), directory: home })
}

/** Runs a command of csp as a user does, with a scratch home and a terminal of its own. */
const csp = (...args: readonly string[]) => cspWith({}, ...args)

async function cspWith(variables: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const child = Bun.spawn(['node', launcher, ...args], {
    env: { ...environment(), ...variables },
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { output, errors, code }
}

/** For a csp whose searches are not the subject, and start no CLI. */
const withoutCli = ['--backends', 'messages']

const stateDir = () => join(home, '.local/state/csp')

async function untilLogged(pattern: RegExp, times: number): Promise<void> {
  await eventually(async () => (await here('logs')).output.match(pattern)?.length === times)
}

async function started(...flags: readonly string[]) {
  const port = freePort()
  const { code, errors } = await csp('start', '--port', port, '--sandbox', ...flags)
  expect({ code, errors }).toMatchObject({ code: 0 })
  const [server] = await runningServers(stateDir())
  if (!server) throw new Error('csp start left no record.')
  return { server, port }
}

describe('a csp in the background', () => {
  test('outlives the command that started it, answers, and ends with csp stop', async () => {
    const { server, port } = await started(...withoutCli)
    expect((await fetch(`${server.url}/v1/search?q=harbour+seals`)).status).toBe(200)
    const again = (await here('start', '--port', port)).output
    expect(again).toContain(`runs already at ${server.url}`)
    expect(again).not.toContain('Not applied')
    const withFlags = await here('start', '--port', port, '--host', '127.0.0.2', '--api-keys', 'k'.repeat(20))
    expect(withFlags.output).toContain('Not applied: --host, --api-keys. To apply flags, stop it first.')
    // A request is logged behind its reply.
    await untilLogged(/GET \/v1\/search 200/g, 1)
    const logged = await csp('logs')
    expect(logged.output).toContain('GET /v1/search 200')
    expect(logged.output).not.toContain('harbour')
    expect(statSync(join(stateDir(), 'log/csp.log')).mode & 0o777).toBe(0o600)
    expect(await csp('stop')).toMatchObject({ code: 0, output: `csp at ${server.url} has stopped.\n` })
    expect(await runningServers(stateDir())).toEqual([])
    expect((await here('stop')).output).toContain('No csp of this user is running')
  }, 60_000)

  test('says at its start that Claude is signed out, and how to sign in', async () => {
    const port = freePort()
    const begun = await cspWith({ CLAUDE_CODE_OAUTH_TOKEN: '' }, 'start', '--port', port)
    expect(begun).toMatchObject({ code: 0, output: expect.stringContaining('listens on') })
    expect(begun.errors.replace(/\s+/g, ' ')).toContain('Claude is signed out, so no search works yet: ')
    expect((await here('stop')).code).toBe(0)
  }, 60_000)

  test('one of several is not stopped by a command that names none, and status names them all', async () => {
    const [first, second] = [await started(...withoutCli), await started(...withoutCli)]
    const servers = await runningServers(stateDir())
    expect(servers).toHaveLength(2)
    const { code, errors } = await here('stop')
    expect(code).toBe(2)
    for (const { url } of servers) expect(errors).toContain(url)
    expect(await runningServers(stateDir())).toHaveLength(2)
    const numbers = servers.findIndex(({ port }) => `${port}` === second.port) + 1
    expect((await runHere(['stop'], { environment: environment(), directory: home, reply: '3' })).code).toBe(2)
    expect((await runHere(['stop'], { environment: environment(), directory: home, reply: `${numbers}` })).code).toBe(0)
    expect((await runningServers(stateDir())).map(({ port }) => `${port}`)).toEqual([first.port])
    await csp('start', '--port', second.port, '--sandbox', ...withoutCli)
    const shown = await here('status', '--port', first.port)
    for (const { url } of servers) expect(shown.output).toContain(url)
    expect((await here('stop', '--port', second.port)).code).toBe(0)
    expect((await runningServers(stateDir())).map(({ port }) => `${port}`)).toEqual([first.port])
    expect((await here('stop')).code).toBe(0)
  }, 60_000)

  test('at a port that it chose itself is found by csp setup and csp stop', async () => {
    expect(await csp('start', '--port', '0', '--sandbox', ...withoutCli)).toMatchObject({ code: 0 })
    const [server] = await runningServers(stateDir())
    expect((await here('setup', 'cursor', '--print')).output).toContain(`"url": "${server?.url}/mcp"`)
    expect(await here('stop', '--port', '0')).toMatchObject({ output: `csp at ${server?.url} has stopped.\n` })
  }, 60_000)

  testNeeding('an address beside loopback', ownAddress !== undefined)(
    'on another address still listens on loopback, where status, setup and stop find it',
    async () => {
      const port = freePort()
      const words = ['start', '--port', port, '--host', `${ownAddress}`, '--sandbox', ...withoutCli]
      expect(await csp(...words)).toMatchObject({
        code: 1,
        errors: expect.stringContaining('listens there only with keys'),
      })
      expect((await here('keys', 'add', 'somebody')).code).toBe(0)
      const begun = await csp(...words)
      expect(begun.output).toContain(`listens on http://127.0.0.1:${port} and http://${ownAddress}:${port} (`)
      for (const host of ['127.0.0.1', ownAddress]) {
        expect((await fetch(`http://${host}:${port}/v1/search?q=seals`)).status).toBe(401)
      }
      expect((await here('status')).output).toContain(`csp at http://127.0.0.1:${port}: ok`)
      expect((await here('status', `http://${ownAddress}:${port}`)).output).toContain('messages')
      expect((await here('setup', 'cursor', '--print')).output).toContain(`http://127.0.0.1:${port}/mcp`)
      expect((await csp('restart')).output).toContain(`http://${ownAddress}:${port}`)
      expect((await fetch(`http://${ownAddress}:${port}/health/live`)).status).toBe(200)
      expect((await here('stop')).output).toContain('has stopped')
      expect(await runningServers(stateDir())).toEqual([])
    },
    60_000,
  )

  test('moves a large log away while it runs', async () => {
    const { server } = await started(...withoutCli)
    const log = join(stateDir(), 'log/csp.log')
    const filling = 'x'.repeat(1023)
    writeFileSync(log, `${filling}\n`.repeat(5 * 1024), { flag: 'a' })
    await fetch(`${server.url}/v1/search?q=harbour+seals`)
    await eventually(() => existsSync(`${log}.1`))
    expect(statSync(log).size).toBeLessThan(100_000)
    expect(readFileSync(`${log}.1`, 'utf8')).toEndWith(`${filling}\n`)
    await untilLogged(/GET \/v1\/search 200/g, 1)
  }, 60_000)

  test('moves to the port that the configuration file names now, with its flags, when it is started again', async () => {
    const [from, to] = [freePort(), freePort()]
    expect((await here('config', 'set', 'port', from)).code).toBe(0)
    expect((await csp('start', '--sandbox', ...withoutCli)).output).toContain(`http://127.0.0.1:${from}`)
    expect((await here('config', 'set', 'port', to)).code).toBe(0)
    expect((await csp('restart')).output).toContain(`http://127.0.0.1:${to}`)
    const servers = await runningServers(stateDir())
    expect(servers).toHaveLength(1)
    expect(servers[0]).toMatchObject({ port: Number(to), flags: expect.arrayContaining(['--sandbox']) })
  }, 60_000)

  test('loses no request when it is started again', async () => {
    const { server } = await started(...withoutCli, '--rate', '0', '--daily-searches', '0')
    const statuses: number[] = []
    const failures: string[] = []
    let isDone = false
    const asking = (async () => {
      for (let number = 0; !isDone; number++) {
        statuses.push((await fetch(`${server.url}/v1/search?q=restart+${number}`)).status)
      }
    })()
    // Each by a connection of its own. One that is open when the old csp stops, and has sent nothing, may be reset.
    const connecting = (async () => {
      for (; !isDone; ) {
        await fetch(`${server.url}/health/live`, { keepalive: false }).catch(({ code }) => failures.push(code))
      }
    })()
    const again = await csp('restart')
    isDone = true
    await Promise.all([asking, connecting])
    expect(again).toMatchObject({ code: 0 })
    expect(statuses.length).toBeGreaterThan(0)
    expect(statuses.filter((status) => status !== 200)).toEqual([])
    // At every moment one of the two listens.
    expect(failures.filter((code) => code !== 'ECONNRESET')).toEqual([])
    const [now] = await runningServers(stateDir())
    expect(now?.url).toBe(server.url)
    expect(now?.pid).not.toBe(server.pid)
    expect(now?.flags.toSorted()).toEqual(server.flags.toSorted())
  }, 60_000)

  test('answers csp search, csp mcp and csp status of the same user, whom its keys do not shut out', async () => {
    const { server, port } = await started('--log-level', 'info')
    const search = await csp('search', '--sandbox', 'harbour seals', '-n', '1', '--json')
    expect(JSON.parse(search.output)).toMatchObject({ query: 'harbour seals', total_results: 1 })
    await untilLogged(/POST \/execute 200/g, 1)
    const otherwise = await here('search', '--sandbox', '--excerpts', 'none', 'harbour seals', '-n', '1')
    expect(otherwise.code).toBe(0)
    expect((await here('logs')).output.match(/POST \/execute/g)).toHaveLength(1)
    const noCli = { ...environment(), CSP_CLAUDE_BIN: join(home, 'missing') }
    const elsewhere = await runHere(['search', 'harbour seals', '-n', '1'], { environment: noCli, directory: home })
    expect(elsewhere).toMatchObject({ code: 0, output: expect.stringContaining('Sandbox') })
    // What the sandbox invents is never given without a word.
    expect(elsewhere.errors).toContain(`The csp at ${server.url} is asked. Sandbox: `)
    await untilLogged(/POST \/execute 200/g, 2)
    const mcp = new Client({ name: 'test', version: '1' })
    const env = { ...claudeEnvironment('http://127.0.0.1:9', home), CSP_CLAUDE_BIN: standInClaude() }
    await mcp.connect(
      new StdioClientTransport({ command: 'node', args: [launcher, 'mcp', '--sandbox'], env, cwd: home }),
    )
    const found = await mcp.callTool({ name: 'web_search', arguments: { query: 'grey seals' } })
    expect(found.isError).toBeFalsy()
    await untilLogged(/POST \/execute 200/g, 3)
    expect((await here('keys', 'add', 'somebody')).code).toBe(0)
    await eventually(async () => (await fetch(`${server.url}/v1/models`)).status === 401)
    expect((await here('status', '--port', port)).output).toContain('claude:')
    expect((await here('stop', '--port', port)).code).toBe(0)
    const alone = await mcp.callTool({ name: 'web_search', arguments: { query: 'harp seals' } })
    expect(alone.isError).toBeFalsy()
    await mcp.close()
  }, 90_000)

  test('searches again for csp search --fresh, and says of an answer that it knows that it is cached', async () => {
    await started(...withoutCli)
    const isCached = async (...more: readonly string[]) =>
      JSON.parse((await here('search', '--sandbox', ...withoutCli, 'harbour seals', '--json', ...more)).output).cached
    expect(await isCached()).toBe(false)
    expect(await isCached()).toBe(true)
    expect(await isCached('--fresh')).toBe(false)
    expect(await isCached()).toBe(true)
    // All four through the csp that runs.
    await untilLogged(/POST \/execute 200/g, 4)
  }, 30_000)

  test('says why it did not start', async () => {
    const other = Bun.serve({ port: 0, fetch: () => new Response('hello') })
    mkdirSync(dirname(logFile(stateDir())), { recursive: true })
    writeFileSync(logFile(stateDir()), 'What an earlier csp said.\n')
    try {
      const { code, errors } = await csp('start', '--port', String(other.port), '--sandbox')
      expect(code).toBe(1)
      expect(errors).toContain('csp did not start')
      expect(errors).not.toContain('an earlier csp')
      expect(errors).toContain(`Port ${other.port} is in use by another program`)
      expect(await runningServers(stateDir())).toEqual([])
    } finally {
      await other.stop(true)
    }
  }, 60_000)

  test('says at once that there is no CLI', async () => {
    const port = freePort()
    const { code, errors } = await csp('start', '--port', port, '--claude-bin', join(home, 'none'))
    expect(code).toBe(0)
    expect(errors).toStartWith('Claude cannot search yet: the Claude Code CLI is missing.')
    await here('stop', '--port', port)
  }, 30_000)

  test('is not confused with another process: csp stop ends no stranger', async () => {
    const stranger = Bun.spawn(['sleep', '60'])
    try {
      const { server, port } = await started(...withoutCli)
      await here('stop', '--port', port)
      const record = join(stateDir(), `run/${port}.json`)
      writeFileSync(record, JSON.stringify({ ...server, pid: stranger.pid }))
      expect((await here('stop', '--port', port)).output).toContain('No csp of this user is running')
      expect(stranger.exitCode).toBeNull()
      expect(stranger.killed).toBe(false)
    } finally {
      stranger.kill()
    }
  }, 60_000)
})
