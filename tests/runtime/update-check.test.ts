import { afterAll, describe, expect, setSystemTime, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { eventually } from '@csp/testing/eventually'
import { startUpdateCheck } from '../../src/runtime/update-check.ts'
import { version } from '../../src/runtime/version.ts'
import { serveApi } from '../executor/backends/http/api-server.ts'
import { testNeeding } from '../support/needs.ts'
import { processesNaming } from '../support/processes.ts'
import { testShell } from './test-shell.ts'

const scratch = mkdtempSync(join(tmpdir(), 'csp-update-'))
afterAll(() => rmSync(scratch, { recursive: true }))

/** A home whose npm says this. */
function machine(said: string) {
  const home = mkdtempSync(join(scratch, 'home-'))
  const bin = join(home, 'bin')
  const asked = join(home, 'asked')
  mkdirSync(bin)
  const npm = `#!/bin/sh\n{ echo "$@"; pwd; env; } >> '${asked}'\n${said}\n`
  writeFileSync(join(bin, 'npm'), npm, { mode: 0o755 })
  const usual = { HOME: home, PATH: `${bin}:/usr/bin:/bin` }
  return {
    home,
    environment: usual,
    memory: join(home, '.local/state/csp/update.json'),
    /** What npm was called with, where, and in which environment. */
    asked: () => (existsSync(asked) ? readFileSync(asked, 'utf8') : ''),
    async check(command = 'search', more: Readonly<Record<string, string>> = {}, isTerminal = true) {
      const environment = { ...usual, ...more }
      const check = startUpdateCheck(command, testShell({ environment, directory: scratch, isTerminal }), true)
      expect(check?.note()).toBeUndefined()
      await check?.done
      return check?.note()
    },
  }
}

const question = 'view claude-search-proxy@latest version --logs-max=0 --no-update-notifier'

describe.skipIf(process.platform === 'win32')('the note on a newer version', () => {
  test('names it and how to get it, once a day', async () => {
    const { check, asked, memory } = machine('echo 99.0.0')
    expect(await check()).toBe(
      `csp 99.0.0 is out, this is ${version}: git pull && npm install --omit=dev. CSP_NO_UPDATE_CHECK=1 ends this note.\n`,
    )
    expect(asked().split(question)).toHaveLength(2)
    expect(JSON.parse(readFileSync(memory, 'utf8'))).toMatchObject({ latest: '99.0.0' })
    expect(await check()).toBeUndefined()
    expect(asked().split(question)).toHaveLength(2)
    const yesterday = new Date(Date.now() - 25 * 3_600_000).toISOString()
    writeFileSync(memory, JSON.stringify({ checkedAt: yesterday }))
    expect(await check('serve')).toContain('99.0.0')
  })

  test('is looked for a day after the last time, or at once where that is yet to come or cannot be read', async () => {
    const now = new Date('2026-11-20T10:00:00Z')
    const at = (ms: number) => JSON.stringify({ checkedAt: new Date(now.getTime() + ms).toISOString() })
    const day = 24 * 3_600_000
    setSystemTime(now)
    try {
      for (const [text, isAsked] of [
        [at(0), false],
        [at(1 - day), false],
        [at(-day), true],
        [at(1), true],
        ['{"checkedAt":"soon"}', true],
        ['[]', true],
        ['{', true],
      ] as const) {
        const { check, asked, memory } = machine('echo 99.0.0')
        mkdirSync(dirname(memory), { recursive: true })
        writeFileSync(memory, text)
        await check()
        expect([text, asked() !== '']).toEqual([text, isAsked])
        if (isAsked) expect(JSON.parse(readFileSync(memory, 'utf8'))).toMatchObject({ checkedAt: now.toISOString() })
      }
    } finally {
      setSystemTime()
    }
  })

  test.each([
    ['the same version', `echo ${version}`],
    ['an older version', 'echo 0.0.1'],
    ['a version that is none', 'echo "99.0.0; rm -rf"'],
    ['nothing', 'exit 0'],
    ['that it failed', 'echo 99.0.0; exit 1'],
  ])('is not there where npm says %s', async (_, said) => {
    const { check, asked } = machine(said)
    expect(await check()).toBeUndefined()
    expect(asked()).toContain(question)
  })

  test.each<[string, string, Readonly<Record<string, string>>, boolean]>([
    ['where CSP_NO_UPDATE_CHECK is set', 'search', { CSP_NO_UPDATE_CHECK: '1' }, true],
    ['where NO_UPDATE_NOTIFIER is set', 'search', { NO_UPDATE_NOTIFIER: '1' }, true],
    ['in CI', 'search', { CI: 'true' }, true],
    ['without a terminal', 'search', {}, false],
    ['for csp config', 'config', {}, true],
    ['for csp status, which is quicker than npm', 'status', {}, true],
    ['where there is no npm', 'search', { PATH: '/nowhere' }, true],
  ])('costs no call of npm %s', async (_, command, more, isTerminal) => {
    const { check, asked, memory } = machine('echo 99.0.0')
    expect(await check(command, more, isTerminal)).toBeUndefined()
    expect([asked(), existsSync(memory)]).toEqual(['', false])
  })

  test('is asked for in the home folder, and npm is told nothing of csp', async () => {
    const { check, asked, home } = machine('echo 99.0.0')
    await check('doctor', { CSP_API_KEYS: 'secret-a', ANTHROPIC_API_KEY: 'secret-b', npm_config__auth: 'secret-c' })
    expect(asked()).toContain(`\n${home}\n`)
    expect(asked()).not.toContain('secret')
  })

  test('is not waited for: npm ends with csp', async () => {
    const { home, environment, asked } = machine('exec sleep 60')
    const script = join(import.meta.dir, '../fixtures/check-for-update.ts')
    const csp = Bun.spawn([process.execPath, script], { env: environment, stdin: 'pipe' })
    await eventually(() => processesNaming(home).some(({ command }) => command === 'sleep 60'))
    expect(asked()).toContain(question)
    csp.stdin.end()
    expect(await csp.exited).toBe(0)
    await eventually(() => processesNaming(home).length === 0)
  })

  testNeeding('npm', Bun.which('npm') !== null)('comes from the registry that npm is set to', async () => {
    const paths: string[] = []
    await using registry = serveApi((request) => {
      paths.push(new URL(request.url).pathname)
      const versions = { '99.0.0': { name: 'claude-search-proxy', version: '99.0.0' } }
      return Response.json({ name: 'claude-search-proxy', 'dist-tags': { latest: '99.0.0' }, versions })
    })
    const { check, home } = machine('')
    writeFileSync(join(home, '.npmrc'), `registry=${registry.url}/npm/\n`)
    // On a busy machine npm may take longer than csp waits for it.
    let note: string | undefined
    for (let tries = 0; note === undefined && tries < 10; tries++)
      note = await check('search', { PATH: process.env['PATH'] ?? '' })
    expect(note).toContain('csp 99.0.0 is out')
    expect(new Set(paths)).toEqual(new Set(['/npm/claude-search-proxy']))
  })
})
