import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startSandbox } from '../../../packages/sandbox/test/support/sandbox.ts'
import { requiredFlags } from '../../../src/executor/backends/claude/cli/launch.ts'
import { main } from '../../../src/runtime/cli/main.ts'
import { serveApi } from '../../executor/backends/http/api-server.ts'
import { oddClaude, withoutFlags } from '../../support/odd-claude.ts'
import { standInClaude } from '../../support/quick-claude.ts'
import { claudeEnvironment, realClaude, type ScratchHome, scratchHome } from '../../support/real-claude.ts'
import { type TestShellOptions, testShell } from '../test-shell.ts'

let home: ScratchHome
beforeAll(async () => {
  home = await scratchHome()
})
afterAll(() => home[Symbol.asyncDispose]())

/** Nothing is reachable from it but what a test adds. */
const nowhere = () => ({ ...claudeEnvironment('http://127.0.0.1:9', home.path), CSP_CLAUDE_BIN: standInClaude() })

function shellWith(options: Partial<TestShellOptions> = {}) {
  return testShell({ directory: home.path, ...options, environment: { ...nowhere(), ...options.environment } })
}

async function csp(args: readonly string[], options: Partial<TestShellOptions> = {}) {
  const shell = shellWith(options)
  const code = await main(args, shell)
  return { code, printed: shell.printed(), complaints: shell.complaints() }
}

/** For what is said of a search, whoever makes it: the sandbox, and no CLI. */
const invented = ['--sandbox', '--backends', 'messages']

describe('csp search on the sandbox', () => {
  test('lists the pages that were found', async () => {
    const { code, printed, complaints } = await csp(['search', 'espresso', 'machine', '-n', '3', '--sandbox'])
    expect({ code, complaints }).toEqual({ code: 0, complaints: '' })
    const items = printed.trimEnd().split('\n\n')
    expect(items).toHaveLength(3)
    for (const [index, item] of items.entries()) {
      expect(item).toMatch(new RegExp(`^${index + 1}\\.  .*Sandbox.*\\n    https?://[^ ]+\\n`))
    }
    expect(printed).not.toContain('\x1b')
  })

  test('prints the reply of /v1/search as JSON', async () => {
    const { printed } = await csp(['search', '-', '-n', '2', '--json', ...invented], { input: 'honey bees\n' })
    const reply = JSON.parse(printed)
    expect(reply).toMatchObject({ query: 'honey bees', backend: 'messages', total_results: 2 })
    expect(reply.results[1]).toMatchObject({ rank: 2, source: 'messages', url: expect.stringMatching(/^https?:/) })
  })

  test('shows a progress line on a terminal, and styles unless NO_COLOR is set', async () => {
    const styled = await csp(['search', 'harbour seals', ...invented], { isTerminal: true })
    expect(styled.complaints).toMatch(/^\rSearching 0 s.*\r\x1b\[2K$/s)
    expect(styled.printed).toContain('\x1b[1m')
    const plain = await csp(['search', 'harbour seals', ...invented], {
      isTerminal: true,
      environment: { NO_COLOR: '1' },
    })
    expect(plain.printed).not.toContain('\x1b')
  })
})

test('csp search takes the filters of /v1/search as flags', async () => {
  const search = async (...flags: string[]) => csp(['search', 'espresso', ...invented, '--json', ...flags])
  const { code, printed } = await search('-n', '1', '--page', '2', '--category', 'news', '--safesearch', 'strict')
  expect(code).toBe(0)
  expect(JSON.parse(printed).results[0].rank).toBe(2)
  const sites = await search('--country', 'DE', '--language', 'de', '--include-domains', 'kitchen.csp.example')
  const hosts = JSON.parse(sites.printed).results.map(({ url }: { url: string }) => new URL(url).hostname)
  expect(new Set(hosts)).toEqual(new Set(['kitchen.csp.example']))
  const wrong = await search('--category', 'weather')
  expect([wrong.code, wrong.complaints]).toEqual([2, expect.stringContaining('category')])
})

test('csp search lists ten pages without a count, also when more were found', async () => {
  await using server = serveApi(() => {
    const results = Array.from({ length: 15 }, (_, index) => ({
      url: `https://a.example/${index}`,
      title: `A ${index}`,
    }))
    return Response.json({ query: 'q', results, unresponsive_engines: [] })
  })
  const flags = ['--backends', 'searxng', '--searxng-url', server.url, '--cache-ttl', '0']
  const countOf = (printed: string) => printed.match(/^\d+\./gm)?.length
  expect(countOf((await csp(['search', 'harbour seals', ...flags])).printed)).toBe(10)
  expect(countOf((await csp(['search', 'harbour seals', '-n', '12', ...flags])).printed)).toBe(12)
})

describe('csp ask on the sandbox', () => {
  test('writes the answer, then the pages that it cites', async () => {
    const { code, printed, complaints } = await csp(['ask', 'why do bees dance?', '--sandbox'])
    expect({ code, complaints }).toEqual({ code: 0, complaints: '' })
    expect(printed).toMatch(/^Sandbox answer/)
    const [text = '', sources = ''] = printed.split(/\n\n(?=\[\d+\] )/)
    const cited = [...new Set([...text.matchAll(/\[(\d+)\]/g)].map(([, number]) => number))]
    const listed = [...sources.matchAll(/^\[(\d+)\] .+\n {4}https?:\/\//gm)].map(([, number]) => number)
    expect(listed.length).toBeGreaterThan(0)
    expect(listed.toSorted()).toEqual(cited.toSorted())
    const [, others = 0] = /also found (\d+) pages?\n$/.exec(sources) ?? []
    const whole = (await csp(['ask', 'why do bees dance?', '--sandbox', '--json'])).printed
    expect(JSON.parse(whole).sources).toHaveLength(listed.length + Number(others))
  })

  test('prints a receipt in place of the text', async () => {
    const { code, printed } = await csp(['ask', 'why do bees dance?', '--receipt', ...invented])
    expect(code).toBe(0)
    expect(printed).toMatch(/^# why do bees dance\?\n\n.* standard /)
    expect(printed).toContain('## Sources')
    const json = await csp(['ask', 'why do bees dance?', '--receipt', '--json', ...invented])
    expect([json.code, json.complaints]).toEqual([2, expect.stringContaining('--receipt prints Markdown')])
  })

  test('takes the model names of clients and prints JSON', async () => {
    const { code, printed } = await csp(['ask', 'why do bees dance?', '--model', 'sonar', '--json', ...invented])
    expect(code).toBe(0)
    const reply = JSON.parse(printed)
    expect(reply).toMatchObject({ query: 'why do bees dance?', answer: expect.stringContaining('Sandbox') })
    expect(reply.sources.length).toBeGreaterThan(0)
  })
})

describe('a failure of csp search sets the exit code', () => {
  test('to 3 where the named CLI is no program, and the message names the setting', async () => {
    const environment = { CSP_CLAUDE_BIN: join(home.path, 'nothing') }
    const { code, printed, complaints } = await csp(['search', 'harbour seals'], { environment })
    expect({ code, printed }).toEqual({ code: 3, printed: '' })
    expect(complaints).toContain('CSP_CLAUDE_BIN')
  })

  test.each([
    ['is too old', withoutFlags(requiredFlags), /too old: it lacks --.*\. Update it with `npm install -g/],
    ['exits', 'exit 1', /does not run as the Claude Code CLI\. Update it with `npm install -g/],
  ])('to 3 for a CLI that %s, and the message says what to do', async (_, script, message) => {
    const folder = mkdtempSync(join(home.path, 'odd-'))
    const environment = { CSP_CLAUDE_BIN: oddClaude(folder, script) }
    const { code, complaints } = await csp(['search', 'harbour seals', '--cache-ttl', '0'], { environment })
    expect({ code, complaints }).toEqual({ code: 3, complaints: expect.stringMatching(message) })
    const doctor = await csp(['doctor', '--port', '0'], { environment })
    expect(doctor.code).toBe(3)
    expect(doctor.printed).toMatch(/fail +(?:claude|flags)/)
    expect(doctor.printed).not.toMatch(/ok +flags/)
  })

  test('to 3 when the CLI is signed out', async () => {
    const { code, complaints } = await csp(['search', 'harbour seals'], {
      environment: { CLAUDE_CODE_OAUTH_TOKEN: '' },
    })
    expect(code).toBe(3)
    expect(complaints).toContain('csp login')
  })

  test('and does not blame the CLI where another backend searches', async () => {
    const environment = { CSP_CLAUDE_BIN: '/nowhere/claude', CSP_SEARXNG_URL: 'http://127.0.0.1:9' }
    const { code, complaints } = await csp(['search', 'harbour seals', '--backends', 'searxng'], { environment })
    expect({ code, complaints }).toEqual({ code: 1, complaints: 'SearXNG at 127.0.0.1:9 cannot be reached.\n' })
  })

  test('and names the backends that are set up and were not asked', async () => {
    const environment = { CSP_CLAUDE_BIN: '/nowhere/claude', BRAVE_API_KEY: 'secret-of-brave' }
    const { code, complaints } = await csp(['search', 'harbour seals'], { environment })
    expect({ code, complaints }).toEqual({
      code: 3,
      complaints: expect.stringMatching(/brave \(BRAVE_API_KEY\).*auto/),
    })
    expect(complaints).not.toContain('secret-of-brave')
  })

  test('to 0 when the API fails twice and then works', async () => {
    await using sandbox = startSandbox({ scenario: [{ scenario: 'error-529', times: 2 }] })
    const environment = { ANTHROPIC_BASE_URL: sandbox.url }
    const { code, printed } = await csp(['search', 'harbour seals', '--cache-ttl', '0'], { environment })
    expect(code).toBe(0)
    expect(printed).toContain('Sandbox')
  })

  test('to 4 at a usage limit', async () => {
    await using sandbox = startSandbox({ scenario: 'error-429' })
    const environment = { ANTHROPIC_BASE_URL: sandbox.url, CSP_MEMORY: 'off' }
    const { code, complaints } = await csp(['search', 'harbour seals', '--cache-ttl', '0'], { environment })
    expect(complaints).toContain('limit')
    expect(code).toBe(4)
  })

  test('to 130 on Ctrl-C, and nothing is left behind', async () => {
    await using sandbox = startSandbox({ scenario: 'hang' })
    const scratch = join(home.path, 'scratch')
    mkdirSync(scratch)
    const shell = shellWith({ environment: { ANTHROPIC_BASE_URL: sandbox.url, TMPDIR: scratch }, isTerminal: true })
    const ended = main(['search', 'harbour seals', '--cache-ttl', '0'], shell)
    await shell.says('Searching')
    await sandbox.sandbox.until(({ open }) => open > 0)
    shell.send('SIGINT')
    expect(await ended).toBe(130)
    // It hears a moment later that a connection has gone.
    await sandbox.sandbox.until(({ open }) => open === 0)
    // The CLI has folders of its own there, which it shares with every other.
    expect(readdirSync(scratch).filter((name) => name.startsWith('csp-'))).toEqual([])
  })
})

describe('csp doctor', () => {
  test('finds no problem on the sandbox, a live search with each strategy included', async () => {
    const { code, printed } = await csp(['doctor', '--sandbox', '--live', '--port', '0'], {
      environment: { CSP_CLAUDE_BIN: realClaude },
    })
    expect(printed).toMatch(/terms for subscriptions: .*docs\/terms\.md\n\nNo problems\.\n$/)
    expect(printed).not.toMatch(/^(warn|fail)/m)
    const live = ['live results', 'live fast', 'live standard', 'live deep', 'live pages', 'live plan']
    for (const check of ['claude', 'version', 'flags', 'web search', 'login', 'port', 'cache', 'config', ...live])
      expect(printed).toMatch(new RegExp(`^ok +${check} `, 'm'))
    expect(printed).toMatch(
      /^ok +live results +\d+ pages?, \d+ with excerpt, \d+ with date, .* list price \$0\.0\d\d$/m,
    )
    expect(printed).toMatch(/^ok +live deep +\d+ pages?, [1-9]\d* citations?, 1 search, 1 model call, /m)
    expect(printed).toMatch(/^ok +live pages +\d+ pages?, [1-9]\d* citations?, 1 search, 2 model calls, /m)
    expect(code).toBe(0)
  })

  test('warns of keys that are set, and fails on what cannot work', async () => {
    await using taken = startSandbox()
    const folder = join(home.path, 'with-helper')
    mkdirSync(folder)
    writeFileSync(join(folder, 'settings.json'), '{"apiKeyHelper": "true"}')
    const port = new URL(taken.url).port
    const { code, printed } = await csp(['doctor', '--json', '--port', port], {
      environment: {
        XDG_CACHE_HOME: '/dev/null/cache',
        ANTHROPIC_API_KEY: 'k',
        CLAUDE_CONFIG_DIR: folder,
        CSP_TIMEOUTS: '1',
      },
    })
    const findings: { check: string; status: string; message: string }[] = JSON.parse(printed).findings
    const of = (check: string) => findings.find((finding) => finding.check === check)
    expect(of('billing')).toMatchObject({ status: 'warn' })
    expect(of('billing')?.message).toContain('ANTHROPIC_API_KEY, apiKeyHelper')
    expect(of('port')).toMatchObject({ status: 'fail' })
    expect(of('cache')).toMatchObject({ status: 'ok', message: '/dev/null/cache/csp' })
    expect(of('disk')).toMatchObject({ status: 'fail', message: expect.stringContaining('/dev/null/cache/csp') })
    expect(of('config')?.message).toContain('CSP_TIMEOUTS')
    expect(code).toBe(1)
  })

  test('ends with 3 for a missing CLI or login', async () => {
    const missing = await csp(['doctor', '--port', '0', '--claude-bin', '/dev/null/claude'])
    expect(missing.code).toBe(3)
    expect(missing.printed).toMatch(/^fail +claude +\/dev\/null\/claude is not a program$/m)
    const signedOut = await csp(['doctor', '--port', '0'], { environment: { CLAUDE_CODE_OAUTH_TOKEN: '' } })
    expect(signedOut.code).toBe(3)
    expect(signedOut.printed).toMatch(/^fail +login +signed out$/m)
  })
})

test('csp demo shows every kind of search', async () => {
  const { code, printed, complaints } = await csp(['demo'])
  expect({ code, complaints }).toEqual({ code: 0, complaints: '' })
  expect(printed).toStartWith('SANDBOX')
  expect(printed.match(/^ok /gm)).toHaveLength(8)
  expect(printed).toContain('calls get_tide with {"place":"Bergen"}')
  expect(printed).toMatch(/All searches work\. Next: .*csp init, .*\n$/)
})

test('csp demo works without the CLI', async () => {
  const { code, printed } = await csp(['demo'], { environment: { CSP_CLAUDE_BIN: '/dev/null/claude' } })
  expect(code).toBe(0)
  expect(printed).toStartWith('SANDBOX')
  expect(printed).toContain('csp without the CLI')
  expect(printed.match(/^ok /gm)).toHaveLength(8)
})

test('a question in quotes is asked', async () => {
  const { code, printed } = await csp(['why do seals sing?', ...invented, '--json'])
  expect(code).toBe(0)
  expect(JSON.parse(printed)).toMatchObject({ model: expect.any(String) })
  const word = await csp(['seals'])
  expect([word.code, word.complaints]).toEqual([
    2,
    expect.stringMatching(/^csp has no command "seals"\..* csp ask "seals"\.$/m),
  ])
})
