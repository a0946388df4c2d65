import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fromNow, spanOf, timeOf } from '@csp/lib/times'
import { eventually } from '@csp/testing/eventually'
import manifest from '../../../package.json' with { type: 'json' }
import { main } from '../../../src/runtime/cli/main.ts'
import { serveApi } from '../../executor/backends/http/api-server.ts'
import { launcher } from '../../support/tested-program.ts'
import { type TestShellOptions, testShell } from '../test-shell.ts'

const home = mkdtempSync(join(tmpdir(), 'csp-small-'))
afterAll(() => rmSync(home, { recursive: true }))

async function csp(args: readonly string[], options: Partial<TestShellOptions> = {}) {
  const shell = testShell({ directory: home, ...options, environment: { HOME: home, ...options.environment } })
  const code = await main(args, shell)
  return { code, printed: shell.printed(), complaints: shell.complaints() }
}

/** A SearXNG with as many pages, and the flags to search with it. */
function searxng(count = 3, title = 'A page') {
  const server = serveApi(() => {
    const results = Array.from({ length: count }, (_, index) => ({ url: `https://a.example/${index}`, title }))
    return Response.json({ query: 'q', results, unresponsive_engines: [] })
  })
  return { server, flags: ['--backends', 'searxng', '--searxng-url', server.url, '--cache-ttl', '0'] }
}

test.each(['--version', '-v', '-V'])('csp %s prints the version', async (argument) => {
  expect((await csp([argument])).printed).toBe(`${manifest.version}\n`)
})

test('csp doctor names csp, its runtime and the machine first, for a report of a problem', async () => {
  const { printed } = await csp(['doctor', '--backends', 'searxng', '--searxng-url', 'http://127.0.0.1:9', '--json'])
  const [first] = JSON.parse(printed).findings
  expect(first).toMatchObject({ check: 'csp', status: 'ok' })
  for (const fact of [manifest.version, `Bun ${Bun.version} at ${process.execPath}`, process.platform])
    expect(first.message).toContain(fact)
})

test('a command behind its flags is found, and words that are values of flags are none', async () => {
  const { code, printed } = await csp(['--port', '1', '--log-level', 'error', 'config', '--json'])
  expect(code).toBe(0)
  expect(JSON.parse(printed).settings).toMatchObject({ port: { value: 1 }, 'log-level': { value: 'error' } })
  const { complaints } = await csp(['--model', 'search', 'nonsense'])
  expect(complaints).toStartWith('csp has no command "nonsense".')
})

test.each(['R', '茶'])('the query %s of one letter is searched for', async (query) => {
  const { server, flags } = searxng()
  await using _ = server
  const { code, printed } = await csp(['search', query, ...flags])
  expect([code, printed]).toEqual([0, expect.stringContaining('https://a.example/0')])
})

test('csp search -n 99 complains of the flag that was given', async () => {
  const { code, complaints } = await csp(['search', 'bees', '-n', '99'])
  expect({ code, complaints }).toEqual({
    code: 2,
    complaints: expect.stringMatching(/^csp search: -n must be a number from 1 to 20, not "[^"]+"\.\n$/),
  })
})

test('csp search says that its answer came from the cache, and --fresh searches again', async () => {
  let calls = 0
  await using server = serveApi(() => {
    const results = [{ url: `https://a.example/${++calls}`, title: 'A page' }]
    return Response.json({ query: 'q', results, unresponsive_engines: [] })
  })
  const flags = ['--backends', 'searxng', '--searxng-url', server.url, '--json']
  const ask = async (...more: readonly string[]) => {
    const { cached, results } = JSON.parse((await csp(['search', 'fresh seals', ...flags, ...more])).printed)
    return [cached, results[0].url]
  }
  expect(await ask()).toEqual([false, 'https://a.example/1'])
  expect(await ask()).toEqual([true, 'https://a.example/1'])
  expect(await ask('--fresh')).toEqual([false, 'https://a.example/2'])
  expect(await ask()).toEqual([true, 'https://a.example/2'])
})

test('--default-language is asked for where a search names none', async () => {
  const languages: (string | null)[] = []
  await using server = serveApi((request) => {
    languages.push(new URL(request.url).searchParams.get('language'))
    return Response.json({ query: 'q', results: [{ url: 'https://a.example/', title: 'A' }], unresponsive_engines: [] })
  })
  const flags = ['--backends', 'searxng', '--searxng-url', server.url, '--cache-ttl', '0', '--default-language', 'DE']
  await csp(['search', 'seals', ...flags])
  await csp(['search', 'seals', '--language', 'fr', ...flags])
  expect(languages).toEqual(['de', 'fr'])
})

describe('a configuration file that is not JSON', () => {
  test.each([
    [3, '{\n  "port": 1,\n  "host": x\n}'],
    [3, '{\n  "port": 1\n  "host": "x"\n}'],
    [2, '{"port": 1,\n\'host\': "x"}'],
    [3, '{\n"port": 1,\n"host": "x'],
    [1, 'port: 1'],
    [2, '{"a": {"b": []},\n "c" 1}'],
    [1, ''],
    [2, '{"port": 1}\n{"port": 2}'],
  ])('is refused with line %d, where it is wrong: %j', async (line, text) => {
    const path = join(mkdtempSync(join(home, 'file-')), 'config.json')
    writeFileSync(path, text)
    const { code, complaints } = await csp(['config', '--config', path])
    expect({ code, complaints }).toEqual({
      code: 2,
      complaints: expect.stringContaining(`is not JSON. Line ${line}: `),
    })
  })
})

test('--api-keys on a command line is a warning: other users of the machine can read it', async () => {
  const { complaints } = await csp(['config', '--api-keys', 'secret-of-mine'])
  expect(complaints).toContain('can read --api-keys in the list of processes: set CSP_API_KEYS')
  expect(complaints).not.toContain('secret-of-mine')
  expect((await csp(['config'], { environment: { CSP_API_KEYS: 'secret-of-mine' } })).complaints).toBe('')
})

test.each(['search', 'ask', 'mcp'])('csp %s, which can search with another csp, takes its address', async (command) => {
  expect((await csp([command, '--help-all'])).printed).toContain('--remote-url URL')
})

test('long titles are broken at spaces', async () => {
  const { server, flags } = searxng(1, 'An uncommonly long title about harbour seals and their sleep '.repeat(3).trim())
  await using _ = server
  const { printed } = await csp(['search', 'seals', ...flags])
  const lines = printed.trimEnd().split('\n')
  expect(lines.length).toBeGreaterThan(3)
  expect(lines.filter((line) => line.length > 80)).toEqual([])
  expect(lines[1]).toStartWith('    ')
})

test('csp ask --all lists the pages that it does not cite, and without it says on a terminal how', async () => {
  const { server, flags } = searxng(14)
  await using _ = server
  const plain = await csp(['ask', 'seals', ...flags], { isTerminal: true })
  expect(plain.complaints).toContain('--all lists all pages')
  const { printed } = await csp(['ask', 'seals', '--all', ...flags])
  for (let index = 0; index < 14; index++) expect(printed).toContain(`https://a.example/${index}`)
  expect(printed).not.toContain('also found')
})

describe('the pages of a search', () => {
  test('are printed as Markdown, as lines of columns and as addresses', async () => {
    const { server, flags } = searxng(2, 'A [page] about *bees*\tand\x1b[31m seals')
    await using _ = server
    const as = async (command: string, format: string) =>
      (await csp([command, 'seals', '-f', format, ...flags])).printed
    expect(await as('search', 'urls')).toBe('https://a.example/0\nhttps://a.example/1\n')
    const title = 'A [page] about *bees* and seals'
    expect(await as('search', 'tsv')).toBe(`https://a.example/0\t${title}\t\t\nhttps://a.example/1\t${title}\t\t\n`)
    const escaped = 'A \\[page\\] about \\*bees\\* and seals'
    expect(await as('search', 'md')).toBe(
      `1. [${escaped}](https://a.example/0)\n2. [${escaped}](https://a.example/1)\n`,
    )
    expect(JSON.parse(await as('search', 'json'))).toMatchObject({ total_results: 2 })
    expect(await as('ask', 'urls')).toMatch(/^https:\/\/a\.example\/0\n/)
    expect(await as('ask', 'md')).toMatch(/\n\n1\. \[A /)
    const wrong = await csp(['search', 'seals', '-f', 'xml', ...flags])
    expect([wrong.code, wrong.complaints]).toEqual([2, expect.stringContaining('text, md, tsv, urls, json')])
  })

  test('are all listed with --all, also beyond ten', async () => {
    const { server, flags } = searxng(14)
    await using _ = server
    const { printed } = await csp(['search', 'seals', '--all', ...flags])
    expect(printed.match(/^\d+\./gm)).toHaveLength(14)
  })

  test('are opened in the browser with --open, behind the list', async () => {
    const { server, flags } = searxng(2)
    await using _ = server
    const PATH = mkdtempSync(join(home, 'bin-'))
    const seen = join(PATH, 'seen')
    for (const name of ['xdg-open', 'open']) {
      writeFileSync(join(PATH, name), `#!/bin/sh\necho "$1" > '${seen}'\n`, { mode: 0o755 })
    }
    const { code, printed } = await csp(['search', 'seals', '--open', '2', ...flags], { environment: { PATH } })
    expect([code, printed]).toEqual([0, expect.stringContaining('2.  A page')])
    await eventually(() => existsSync(seen))
    expect(readFileSync(seen, 'utf8')).toBe('https://a.example/1\n')
    const missing = await csp(['search', 'seals', '--open', '3', ...flags], { environment: { PATH } })
    expect([missing.code, missing.complaints]).toEqual([1, 'There is no page 3: 2 pages were found.\n'])
    const without = await csp(['search', 'seals', '--open', '1', ...flags], { environment: { PATH: home } })
    expect([without.code, without.complaints]).toEqual([1, expect.stringContaining('https://a.example/0')])
  })

  test('show on a terminal that they are read', async () => {
    const { server, flags } = searxng(2)
    await using _ = server
    const { complaints } = await csp(['search', 'seals', '--excerpts', 'pages', ...flags], { isTerminal: true })
    expect(complaints).toContain('\r2 pages, reading (2 s at most) 0 s')
    expect(complaints).toContain('Not read: a.example (cannot be reached)\n')
  })

  test('come without progress and hints when quiet is asked for', async () => {
    const { server, flags } = searxng(8)
    await using _ = server
    const loud = await csp(['ask', 'seals', ...flags], { isTerminal: true })
    expect(loud.complaints).toContain('Searching')
    const quiet = await csp(['ask', 'seals', '-q', ...flags], { isTerminal: true })
    expect([quiet.code, quiet.complaints]).toEqual([0, ''])
  })
})

test('times are written for people', () => {
  const spans = [5, 59.9, 60, 3599, 3600, 14_806, 86_400, 200_000].map(spanOf)
  expect(spans).toEqual(['5 s', '59 s', '1 min', '59 min', '1 h', '4 h 6 min', '1 d', '2 d 7 h'])
  expect(timeOf('2026-11-21T23:15:01.123Z')).toMatch(/^2026-11-2[12] \d\d:\d\d$/)
  expect(timeOf('soon')).toBe('soon')
  const now = Date.parse('2026-11-21T12:00:00Z')
  const relative = ['2026-11-21T12:03:00Z', '2026-11-21T10:00:00Z', '2026-11-21T12:00:00.400Z', 'soon']
  expect(relative.map((time) => fromNow(time, now))).toEqual(['in 3 min', '2 h ago', 'now', ''])
})

test('a csp that is killed leaves a line that says so, where node waits for it', async () => {
  const { PATH = '' } = process.env
  // A newer node hands its process over, and then nobody is left to say it.
  const older = join(home, 'older-node.cjs')
  writeFileSync(older, 'delete process.execve')
  const child = Bun.spawn(['node', '--require', older, launcher, 'serve', '--port', '0', '--sandbox'], {
    cwd: home,
    env: { HOME: home, PATH },
    stdio: ['ignore', 'ignore', Bun.file(join(home, 'killed.log'))],
  })
  const log = () => Bun.file(join(home, 'killed.log')).text()
  await eventually(async () => (await log()).includes('listening on'))
  const children = await Bun.file(`/proc/${child.pid}/task/${child.pid}/children`).text()
  process.kill(Number.parseInt(children, 10), 'SIGKILL')
  expect(await child.exited).toBe(137)
  expect(await log()).toContain('csp was ended by SIGKILL, perhaps for want of memory.')
})

test.each([
  [['--country', 'XX1'], '--country must be a country code of two letters, not "XX1".'],
  [['--include-domains', 'a.org,!!'], '--include-domains must be a domain name such as example.com, not "a.org,!!".'],
  [['-n', '99'], '-n must be a number from 1 to 20, not "99".'],
  [['--page', '0'], '--page must be a number from 1 to 20'],
])('what is wrong with a filter is said in the words of the command line: %j', async (flags, said) => {
  const { code, complaints } = await csp(['search', 'bees', ...flags])
  expect({ code, complaints }).toEqual({ code: 2, complaints: expect.stringContaining(said) })
})

test.each(['setup', 'config', 'keys'])('csp %s fits a terminal of 40 columns', async (command) => {
  const shell = testShell({ environment: { HOME: '/h' }, directory: home, isTerminal: true })
  const output = { ...shell.output, columns: 40, isTerminal: true }
  expect(await main([command], { ...shell, output })).toBe(0)
  const isBreakable = (line: string) => /\S\s+\S/.test(line.trim())
  const long = shell
    .printed()
    .split('\n')
    .filter((line) => line.length > 40)
  expect(long.filter(isBreakable)).toEqual([])
})

test('csp keys alone lists the keys', async () => {
  const { code, printed } = await csp(['keys'])
  expect([code, printed]).toEqual([
    0,
    expect.stringMatching(/^No keys in .*keys\.json\. csp keys add NAME makes one\.\n$/),
  ])
})

test('csp serve --help says the default of each setting with its unit', async () => {
  const { printed } = await csp(['serve', '--help-all'])
  const text = printed.replace(/\s+/g, ' ')
  expect(text).toContain('(1h) [CSP_CACHE_TTL]')
  expect(text).toContain('(500) [CSP_DAILY_SEARCHES]')
})

test('a --claude-bin that is no program is named, and nothing is said of other places', async () => {
  const { code, complaints } = await csp(['search', 'bees', '--claude-bin', join(home, 'nowhere')], {
    environment: { CSP_MEMORY: 'off' },
  })
  expect([code, complaints]).toEqual([
    3,
    `${join(home, 'nowhere')} is not a program; --claude-bin (CSP_CLAUDE_BIN) names it.\n`,
  ])
})
