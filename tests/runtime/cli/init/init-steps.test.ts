import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { quickTimers } from '@csp/testing/quick-timers'
import { agreedAtOnce, offerFreeBackend } from '../../../../src/runtime/cli/init/init.ts'
import { answerTo, type InitCall, inBackground, isWanted, say } from '../../../../src/runtime/cli/init/init-call.ts'
import { setUpClaude, willBeFetched } from '../../../../src/runtime/cli/init/init-claude.ts'
import {
  checkClients,
  chooseClients,
  foundClients,
  setUpClients,
} from '../../../../src/runtime/cli/init/init-clients.ts'
import { main } from '../../../../src/runtime/cli/main.ts'
import { knownClients } from '../../../../src/runtime/client-files/known-clients.ts'
import { loadConfig } from '../../../../src/runtime/config/config.ts'
import { UsageError } from '../../../../src/runtime/config/usage-error.ts'
import { root } from '../../../docs/markdown.ts'
import { serveApi } from '../../../executor/backends/http/api-server.ts'
import { type TestShell, type TestShellOptions, testShell } from '../../test-shell.ts'

const scratch = mkdtempSync(join(tmpdir(), 'csp-init-steps-'))
afterAll(() => rmSync(scratch, { recursive: true }))

interface Trial extends Partial<TestShellOptions> {
  readonly options?: Partial<InitCall['options']>
  readonly flags?: Readonly<Record<string, string | boolean>>
  readonly files?: readonly string[]
  readonly isAttended?: true
}

/** A call of csp init in a home of its own, where no CLI is found. */
function calling({ options, flags = {}, files = [], isAttended, ...more }: Trial = {}) {
  const home = mkdtempSync(join(scratch, 'home-'))
  for (const name of files) {
    mkdirSync(dirname(join(home, name)), { recursive: true })
    writeFileSync(join(home, name), '{}')
  }
  const environment = { HOME: home, PATH: '', CSP_CLAUDE_BIN: '/gone/claude', ...more.environment }
  const shell: TestShell = testShell({ directory: home, ...more, environment })
  const usual = { yes: false, clients: undefined, serve: undefined, noSearch: false, json: false }
  const loaded = loadConfig(flags, environment, home)
  const call: InitCall = { shell, loaded, flags, arguments: [], options: { ...usual, ...options }, isAttended }
  return { call, shell, home }
}

describe('a question of csp init', () => {
  test('is not asked with --yes, and needs a terminal otherwise', async () => {
    expect(await isWanted(calling({ options: { yes: true } }).call, 'Go on?')).toBe(true)
    expect(await isWanted(calling({ reply: 'n' }).call, 'Go on?')).toBe(false)
    await expect(isWanted(calling().call, 'Go on?')).rejects.toThrow('csp init --yes')
    await expect(answerTo(calling().shell, 'Which?')).rejects.toThrow(UsageError)
    expect(await answerTo(calling({ reply: ' cursor ' }).shell, 'Which?')).toBe('cursor')
  })
})

test('work in the background shows nothing before it is waited for, and all after it', async () => {
  const { call, shell } = calling()
  const gate = Promise.withResolvers<void>()
  const work = inBackground(call, async (own) => {
    say(own, 'First')
    own.shell.errors.write('Beware\n')
    await gate.promise
    say(own, 'Second')
    return 7
  })
  say(call, 'Meanwhile')
  expect([shell.printed(), shell.complaints()]).toEqual(['Meanwhile\n', ''])
  const result = work.result()
  expect([shell.printed(), shell.complaints()]).toEqual(['Meanwhile\nFirst\n', 'Beware\n'])
  gate.resolve()
  expect(await result).toBe(7)
  expect(shell.printed()).toBe('Meanwhile\nFirst\nSecond\n')
  const failing = inBackground(call, () => Promise.reject(new Error('broken')))
  await expect(failing.result()).rejects.toThrow('broken')
})

describe('the overview of csp init', () => {
  const steps = (printed: string) => Array.from(printed.matchAll(/^ {2}- (.*)$/gm), ([, step]) => step)
  const shown = async (trial: Trial) => {
    const { call, shell, home } = calling({ reply: 'n', ...trial })
    await agreedAtOnce(call)
    return steps(shell.printed().replaceAll(home, '~'))
  }

  test('names what would be done', async () => {
    const shows = async (trial: Trial, ...expected: readonly RegExp[]) => {
      const said = await shown(trial)
      expect(said).toEqual(expected.map((words) => expect.stringMatching(words)))
    }
    // A path that is set is for its owner to correct: nothing is fetched in its place.
    await shows({}, /^sign in/, /no client/, /^serve /, /one search.* your plan/)
    const quiet = { noSearch: true, serve: 'no' } as const
    await shows({ files: ['.cursor/mcp.json'], options: quiet }, /^sign in/, /Cursor \(~\/\.cursor\/mcp\.json\)/)
    await shows({ flags: { sandbox: true }, options: { serve: 'service' } }, /no client/, /login/, /sandbox/)
    const flags = { backends: 'parallel-free' }
    await shows({ flags, options: { ...quiet, serve: 'background' } }, /no client/, /background.* csp stop/)
  })

  test.each([
    ['', 'all'],
    ['Y', 'all'],
    [' yes ', 'all'],
    ['n', 'nothing'],
    ['NO', 'nothing'],
    ['s', 'steps'],
    ['step', 'steps'],
  ])('takes the reply %j for %s', async (reply, meaning) => {
    const { call } = calling({ reply: ['what?', reply] })
    const agreed = await agreedAtOnce(call)
    if (meaning === 'all') expect(agreed).toMatchObject({ isAttended: true, options: { yes: true } })
    else expect(agreed).toBe(meaning === 'steps' ? call : undefined)
  })

  test('is not shown with --yes or --clients', async () => {
    for (const options of [{ yes: true }, { clients: 'none' }]) {
      const { call, shell } = calling({ options })
      expect([await agreedAtOnce(call), shell.printed()]).toEqual([call, ''])
    }
  })
})

describe('the CLI of csp init', () => {
  test('is fetched without a question only where it is missing and may be', () => {
    const folder = { CSP_CLAUDE_BIN: '' }
    const of = (trial: Trial) => willBeFetched(calling(trial).call)
    expect(of({ options: { yes: true } })).toBe(false)
    expect(of({ options: { yes: true }, flags: { backends: 'parallel-free' }, environment: folder })).toBe(false)
  })

  test('is none of its business where no backend needs it, and missing where a path leads nowhere', async () => {
    const unused = calling({ flags: { backends: 'parallel-free' } })
    expect([await setUpClaude(unused.call), unused.shell.printed()]).toEqual(['unused', ''])
    const { call, shell } = calling()
    expect(await setUpClaude(call)).toBe('missing')
    expect(shell.printed()).toStartWith('Claude Code CLI\n')
  })
})

/** The number by which csp init offers Cursor. */
const cursorNumber =
  1 +
  knownClients({ HOME: '/' }, '/')
    .filter(({ file }) => file !== undefined)
    .findIndex(({ id }) => id === 'cursor')

describe('the clients of csp init', () => {
  const cursor = ['.cursor/mcp.json']
  const idsOf = async (trial: Trial) => (await chooseClients(calling(trial).call)).map(({ id }) => id)

  test('are those that are found, those that are named, or none', async () => {
    expect(await idsOf({ files: cursor, options: { yes: true } })).toEqual(['cursor'])
    expect(await idsOf({ files: cursor, options: { clients: 'none', yes: true } })).toEqual([])
    expect(await idsOf({ options: { clients: 'Cursor, claude-code,cursor' } })).toEqual(['cursor', 'claude-code'])
    for (const reply of ['', 'y', ' YES ']) expect(await idsOf({ files: cursor, reply })).toEqual(['cursor'])
    for (const reply of ['n', 'No', 'none']) expect(await idsOf({ files: cursor, reply })).toEqual([])
    expect(await idsOf({ files: cursor, reply: ['curser', `${cursorNumber} claude-code`] })).toEqual([
      'cursor',
      'claude-code',
    ])
    expect(foundClients(calling().call)).toEqual([])
  })

  test('are found by their program on PATH alone where csp has a plugin for them', () => {
    const bin = mkdtempSync(join(scratch, 'bin-'))
    for (const name of ['openclaw', 'cursor']) writeFileSync(join(bin, name), '#!/bin/sh\n', { mode: 0o755 })
    expect(foundClients(calling({ environment: { PATH: bin } }).call)).toMatchObject([{ id: 'openclaw' }])
  })

  test('are none for an empty reply where none is found', async () => {
    expect(await idsOf({ reply: '' })).toEqual([])
  })

  test('that are unknown are refused before anything is done', () => {
    const { call } = calling({ options: { clients: 'curser' } })
    expect(() => checkClients(call)).toThrow('Did you mean cursor?')
    checkClients(calling().call)
    expect(() => checkClients(calling({ options: { clients: 'none,cursor' } }).call)).toThrow('"none"')
  })

  test('are written, or say why they are not', async () => {
    const { call, shell, home } = calling({ options: { yes: true }, files: cursor })
    writeFileSync(join(home, '.cursor/mcp.json'), '{')
    const [failed] = await setUpClients(call, await chooseClients(call))
    expect(failed).toMatchObject({ client: 'cursor', outcome: 'failed', problem: expect.stringMatching(/./) })
    expect(shell.printed()).toStartWith(`Clients\nCursor: ${join(home, '.cursor/mcp.json')}\n  `)
    const none = calling({ options: { yes: true } })
    expect(await setUpClients(none.call, [])).toEqual([])
    const asked = calling({ files: cursor })
    const chosen = await chooseClients({ ...asked.call, options: { ...asked.call.options, clients: 'cursor' } })
    await expect(setUpClients(asked.call, chosen)).rejects.toThrow(UsageError)
  })
})

test('OpenClaw gets its plugin for Brave where csp cannot install its own, or is not to', async () => {
  const bin = mkdtempSync(join(scratch, 'bin-'))
  writeFileSync(join(bin, 'openclaw'), '#!/bin/sh\n', { mode: 0o755 })
  for (const trial of [
    { options: { yes: true, clients: 'openclaw' } },
    { reply: 'y', options: { clients: 'openclaw' }, environment: { PATH: bin } },
  ]) {
    const environment = { CSP_PORT: '9', ...trial.environment }
    const { call, home } = calling({ ...trial, environment, files: ['.openclaw/openclaw.json'] })
    expect(await setUpClients(call, await chooseClients(call))).toMatchObject([
      { client: 'openclaw', outcome: 'written' },
    ])
    const { plugins } = JSON.parse(readFileSync(join(home, '.openclaw/openclaw.json'), 'utf8'))
    expect(Object.keys(plugins.entries)).toEqual(['brave'])
    expect(plugins.entries.brave.config.webSearch.baseUrl).toBe('http://127.0.0.1:9')
  }
})

describe('a backend for when Claude cannot search', () => {
  const offering = async (trial: Trial) => {
    const { call, shell, home } = calling(trial)
    await offerFreeBackend(call)
    const file = join(home, '.config/csp/config.json')
    return {
      printed: shell.printed(),
      written: existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).backends : undefined,
    }
  }

  test('is written only with a yes of a person', async () => {
    const yes = await offering({ reply: 'y' })
    expect(yes.written).toEqual(['claude', 'parallel-free'])
    expect(yes.printed).toContain('search.parallel.ai')
    expect(yes.printed).toContain('config.json')
    for (const reply of ['', 'n', undefined]) expect((await offering({ reply })).written).toBeUndefined()
  })

  test('is not offered with --yes, nor where backends are set', async () => {
    const nothing = { printed: '', written: undefined }
    expect(await offering({ reply: 'y', options: { yes: true } })).toEqual(nothing)
    expect(await offering({ reply: 'y', flags: { backends: 'claude' } })).toEqual(nothing)
  })
})

const results = [1, 2, 3, 4].map((n) => ({ url: `https://a.example/${n}`, title: `Page\n${n}` }))

/** csp init with a search by a SearXNG that answers with this status. */
async function init(status: number, flags: readonly string[], reply?: readonly string[]) {
  await using server = serveApi(() => Response.json({ query: 'q', results, unresponsive_engines: [] }, { status }))
  const home = mkdtempSync(join(scratch, 'home-'))
  mkdirSync(join(home, '.cursor'))
  writeFileSync(join(home, '.cursor/mcp.json'), '{}')
  const searxng = { CSP_BACKENDS: 'searxng', CSP_SEARXNG_URL: server.url, CSP_MEMORY: 'off', CSP_PAGES: 'off' }
  const environment = { HOME: home, PATH: '', CSP_PORT: '9', ...searxng }
  const shell = testShell({ environment, directory: home, reply })
  const code = await main(['init', '--serve', 'no', ...flags], shell)
  const printed = shell.printed().replaceAll(home, '~').replaceAll(root, 'csp')
  return { code, printed, complaints: shell.complaints() }
}

test('csp init asks step by step, shows each change and what the first search has found, and says what comes next', async () => {
  const began = performance.now()
  const { code, printed, complaints } = await init(200, [], ['s', '', 'y', 'y'])
  expect([code, complaints]).toEqual([0, ''])
  const [, seconds] = /results in ([\d.]+) s/.exec(printed) ?? []
  expect(Number(seconds)).toBeLessThanOrEqual((performance.now() - began) / 1000 + 0.1)
  // Other systems have other folders.
  const text = printed
    .replace(/^( {2}\d+ .*?) {2,}~.*$/gm, '$1')
    .replace(/^ {2}\d+ (?!.* found$).*\n/gm, '')
    .replace(/^( {2}\d+) +Cursor +found$/m, '$1 Cursor found')
    .replace(/in [\d.]+ s,/, 'in N s,')
  expect(text).toBe(`\
Setting up csp
  - configure Cursor (~/.cursor/mcp.json): each change is shown, and the former file is kept
  - make one search, which counts towards your plan
Do all of this? Yes, no, or s for step by step [Y/n/s] Clients
  ${cursorNumber} Cursor found
Which of them should search with csp? Numbers or names, or none [${cursorNumber}] Cursor: ~/.cursor/mcp.json
  + mcpServers.csp.url: "http://127.0.0.1:9/mcp"
  Write this? [Y/n]   Written; the former file is ~/.cursor/mcp.json.before-csp.
Server
  Not started.
First search
  Try a search? It counts towards your plan. [Y/n]   "latest stable release of Node.js": 4 results in N s, such as
    Page 1
    Page 2
    Page 3
Next
  Restart Cursor to load csp's tools.
  Serve other programs: csp start
  Search here: csp search "bun release notes", csp ask "who maintains hono?"
  Other clients: csp setup, and csp/docs/clients
`)
})

describe('the end of csp init', () => {
  const only = ['--yes', '--clients', 'none']

  test('is JSON for a program, with the story on standard error', async () => {
    const { code, printed, complaints } = await init(200, [...only, '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(printed)).toMatchObject({ claude: 'unused', clients: [], search: { ok: true, results: 4 } })
    expect(complaints).toContain('First search\n')
  })

  test('is 1 where the search fails, and 0 where none is made', async () => {
    using _ = quickTimers()
    const failed = await init(500, only)
    expect(failed.code).toBe(1)
    expect(failed.printed).toContain('csp doctor\n')
    const skipped = await init(500, [...only, '--no-search', '--json'])
    expect([skipped.code, JSON.parse(skipped.printed).search]).toEqual([0, undefined])
  })
})
