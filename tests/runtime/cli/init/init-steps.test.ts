import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { answerTo, type InitCall, inBackground, isWanted, say } from '../../../../src/runtime/cli/init/init-call.ts'
import { setUpClaude, willBeFetched } from '../../../../src/runtime/cli/init/init-claude.ts'
import {
  checkClients,
  chooseClients,
  foundClients,
  setUpClients,
} from '../../../../src/runtime/cli/init/init-clients.ts'
import { offerFreeBackend } from '../../../../src/runtime/cli/init/init-fallback.ts'
import { agreedAtOnce } from '../../../../src/runtime/cli/init/init-overview.ts'
import { main } from '../../../../src/runtime/cli/main.ts'
import { loadConfig } from '../../../../src/runtime/config/config.ts'
import { UsageError } from '../../../../src/runtime/config/usage-error.ts'
import { serveApi } from '../../../executor/backends/http/api-server.ts'
import { quickTimers } from '../../../support/quick-timers.ts'
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
    const instead = 'Not a terminal: cannot prompt. csp init --yes asks nothing; --clients, --serve and --no-search'
    await expect(isWanted(calling().call, 'Go on?')).rejects.toThrow(instead)
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
    const login = 'sign in to it, if it is signed out'
    const none = 'configure no client: none was found'
    const search = 'make one search, which counts towards your plan'
    // A path that is set is for its owner to correct: nothing is fetched in its place.
    const serve = (await shown({}))[2] ?? ''
    expect(serve).toMatch(/^serve (?:from each login on, as a service|in the background, until csp stop)$/)
    expect(await shown({})).toEqual([login, none, serve, search])
    const cursor = 'configure Cursor (~/.cursor/mcp.json): each change is shown, and the former file is kept'
    expect((await shown({ files: ['.cursor/mcp.json'] }))[1]).toBe(cursor)
    expect(await shown({ options: { noSearch: true, serve: 'no' } })).toEqual([login, none])
    expect(await shown({ flags: { sandbox: true }, options: { serve: 'service' } })).toEqual([
      ...[none, 'serve from each login on, as a service', 'make one search, on the sandbox'],
    ])
    const flags = { backends: 'parallel-free' }
    expect(await shown({ flags, options: { serve: 'background', noSearch: true } })).toEqual([
      ...[none, 'serve in the background, until csp stop'],
    ])
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
    expect(shell.printed()).toStartWith('Claude Code CLI\n  Not found. Looked in ')
    expect(shell.printed()).toContain('Then: csp init.')
  })
})

describe('the clients of csp init', () => {
  const cursor = ['.cursor/mcp.json']
  const idsOf = async (trial: Trial) => (await chooseClients(calling(trial).call)).map(({ id }) => id)

  test('are those that are found, those that are named, or none', async () => {
    expect(await idsOf({ files: cursor, options: { yes: true } })).toEqual(['cursor'])
    expect(await idsOf({ files: cursor, options: { clients: 'none', yes: true } })).toEqual([])
    expect(await idsOf({ options: { clients: 'Cursor, claude-code,cursor' } })).toEqual(['cursor', 'claude-code'])
    for (const reply of ['', 'y', ' YES ']) expect(await idsOf({ files: cursor, reply })).toEqual(['cursor'])
    for (const reply of ['n', 'No', 'none']) expect(await idsOf({ files: cursor, reply })).toEqual([])
    expect(await idsOf({ files: cursor, reply: ['curser', '4 claude-code'] })).toEqual(['cursor', 'claude-code'])
    expect(foundClients(calling().call)).toEqual([])
  })

  test('are found by their program on PATH alone where csp has a plugin for them', () => {
    const bin = mkdtempSync(join(scratch, 'bin-'))
    for (const name of ['openclaw', 'cursor']) writeFileSync(join(bin, name), '#!/bin/sh\n', { mode: 0o755 })
    expect(foundClients(calling({ environment: { PATH: bin } }).call)).toMatchObject([{ id: 'openclaw' }])
  })

  test('are listed with their numbers, and with those that are found', async () => {
    const { call, shell, home } = calling({ files: cursor, reply: 'n' })
    await chooseClients(call)
    expect(shell.printed()).toStartWith('Clients\n')
    expect(shell.printed()).toMatch(/^ {2}4 +Cursor +found +\S+\.cursor\/mcp\.json$/m)
    expect(shell.printed()).toContain('Numbers or names, or none [4] ')
    expect(home).not.toBe('')
    const nothing = calling({ reply: 'n' })
    await chooseClients(nothing.call)
    expect(nothing.shell.printed()).toContain('or none [none] ')
  })

  test('that are unknown are refused before anything is done', () => {
    const { call } = calling({ options: { clients: 'curser' } })
    expect(() => checkClients(call)).toThrow(new UsageError('csp knows no client "curser". Did you mean cursor?'))
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
    expect(none.shell.printed()).toBe('Clients\n  None.\n')
    const asked = calling({ files: cursor })
    const chosen = await chooseClients({ ...asked.call, options: { ...asked.call.options, clients: 'cursor' } })
    await expect(setUpClients(asked.call, chosen)).rejects.toThrow('cannot prompt')
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
    expect(yes.printed).toContain('Ask Parallel (search.parallel.ai) then?')
    expect(yes.printed).toContain('config.json: backends claude, parallel-free. ')
    for (const reply of ['', 'n', undefined]) expect((await offering({ reply })).written).toBeUndefined()
  })

  test('is not offered with --yes, nor where backends are set', async () => {
    const nothing = { printed: '', written: undefined }
    expect(await offering({ reply: 'y', options: { yes: true } })).toEqual(nothing)
    expect(await offering({ reply: 'y', flags: { backends: 'claude' } })).toEqual(nothing)
  })
})

describe('the end of csp init', () => {
  const results = [1, 2, 3, 4].map((n) => ({ url: `https://a.example/${n}`, title: `Page\n${n}` }))

  /** csp init with a search by a SearXNG that answers with this status. */
  async function init(status: number, ...flags: readonly string[]) {
    await using server = serveApi(() => Response.json({ query: 'q', results, unresponsive_engines: [] }, { status }))
    const home = mkdtempSync(join(scratch, 'home-'))
    const searxng = { CSP_BACKENDS: 'searxng', CSP_SEARXNG_URL: server.url, CSP_MEMORY: 'off', CSP_PAGES: 'off' }
    const shell = testShell({ environment: { HOME: home, PATH: '', ...searxng }, directory: home })
    const code = await main(['init', '--yes', '--clients', 'none', '--serve', 'no', ...flags], shell)
    return { code, printed: shell.printed(), complaints: shell.complaints() }
  }

  test('shows what the first search has found, and what comes next', async () => {
    const began = performance.now()
    const { code, printed } = await init(200)
    expect(code).toBe(0)
    const [, seconds] = /results in ([\d.]+) s/.exec(printed) ?? []
    expect(Number(seconds)).toBeLessThanOrEqual((performance.now() - began) / 1000 + 0.1)
    expect(printed).toMatch(/First search\n {2}"[^"]+": 4 results in [\d.]+ s, such as\n( {4}Page \d\n){3}Clients\n/)
    expect(printed).toContain('Server\n  Not started.\n')
    expect(printed).toContain('  Serve other programs: csp start\n')
    expect(printed).not.toContain('See what is wrong')
  })

  test('is JSON for a program, with the story on standard error', async () => {
    const { code, printed, complaints } = await init(200, '--json')
    expect(code).toBe(0)
    expect(JSON.parse(printed)).toMatchObject({ claude: 'unused', clients: [], search: { ok: true, results: 4 } })
    expect(complaints).toContain('First search\n')
  })

  test('is 1 where the search fails, and 0 where none is made', async () => {
    using _ = quickTimers()
    const failed = await init(500)
    expect(failed.code).toBe(1)
    expect(failed.printed).toContain('  It failed: ')
    expect(failed.printed).toContain('  See what is wrong with the search: csp doctor\n')
    const skipped = await init(500, '--no-search', '--json')
    expect([skipped.code, JSON.parse(skipped.printed).search]).toEqual([0, undefined])
  })

  test('with a CLI that is missing is 3, and names what to do again', async () => {
    const home = mkdtempSync(join(scratch, 'home-'))
    const shell = testShell({ environment: { HOME: home, PATH: '', CSP_CLAUDE_BIN: '/gone/claude' }, directory: home })
    expect(await main(['init', '--yes', '--clients', 'none', '--serve', 'no', '--json'], shell)).toBe(3)
    expect(JSON.parse(shell.printed())).toEqual({ claude: 'missing', clients: [], next: ['csp init'] })
  })
})
