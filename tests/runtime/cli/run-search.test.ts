import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { quickTimers } from '@csp/testing/quick-timers'
import { createHomeApp } from '../../../src/app.ts'
import { SearchError, type SearchErrorCode } from '../../../src/domain/error.ts'
import type { Answer, SearchEvent } from '../../../src/domain/search.ts'
import { writeAnswerSettings } from '../../../src/runtime/background/answer-settings.ts'
import { announceServer, createLocalToken } from '../../../src/runtime/background/running-servers.ts'
import { type OneSearch, queryOf, runSearch, searchOptions } from '../../../src/runtime/cli/run-search.ts'
import { loadConfig } from '../../../src/runtime/config/config.ts'
import { UsageError } from '../../../src/runtime/config/usage-error.ts'
import {
  answers,
  done,
  type FakeExecutor,
  fakeExecutor,
  plays,
  requestFor,
  type Script,
} from '../../support/fake-executor.ts'
import { type TestShellOptions, testShell } from '../test-shell.ts'

const home = mkdtempSync(join(tmpdir(), 'csp-run-search-'))
const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})
afterAll(() => rmSync(home, { recursive: true }))

/** Another csp that answers with this script. */
function farCsp(script: Script): { readonly far: FakeExecutor; readonly url: string; readonly port: number } {
  const far = fakeExecutor(script)
  const app = createHomeApp({ executor: far, version: '1.2.3' })
  const alive = () => new Response('', { headers: { 'x-csp': '1' } })
  const fetch = (request: Request) => (request.url.endsWith('/health/live') ? alive() : app.fetch(request))
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, idleTimeout: 0, fetch })
  open.push(() => void server.stop(true))
  return { far, url: `http://127.0.0.1:${server.port}`, port: server.port ?? 0 }
}

interface Trial {
  readonly script?: Script
  readonly flags?: Readonly<Record<string, string>>
  readonly shell?: Partial<TestShellOptions>
  readonly search?: Partial<OneSearch>
  /** Whether a csp runs that answers with the script, and whether its settings are the same. */
  readonly running?: 'same' | 'other' | 'none'
}

const options = { quiet: false, open: undefined, fresh: false }
const noCli = join(home, 'none')

/** One search where no CLI can be used. */
async function searching({ script = answers, flags, shell: more, search, running = 'same' }: Trial = {}) {
  const directory = mkdtempSync(join(home, 'home-'))
  const environment = { HOME: directory, PATH: '', ...more?.environment }
  const shell = testShell({ directory, ...more, environment })
  const given = { backends: 'claude', 'claude-bin': noCli, memory: 'off', 'cache-ttl': '0', ...flags }
  const loaded = loadConfig(given, environment, home)
  const { far, url, port } = farCsp(script)
  if (running !== 'none') {
    const token = createLocalToken()
    const settings = running === 'same' ? writeAnswerSettings({ config: loaded.config, environment, token }) : 'others'
    const about = { url, port, settings, version: '1.2.3', token, flags: [] }
    const { end } = await announceServer(loaded.config.stateDir, { ...about, manager: 'terminal' })
    open.push(end)
  }
  const whole = {
    request: requestFor('seals'),
    options,
    show: ({ searches }: Answer) => `${searches.flatMap(({ results }) => results).length} pages\n`,
    ...search,
  }
  const code = await runSearch({ shell, loaded }, whole)
  return { code, printed: shell.printed(), complaints: shell.complaints(), far, url }
}

const start: SearchEvent = { type: 'search-start', id: 'one', query: 'seals' }
const page = (site: string) => ({ title: 'Seals', url: `https://${site}/`, source: 'fake' })
const found: SearchEvent = { type: 'search-results', id: 'one', results: [page('a.example'), page('b.example')] }
/** The phases that a terminal showed, without the seconds. */
const phasesIn = (complaints: string) =>
  Array.from(complaints.matchAll(/\r([^\r\x1b]+?) \d+ s\x1b/g), ([, phase]) => phase)

describe('a person who waits', () => {
  test('sees what a list of results has come to', async () => {
    const reading: SearchEvent = { type: 'reading', pages: 2, maxMs: 1500 }
    const script = plays([
      start,
      reading,
      { ...reading, unread: [{ site: 'a.example', code: 'needs-login' }] },
      found,
      { ...start, id: 'two', query: 'sea lions' },
      { type: 'search-results', id: 'two', results: [page('c.example')] },
      done,
    ])
    const { code, printed, complaints } = await searching({ script, shell: { isTerminal: true } })
    expect([code, printed]).toEqual([0, '3 pages\n'])
    expect(new Set(phasesIn(complaints))).toEqual(
      new Set([
        'Searching',
        '2 pages, reading (2 s at most)',
        '2 pages',
        '2 pages, searching for sea lions',
        '3 pages',
      ]),
    )
    expect(complaints).toContain('Not read: a.example (needs a login)\n')
  })

  test('sees what an answer has come to, with the lines of the command above', async () => {
    const text = (words: string): SearchEvent => ({ type: 'text-delta', text: words })
    const script = plays([text('Well. '), start, { type: 'reading', pages: 1 }, found, text('Seals sleep'), done])
    const search = {
      request: requestFor('seals', { want: 'answer', effort: 'deep' }),
      onStep: (event: SearchEvent) => (event.type === 'search-start' ? `Step: ${event.query}\n` : undefined),
      show: () => '',
    } as const
    const { code, complaints } = await searching({ script, shell: { isTerminal: true }, search })
    expect(code).toBe(0)
    expect(new Set(phasesIn(complaints))).toEqual(
      new Set(['Searching', 'writing', '1 page, reading', '2 pages, reading', '2 pages, writing']),
    )
    expect(complaints).toContain('\r\x1b[2KStep: seals\n\r')
    const quiet = await searching({
      script,
      shell: { isTerminal: true },
      search: { ...search, options: { ...options, quiet: true } },
    })
    expect(quiet).toMatchObject({ code: 0, complaints: '' })
    expect((await searching({ script, search })).complaints).toBe('')
  })

  test('is told that an inference writes', async () => {
    const { code, complaints, printed } = await searching({
      shell: { isTerminal: true },
      search: { request: requestFor('seals', { want: 'text' }), onText: (text) => `<${text}>`, show: () => '\n' },
    })
    expect(code).toBe(0)
    expect(phasesIn(complaints)[0]).toBe('Writing')
    expect(printed).toBe('<This is seals>\n')
  })
})

test('text is asked for as it comes only where it is shown so', async () => {
  const search = { request: requestFor('seals', { want: 'answer' }) } as const
  const whole = await searching({ search })
  const streamed = await searching({
    search: { ...search, onText: (text, searches) => `${searches.length}${text.length > 0}` },
  })
  expect(whole.printed).toBe('2 pages\n')
  expect(streamed.printed).toMatch(/^(?:1true)+2 pages\n$/)
  expect([whole, streamed].map(({ far }) => far.calls[0]?.context.isWhole)).toEqual([true, false])
})

describe('a hint behind the answer', () => {
  const cached = (status: 'hit' | 'miss') => plays([{ type: 'cache', status, ageSeconds: 3600 }, start, found, done])

  test('says that it came from the cache, and how old it is', async () => {
    const isTerminal = { isTerminal: true }
    const hit = await searching({ script: cached('hit'), shell: isTerminal })
    expect(hit.complaints).toEndWith('From the cache, 1 h old; --fresh searches again\n')
    expect((await searching({ script: cached('miss'), shell: isTerminal })).complaints).not.toContain('cache')
    expect((await searching({ script: cached('hit') })).complaints).toBe('')
  })

  test('is left to the command, which knows the cache, the time and the moment', async () => {
    const frames: unknown[] = []
    await searching({
      script: cached('hit'),
      shell: { isTerminal: true },
      search: {
        show(_, { cache, createdAt, elapsedMs, hint }) {
          frames.push([cache, createdAt instanceof Date, Number.isInteger(elapsedMs())])
          hint('Of the command')
          return ''
        },
      },
    }).then(({ complaints }) => expect(complaints).toEndWith('searches again\nOf the command\n'))
    expect(frames).toEqual([[{ type: 'cache', status: 'hit', ageSeconds: 3600 }, true, true]])
  })
})

test('--fresh asks for no cached answer', async () => {
  const wishOf = async (fresh: boolean) =>
    (await searching({ search: { options: { ...options, fresh } } })).far.calls[0]?.context.cache
  expect([await wishOf(true), await wishOf(false)]).toEqual(['no-cache', 'default'])
})

describe('a search that fails', () => {
  const failing = (code: SearchErrorCode, more: object = {}) => plays([new SearchError(code, 'It failed.', more)])

  test.each([
    ['invalid-request', 2],
    ['signed-out', 3],
    ['rate-limited', 4],
    ['busy', 1],
    ['unavailable', 1],
    ['ungrounded', 1],
    ['failed', 1],
  ] as const)('with the code %s ends with %d', async (errorCode, expected) => {
    const { code, printed, complaints } = await searching({ script: failing(errorCode) })
    expect([code, printed]).toEqual([expected, ''])
    expect(complaints).toMatch(/^[^\n]+\n$/)
  })

  test('says when to try again, and what else could search where a backend is down', async () => {
    const shell = { environment: { BRAVE_API_KEY: 'b' } }
    const limited = await searching({ script: failing('rate-limited', { retryAfterSeconds: 60 }), shell })
    expect(limited.complaints).toContain('Try again in 60 s. Set up but not used: brave (BRAVE_API_KEY).')
    const wrong = await searching({ script: failing('invalid-request'), shell })
    expect(wrong.complaints).not.toContain('Set up but not used')
  })

  test('for want of a right configuration ends with 2', async () => {
    const { code, complaints } = await searching({ flags: { writers: 'other/x' }, running: 'none' })
    expect([code, complaints]).toEqual([2, expect.stringContaining('needs an upstream "other"')])
  })

  test('says what was underneath only where debugging is asked for', async () => {
    using _ = quickTimers()
    const flags = { backends: 'remote', 'remote-url': 'http://127.0.0.1:9' }
    const debugged = await searching({ flags: { ...flags, 'log-level': 'debug' }, running: 'none' })
    expect(debugged.complaints).toMatch(/^[^\n]+\n\S+ debug because: [^\n]+\n$/)
    expect((await searching({ flags, running: 'none' })).complaints).not.toContain('because')
  })
})

describe('--open', () => {
  test('takes the number of a page from 1 to 999', () => {
    const read = (text: string) => searchOptions.open.parse(text, 'open')
    expect([read('1'), read('999')]).toEqual([1, 999])
    for (const wrong of ['0', '1000']) expect(() => read(wrong)).toThrow('from 1 to 999')
  })

  test('names a page that is not there, behind the list', async () => {
    const result = await searching({ search: { options: { ...options, open: 3 } } })
    expect(result).toMatchObject({
      code: 1,
      printed: '2 pages\n',
      complaints: 'There is no page 3: 2 pages were found.\n',
    })
  })

  test('names the address that no browser shows', async () => {
    const result = await searching({ search: { options: { ...options, open: 2 } } })
    expect(result).toMatchObject({
      code: 1,
      complaints: 'No browser could be opened for https://example.com/seals/more\n',
    })
  })
})

describe('a csp that runs already', () => {
  test('searches in the place of this one where its settings are the same', async () => {
    const { code, complaints, far } = await searching({ flags: { 'log-level': 'debug' } })
    expect([code, far.calls.length]).toEqual([0, 1])
    expect(complaints).toContain('Asking the csp that already runs.')
  })

  test('with other settings does so only where no CLI can be used here, and says so', async () => {
    using _ = quickTimers()
    const { far, ...other } = await searching({ running: 'other', shell: { isTerminal: true } })
    expect([other.code, other.printed, far.calls.length]).toEqual([0, '2 pages\n', 1])
    expect(other.complaints).toEndWith(
      `No Claude CLI can be used here: asking the csp at ${other.url}, which runs with other settings\n`,
    )
    const flags = { backends: 'remote', 'remote-url': 'http://127.0.0.1:9' }
    const failed = await searching({ running: 'other', flags })
    expect([failed.code, failed.far.calls.length]).toEqual([1, 0])
  })

  test('is not there: then the failure of the CLI ends with 3', async () => {
    using _ = quickTimers()
    const { code, complaints } = await searching({ running: 'none', shell: { environment: { BRAVE_API_KEY: 'b' } } })
    expect(code).toBe(3)
    expect(complaints).toStartWith(`${noCli} is not a program`)
    expect(complaints).toContain('Set up but not used: brave (BRAVE_API_KEY)')
  })
})

describe('the query of a command line', () => {
  const of = (words: readonly string[], input = '') =>
    queryOf({ shell: testShell({ environment: {}, directory: '/', input }), arguments: words })

  test('is its words, or standard input for a dash alone', async () => {
    expect(await of(['harbour', 'seals'])).toBe('harbour seals')
    expect(await of(['-'], 'from a pipe\n')).toBe('from a pipe')
    expect(await of(['-', 'seals'], 'from a pipe')).toBe('- seals')
    expect(await of(['seals'], 'from a pipe')).toBe('seals')
  })

  test('is refused where it is empty or too long', async () => {
    await expect(of(['-'], ' \n')).rejects.toThrow(new UsageError('The query is empty.'))
    await expect(of(['x'.repeat(4001)])).rejects.toThrow('The query was rejected: ')
  })
})
