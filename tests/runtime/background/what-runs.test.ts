import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSandbox } from '../../../packages/sandbox/test/support/sandbox.ts'
import { type CspProcess, type CspProcessOptions, startCsp } from '../../support/csp-process.ts'
import { standInClaude } from '../../support/quick-claude.ts'
import { claudeEnvironment } from '../../support/real-claude.ts'
import { command } from '../../support/tested-program.ts'

// Commands in processes of their own, beside a csp that runs.

const sandbox = startSandbox()
const opened: CspProcess[] = []
const folders: string[] = []
afterAll(async () => {
  await Promise.all(opened.map((each) => each.stop()))
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  await sandbox[Symbol.asyncDispose]()
})

async function open(options: Partial<CspProcessOptions>): Promise<CspProcess> {
  const csp = await startCsp({ standInUrl: sandbox.url, ...options })
  opened.push(csp)
  return csp
}

/** A command of the same user. It says `Asking the csp that already runs.` where it does. */
async function csp(home: string, args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const child = Bun.spawn([...command, ...args], {
    env: {
      ...claudeEnvironment(sandbox.url, home),
      TMPDIR: home,
      CSP_CLAUDE_BIN: standInClaude(),
      CSP_MEMORY: 'off',
      CSP_DAILY_SEARCHES: '0',
      CSP_LOG_LEVEL: 'debug',
      ...environment,
    },
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [printed, said] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  const lines = said.split('\n').filter((line) => line.includes(' asked'))
  return { printed, said, lines, isAsked: said.includes('Asking the csp that already runs'), code: await child.exited }
}

describe('beside a csp that was started in the foreground with flags of its own and keys', () => {
  let there: CspProcess
  beforeAll(async () => {
    const flags = ['--page', 'off', '--concurrency', '4', '--warm-up', 'off', '--log-format', 'json', '--model', 'opus']
    there = await open({ flags: [...flags, '--pages', 'search'], environment: { CSP_API_KEYS: 'of-the-owner' } })
  })

  test.each([
    ['search', [], {}],
    ['ask', ['--evidence', 'report'], {}],
    ['search', ['--excerpts', 'lines'], { CSP_CONCURRENCY: '9', CSP_PAGE: 'on', CSP_WARM_UP: 'on' }],
    ['search', ['--model', 'opus'], { CSP_PAGES: 'search', CSP_PORT: '1' }],
  ] as const)('csp %s %j uses it', async (name, args, environment) => {
    const { isAsked, lines, code } = await csp(there.home, [name, ...args, '--', 'seals', name, ...args], environment)
    expect({ isAsked, lines, code }).toEqual({ isAsked: true, lines: [], code: 0 })
  })

  test.each([
    [['--model', 'haiku'], {}, 'it runs with model opus, and --model says haiku.'],
    [[], { CSP_PAGES: 'on' }, 'it runs with pages search, and CSP_PAGES says on.'],
    [['--sandbox'], {}, 'it is not on the sandbox.'],
    [[], { CLAUDE_CODE_OAUTH_TOKEN: 'of-another' }, 'it has another CLAUDE_CODE_OAUTH_TOKEN.'],
    [
      ['--backends', 'brave,claude'],
      { BRAVE_API_KEY: 'secret-of-brave' },
      'it runs with backends claude, and --backends says brave,claude; it runs without BRAVE_API_KEY, and BRAVE_API_KEY has one.',
    ],
  ] as const)('csp search %j with %j does not, and says why in one line', async (args, environment, reason) => {
    const { isAsked, lines, said } = await csp(there.home, ['search', ...args, '--', 'otters', ...args], environment)
    expect({ isAsked, lines }).toEqual({ isAsked: false, lines: [`The csp at ${there.url} is not asked: ${reason}`] })
    expect(said).not.toMatch(/of-another|secret-of-brave/)
  })

  test('its record holds no key', () => {
    const folder = join(there.home, '.local/state/csp/run')
    const records = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
    expect(records).toHaveLength(1)
    expect(records.join()).not.toContain('of-the-owner')
  })

  test('a configuration file counts, and is named', async () => {
    const file = join(there.home, 'mine.json')
    writeFileSync(file, '{\n  "search-model": "sonnet"\n}')
    const { lines } = await csp(there.home, ['search', '--config', file, 'walrus'])
    expect(lines).toEqual([
      `The csp at ${there.url} is not asked: it runs with search-model haiku, and ${file} line 2 says sonnet.`,
    ])
  })

  test('with --quiet nothing is said', async () => {
    expect((await csp(there.home, ['search', '-q', '--model', 'haiku', 'orcas'])).lines).toEqual([])
  })

  test('one that hangs is named', async () => {
    process.kill(there.serverPid(), 'SIGSTOP')
    try {
      const { isAsked, lines, code } = await csp(there.home, ['search', 'harbour seals'])
      expect({ isAsked, code }).toEqual({ isAsked: false, code: 0 })
      expect(lines).toEqual([expect.stringMatching(/is not asked: it does not answer\. .*restart starts it again\.$/)])
      expect(lines[0]).toContain(there.url)
    } finally {
      process.kill(there.serverPid(), 'SIGCONT')
    }
  })

  test('one of another version, whose settings nobody here can read, is named', async () => {
    const home = mkdtempSync(join(tmpdir(), 'csp-other-version-'))
    folders.push(home)
    const [from, to] = [there.home, home].map((each) => join(each, '.local/state/csp/run'))
    mkdirSync(to ?? '', { recursive: true })
    for (const name of readdirSync(from ?? '')) {
      const record = JSON.parse(readFileSync(join(from ?? '', name), 'utf8'))
      writeFileSync(join(to ?? '', name), JSON.stringify({ ...record, version: '0.0.1', settings: 'abc' }))
    }
    const { lines } = await csp(home, ['search', 'krill'])
    expect(lines).toEqual([expect.stringContaining(`The csp at ${there.url} is not asked: it is csp 0.0.1, this is `)])
  })
})

test('on the sandbox it is used, and every answer says so, also to a script', async () => {
  const { home, url } = await open({ flags: ['--sandbox', '--backends', 'messages'] })
  const signedOut = { CSP_CLAUDE_BIN: '', ANTHROPIC_BASE_URL: '' }
  const { isAsked, lines, printed, code } = await csp(home, ['how do seals sleep?'], signedOut)
  expect({ isAsked, code }).toEqual({ isAsked: true, code: 0 })
  expect(lines).toEqual([`The csp at ${url} is asked. Sandbox: nothing here comes from the web.`])
  expect(printed).not.toBe('')
  const ownOne = await csp(home, ['search', '--sandbox', '--backends', 'messages', 'seals'], signedOut)
  expect(ownOne).toMatchObject({ isAsked: true, lines: [], code: 0 })
  const port = new URL(url).port
  const again = await csp(home, ['start', '--sandbox', '--backends', 'messages', '--model', 'opus', '--port', port])
  expect(again.printed.replaceAll('\n', ' ')).toContain('Not applied: --model. ')
})

test('one whose state is in another folder is named, and gets no question', async () => {
  const elsewhere = mkdtempSync(join(tmpdir(), 'csp-elsewhere-'))
  folders.push(elsewhere)
  const { home, url } = await open({ environment: { CSP_STATE_DIR: elsewhere } })
  const here = await csp(home, ['search', 'seals'], { CSP_PORT: new URL(url).port })
  expect(here.isAsked).toBe(false)
  expect(here.lines).toEqual([expect.stringContaining(`The csp at ${url} is not asked: it is another user's, or `)])
  const told = await csp(home, ['search', 'seals'], { CSP_STATE_DIR: elsewhere })
  expect(told).toMatchObject({ isAsked: true, lines: [] })
})
