import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addHolder, holdersOf } from '../../../../src/runtime/background/holders.ts'
import {
  announceServer,
  createLocalToken,
  type RunningServerRecord,
} from '../../../../src/runtime/background/running-servers.ts'
import { runHere } from '../../run-here.ts'
import type { TestShellOptions } from '../../test-shell.ts'

// What `csp start` and `csp stop --for` do where a csp runs already, for which this process stands.

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'csp-start-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const stateDir = () => join(home, '.local/state/csp')

/** A csp that says this of its login, and a way to run commands beside it. */
async function running(signedIn: boolean | null | undefined, manager: RunningServerRecord['manager'] = 'background') {
  const token = createLocalToken()
  const asked: (string | null)[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch({ url, headers }) {
      asked.push(`${new URL(url).pathname} ${headers.get('authorization') === `Bearer ${token}`}`)
      return signedIn === undefined
        ? new Response('Oh no')
        : Response.json({ status: 'ok', version: '1.2.3', backends: [{ signed_in: signedIn }, {}] })
    },
  })
  const port = server.port ?? 0
  const url = `http://127.0.0.1:${port}`
  await announceServer(stateDir(), { url, port, version: '1.2.3', token, settings: 'a', flags: [], manager })
  const csp = (words: readonly string[], options: Partial<TestShellOptions> = {}) =>
    runHere([...words, '--port', String(port)], {
      directory: home,
      ...options,
      environment: { HOME: home, CSP_CLAUDE_BIN: process.execPath, ...options.environment },
    })
  return { csp, port, url, asked, [Symbol.asyncDispose]: () => server.stop(true) }
}

const unwrapped = (text: string) => text.replaceAll(/\s+/g, ' ')

describe('csp start where one runs already', () => {
  test.each([
    ['terminal', 'on a terminal'],
    ['background', `(process ${process.pid})`],
    ['systemd', 'as a service'],
    ['programs', 'for other programs'],
  ] as const)('says so of one that was started by %s: %s', async (manager, words) => {
    await using it = await running(true, manager)
    const { code, output, errors } = await it.csp(['start'])
    expect({ code, errors }).toEqual({ code: 0, errors: '' })
    expect(unwrapped(output)).toContain(`csp 1.2.3 runs already at ${it.url}`)
    expect(unwrapped(output)).toContain(words)
    expect(output.includes('for other programs')).toBe(manager === 'programs')
    expect(unwrapped(output)).toContain(manager === 'programs' ? 'keeps it when they end' : 'starts it again')
    expect(output).not.toContain('Not applied')
    expect(it.asked).toEqual(['/health true'])
  })

  test('names the flags that it did not apply, without their values', async () => {
    await using it = await running(true)
    const { output } = await it.csp(['start', '--model', 'haiku', '--log-level', 'error'])
    expect(unwrapped(output)).toContain('Not applied: --model, --log-level. To apply flags, stop it first.')
    expect(unwrapped((await it.csp(['start', '--model=haiku'])).output)).toContain('Not applied: --model. To')
  })

  test('offers the login to a person at a terminal, if Claude is signed out', async () => {
    await using it = await running(false)
    const start = (options: Partial<TestShellOptions>) => it.csp(['start', '--sandbox'], options)
    for (const [options, isAsked, isTaken] of [
      [{ isTerminal: true, reply: '' }, true, true],
      [{ isTerminal: true, reply: 'n' }, true, false],
      [{ isTerminal: true }, true, false],
      [{ reply: 'y' }, false, false],
    ] as const) {
      const { code, output, errors } = await start(options)
      expect(code).toBe(0)
      expect(unwrapped(errors)).toContain('Claude is signed out, so no search works yet')
      expect(output.includes('Sign in now? [Y/n]')).toBe(isAsked)
      expect(output.includes('The sandbox needs no login.')).toBe(isTaken)
    }
  })

  test('has the CLI sign in, and make no token', async () => {
    await using it = await running(false)
    const cli = join(home, 'claude')
    const script = 'echo "$*" >> "$HOME/asked"; case "$*" in --version) echo 2.1.328 ;; *) exit 1 ;; esac'
    writeFileSync(cli, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    const environment = { CSP_CLAUDE_BIN: cli, PATH: '/usr/bin:/bin' }
    const { code, output } = await it.csp(['start'], { isTerminal: true, reply: 'y', environment })
    expect([code, output]).toEqual([3, expect.stringContaining('Still signed out.')])
    const asked = readFileSync(join(home, 'asked'), 'utf8')
    expect([asked.includes('auth login'), asked.includes('setup-token')]).toEqual([true, false])
  })

  test.each([true, null, undefined])('offers no login if it says %p of its login', async (signedIn) => {
    await using it = await running(signedIn)
    const { code, output, errors } = await it.csp(['start'], { isTerminal: true, reply: 'y' })
    expect({ code, errors }).toEqual({ code: 0, errors: '' })
    expect(output).not.toContain('Sign in now?')
  })

  test('says that the CLI is missing where Claude is to search, unless csp is a gateway alone', async () => {
    await using it = await running(false)
    const start = (...flags: readonly string[]) => it.csp(['start', '--claude-bin', join(home, 'none'), ...flags])
    expect((await start()).errors).toStartWith('Claude cannot search yet: the Claude Code CLI is missing.')
    const other = ['--backends', 'searxng', '--searxng-url', 'http://127.0.0.1:9']
    expect((await start(...other)).errors).toStartWith('Claude is signed out')
    const upstream = { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1', ANTHROPIC_DEFAULT_SONNET_MODEL: 'm' }
    const alone = ['start', '--claude-bin', join(home, 'none')]
    expect((await it.csp(alone, { environment: upstream })).errors).not.toContain('is missing')
    await using present = await running(true)
    expect((await present.csp(['start'])).errors).toBe('')
    expect((await present.csp(['start', ...other])).errors).toBe('')
  })
})

describe('csp start --for', () => {
  test('uses it, and does not ask for its login', async () => {
    await using it = await running(false, 'programs')
    const { code, output, errors } = await it.csp(['start', '--for', String(process.pid)], { isTerminal: true })
    expect({ code, errors, asked: it.asked }).toEqual({ code: 0, errors: '', asked: [] })
    expect(unwrapped(output)).toContain('runs already')
    expect(await holdersOf(stateDir(), it.port)).toEqual([process.pid])
  })

  test('needs a process that runs, and a port', async () => {
    await using it = await running(true, 'programs')
    const ended = String(2 ** 22 + 1)
    const gone = await it.csp(['start', '--for', ended])
    expect({ code: gone.code, errors: gone.errors.split('\n')[0] }).toEqual({
      code: 2,
      errors: `--for: there is no process ${ended}.`,
    })
    const free = { directory: home, environment: { HOME: home } }
    const { code, errors } = await runHere(['start', '--for', String(process.pid), '--port', '0'], free)
    expect([code, errors]).toEqual([2, expect.stringMatching(/needs a .*port/)])
    const both = await runHere(['start', '--at-login', '--for', String(process.pid), '--port', '0'], free)
    expect(both).toMatchObject({ code: 2, errors: '--at-login and --for cannot be combined.\n' })
  })
})

describe('csp stop --for', () => {
  const own = String(process.pid)

  test('takes a process back, and says what csp does then', async () => {
    await using it = await running(true, 'programs')
    await addHolder(stateDir(), it.port, process.pid)
    await addHolder(stateDir(), it.port, process.ppid)
    expect(unwrapped((await it.csp(['stop', '--for', own])).output)).toContain(`runs on for process ${process.ppid}.`)
    expect(await holdersOf(stateDir(), it.port)).toEqual([process.ppid])
    const { output, code } = await it.csp(['stop', '--for', String(process.ppid)])
    expect([code, unwrapped(output)]).toEqual([0, expect.stringContaining(`${it.url} ends in a moment`)])
    for (const pid of [process.pid, process.ppid]) await addHolder(stateDir(), it.port, pid)
    expect(unwrapped((await it.csp(['stop', '--for', String(2 ** 22 + 1)])).output)).toMatch(
      new RegExp(`runs on for processes (${own}, ${process.ppid}|${process.ppid}, ${own})\\.`),
    )
  })

  test('says so of a csp that was not started for programs, or is at another port', async () => {
    await using it = await running(true, 'background')
    const words = `No csp at port ${it.port} was started for other programs.`
    expect(unwrapped((await it.csp(['stop', '--for', own])).output)).toContain(words)
    await using other = await running(true, 'programs')
    expect(other.port).not.toBe(it.port)
    expect(unwrapped((await it.csp(['stop', '--for', own])).output)).toContain(words)
  })
})

test.each([
  ['stop', 0],
  ['logs', 1],
  ['start', 2],
])('with a wrong configuration csp %s ends with %d', async (line, code) => {
  mkdirSync(join(home, '.config/csp'), { recursive: true })
  writeFileSync(join(home, '.config/csp/config.json'), '{"port": "x"}')
  const outcome = await runHere(line.split(' '), { directory: home, environment: { HOME: home, PATH: '' } })
  expect(outcome).toMatchObject({ code, errors: expect.stringContaining(code === 2 ? '"port" must be' : '') })
})
