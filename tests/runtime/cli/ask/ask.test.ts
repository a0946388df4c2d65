import { afterAll, beforeAll, describe, expect, setSystemTime, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../../../../src/app.ts'
import type { SearchEvent } from '../../../../src/domain/search.ts'
import { ask } from '../../../../src/runtime/cli/ask/ask.ts'
import { runCommand } from '../../../../src/runtime/cli/run-command.ts'
import { answered, found, pages, scriptedExecutor } from '../../../support/scripted-executor.ts'
import { type TestShellOptions, testShell } from '../../test-shell.ts'

// csp ask by another csp, which answers what a test says.

const home = mkdtempSync(join(tmpdir(), 'csp-ask-'))
let events: readonly SearchEvent[] = answered
const executor = scriptedExecutor(() => events)
const app = createApp({ executor, version: '1' })
let server: ReturnType<typeof Bun.serve>
beforeAll(() => {
  server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: (request) => app.fetch(request) })
})
afterAll(async () => {
  await server.stop(true)
  rmSync(home, { recursive: true })
})

async function asked(args: readonly string[], options: Partial<TestShellOptions> = {}) {
  const environment = {
    ...{ HOME: home, CSP_BACKENDS: 'remote', CSP_REMOTE_URL: `http://127.0.0.1:${server.port}`, CSP_CACHE_TTL: '0' },
    ...{ CSP_MEMORY: 'off', CSP_PAGES: 'off', CSP_EVIDENCE: 'off', PATH: '' },
  }
  const shell = testShell({ directory: home, ...options, environment: { ...environment, ...options.environment } })
  const code = await runCommand(ask, ['why?', ...args], shell)
  return { code, printed: shell.printed(), complaints: shell.complaints() }
}

const address = (number: number) => `https://site${number}.example/docs/page`
const source = (number: number) => `[${number}] Page ${number}\n    ${address(number)}\n`

describe('csp ask', () => {
  test('prints the text, the pages that it cites by the numbers of their markers, and how many more there are', async () => {
    expect(await asked([])).toEqual({
      ...{ code: 0, complaints: '' },
      printed: `It is 🙂 so [2].\n\n${source(2)}also found 2 pages\n`,
    })
    expect((await asked(['--all'])).printed).toBe(`It is 🙂 so [2].\n\n${source(1)}${source(2)}${source(3)}`)
  })

  test('asks for Markdown that a person reads, and where a program reads JSON for what programs get', async () => {
    const wished = async (args: readonly string[]) => {
      await asked(args)
      return executor.requests.at(-1)?.instructions
    }
    expect(await wished([])).toContain('Markdown')
    expect(await wished(['--model', 'sonar', '-f', 'md'])).toContain('Markdown')
    expect(await wished(['--json'])).toBeUndefined()
  })

  test('says only how many pages there are where the text cites none', async () => {
    const [start, ...others] = found(1)
    if (!start) throw new Error('There is no event.')
    events = [start, ...others.slice(0, -1), { type: 'text-delta', text: 'Hm.' }, ...others.slice(-1)]
    expect((await asked([])).printed).toBe('Hm.\n\nfound 1 page\n')
    events = [start, ...others.slice(0, -1), { type: 'text-delta', text: '\nHm.\n\n' }, ...others.slice(-1)]
    expect((await asked(['-f', 'md'])).printed).toBe('Hm.\n\n')
    events = answered
  })

  test.each([
    [40, 40],
    [120, 100],
  ])('a terminal of %d columns gets text and addresses of %d', async (columns, width) => {
    const url = `https://long.example/${'x'.repeat(150)}`
    events = [
      { type: 'search-start', id: 's', query: 'q' },
      { type: 'search-results', id: 's', results: [{ title: 'Long', url, snippet: '', source: 'x' }] },
      { type: 'text-delta', text: 'bees '.repeat(60) },
      ...answered.slice(-1),
    ]
    const environment = { TERM: 'xterm-256color', TERM_PROGRAM: 'iTerm.app' }
    const { printed } = await asked(['--all'], { isTerminal: true, columns, environment })
    const lines = Bun.stripANSI(printed).split('\n')
    const widest = (start: string) => Math.max(...lines.flatMap((line) => (line.startsWith(start) ? line.length : [])))
    expect([widest('bees '), widest('    https:')]).toEqual([width - (width % 5 || 1), width])
    events = answered
  })

  test('on a terminal wraps the text, links markers and pages, and says how to see the other pages', async () => {
    const terminal = { isTerminal: true, environment: { TERM: 'xterm-256color', TERM_PROGRAM: 'iTerm.app' } }
    const { printed, complaints } = await asked([], terminal)
    const linked = (text: string, number = 2) => `\u001b]8;;${address(number)}\u001b\\${text}\u001b]8;;\u001b\\`
    expect(printed.replaceAll('\u0007', '\u001b\\')).toContain(`so ${linked('[2]')}.`)
    expect(printed).toContain('\u001b[1m')
    expect(complaints).toContain('--all lists all pages')
    expect((await asked(['--all'], terminal)).complaints).not.toContain('--all lists')
  })

  test('-f md prints the text and a list of its pages', async () => {
    expect((await asked(['-f', 'md'])).printed).toBe(`It is 🙂 so [2].\n\n2. [Page 2](${address(2)})\n   Excerpt 2\n`)
    expect((await asked(['-f', 'urls'])).printed).toBe(`${address(2)}\n`)
  })

  test('--json prints the answer with all its pages, and whether it is from the cache', async () => {
    const cache = { environment: { CSP_CACHE_TTL: '60', XDG_CACHE_HOME: join(home, 'cache') } }
    const body = JSON.parse((await asked(['--json'], cache)).printed)
    expect(body).toMatchObject({ query: 'why?', answer: 'It is 🙂 so [2].', cached: false, age_seconds: 0 })
    expect(body.citations).toMatchObject([{ number: 2, url: address(2) }])
    expect(body.sources).toEqual(
      pages(3).map(({ title, url, snippet = null, publishedAt = null }) => ({
        ...{ title, url, snippet, published_date: publishedAt },
      })),
    )
    expect(body).not.toHaveProperty('evidence')
    setSystemTime(Date.now() + 1001)
    const again = JSON.parse((await asked(['--json'], cache).finally(() => setSystemTime())).printed)
    expect(again.cached).toBe(true)
    expect(again.age_seconds).toBeGreaterThan(0)
  })

  test.each([
    [[], 'answer', 'standard'],
    [['--model', 'sonar'], 'answer', 'fast'],
    [['--model', 'sonar-reasoning'], 'answer', 'deep'],
  ])('asks with %j for an %s of effort %s', async (flags, want, effort) => {
    await asked(flags)
    expect(executor.requests.at(-1)).toMatchObject({ query: 'why?', want, effort })
  })

  test('--receipt is Markdown alone', async () => {
    expect((await asked(['--receipt'])).printed).toStartWith('# why?\n')
    for (const flags of [['--json'], ['-f', 'md']])
      await expect(asked(['--receipt', ...flags])).rejects.toThrow('--receipt prints Markdown')
    await expect(asked(['--model', 'gpt-none'])).rejects.toThrow('"gpt-none" is not a model')
  })
})
