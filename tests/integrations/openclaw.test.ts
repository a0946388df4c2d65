import { afterAll, describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '@csp/testing/eventually'
import type { AppOptions } from '../../src/app.ts'
import { SearchError } from '../../src/domain/error.ts'
import { runningServers } from '../../src/runtime/background/running-servers.ts'
import { testApp } from '../api/test-app.ts'
import { fakePageReader } from '../support/fake-page-reader.ts'
import { freePort } from '../support/free-port.ts'
import { standInClaude } from '../support/quick-claude.ts'
import { claudeEnvironment } from '../support/real-claude.ts'
import { type ScriptedExecutor, type Step, scriptedExecutor, untilAborted } from '../support/scripted-executor.ts'

// A host as small as the plugin needs. docs/clients/openclaw.md says with which OpenClaw it was tried.

const folder = join(import.meta.dir, '../../integrations/openclaw')

interface Provider {
  readonly id: string
  readonly requiresCredential: boolean
  createTool(context: { config: unknown }): {
    execute(args: object, context?: { signal: AbortSignal }): Promise<Record<string, unknown>>
  }
}

interface FetchProvider extends Omit<Provider, 'createTool'> {
  createTool(context: { config: unknown }): { execute(args: object): Promise<Record<string, unknown>> }
}

interface Service {
  readonly id: string
  readonly start: (context: { config: unknown; logger: Record<'info' | 'warn', (text: string) => void> }) => void
  readonly stop: () => Promise<void>
}

interface Tool {
  readonly name: string
  readonly parameters: { readonly required: readonly string[] }
  execute(id: string, args: object, signal?: AbortSignal): Promise<{ content: { text: string }[]; details: unknown }>
}

const servers: { stop(): unknown }[] = []
afterAll(() => servers.map((server) => server.stop()))

/** The plugin in a host, over csp with a scripted executor. */
async function hosted(
  script?: ScriptedExecutor | readonly Step[],
  settings: object = {},
  options: Partial<AppOptions> = {},
) {
  const app = testApp(script, options)
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => app.request(new URL(request.url).pathname, request),
  })
  servers.push(server)
  const webSearch = { baseUrl: `http://127.0.0.1:${server.port}/`, ...settings }
  return { app, ...(await registered({ webSearch })) }
}

/** What the plugin registers in a host, with these settings. */
async function registered(settings: object, run: Run = async () => Promise.reject(new Error('Nothing is started.'))) {
  const providers: Provider[] = []
  const fetchers: FetchProvider[] = []
  const tools: Tool[] = []
  const services: Service[] = []
  // OpenClaw loads it as it is: JavaScript without types.
  const { default: plugin } = await import(join(folder, 'index.js'))
  plugin.register({
    registrationMode: 'full',
    pluginConfig: settings,
    runtime: { system: { runCommandWithTimeout: run } },
    registerWebSearchProvider: (provider: Provider) => providers.push(provider),
    registerWebFetchProvider: (provider: FetchProvider) => fetchers.push(provider),
    registerTool: (tool: Tool) => tools.push(tool),
    registerService: (service: Service) => services.push(service),
  })
  const config = { plugins: { entries: { csp: { config: settings } } } }
  const search = (args: object, signal?: AbortSignal) =>
    providers[0]?.createTool({ config }).execute(args, signal && { signal })
  const read = (args: object) => fetchers[0]?.createTool({ config }).execute(args)
  const ask = (args: object) => tools[0]?.execute('call-1', args)
  return { plugin, config, providers, fetchers, tools, services, search, read, ask }
}

/** OpenClaw's own way to run a program. */
type Run = (argv: readonly string[]) => Promise<{ code: number | null; stdout: string; stderr: string }>

test('the manifest of the OpenClaw plugin declares what the plugin registers, and the package has its files', async () => {
  const manifest = await Bun.file(join(folder, 'openclaw.plugin.json')).json()
  const { files, openclaw, version } = await Bun.file(join(folder, 'package.json')).json()
  expect(version).toBe((await Bun.file(join(folder, '../../package.json')).json()).version)
  const { plugin, providers, fetchers, tools, services } = await hosted()
  expect(manifest.id).toBe(plugin.id)
  expect(manifest.contracts).toEqual({
    webSearchProviders: providers.map(({ id }) => id),
    webFetchProviders: fetchers.map(({ id }) => id),
    tools: tools.map(({ name }) => name),
  })
  for (const file of [...files, ...openclaw.extensions]) expect(existsSync(join(folder, file))).toBe(true)
  for (const { requiresCredential } of [...providers, ...fetchers]) expect(requiresCredential).toBe(false)
  expect(manifest.activation).toEqual({ onStartup: services.length > 0 })
})

describe('the tool web_search of the OpenClaw plugin', () => {
  test('searches again where the connection ends before a reply, as when csp restarts', async () => {
    const reply = JSON.stringify({ results: [] })
    let connections = 0
    const server = createServer((socket) => {
      const isFirst = connections++ === 0
      socket.once('data', () => {
        if (isFirst) socket.resetAndDestroy()
        else socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${reply.length}\r\n\r\n${reply}`)
      })
    }).listen(0, '127.0.0.1')
    try {
      await once(server, 'listening')
      const address = server.address()
      const port = typeof address === 'object' ? address?.port : undefined
      const { search } = await registered({ webSearch: { baseUrl: `http://127.0.0.1:${port}` } })
      expect(await search({ query: 'tides' })).toMatchObject({ count: 0 })
      expect(connections).toBe(2)
    } finally {
      server.close()
    }
  })

  test('returns rows in the shape of OpenClaw', async () => {
    const { search } = await hosted()
    expect(await search({ query: 'tides' })).toEqual({
      query: 'tides',
      provider: 'csp',
      tookMs: expect.any(Number),
      count: 3,
      results: [
        { title: 'Page 1', url: 'https://site1.example/docs/page', snippet: 'Excerpt 1', published: '2026-05-01' },
        { title: 'Page 2', url: 'https://site2.example/docs/page', snippet: 'Excerpt 2' },
        { title: 'Page 3', url: 'https://site3.example/docs/page', published: '2026-05-01' },
      ],
    })
  })

  test.each([
    [{}, { limit: 5 }, {}],
    [{ count: 7, country: 'de', language: 'en' }, { limit: 7 }, { country: 'DE', language: 'en' }],
    [{ freshness: 'week' }, {}, { freshness: 'week' }],
    [
      { date_after: '2026-01-01', date_before: '2026-02-01' },
      {},
      { publishedAfter: '2026-01-01', publishedBefore: '2026-02-01' },
    ],
    [{ date_before: '2026-02-01' }, {}, { publishedAfter: '1970-01-01', publishedBefore: '2026-02-01' }],
    [
      { domain_filter: ['a.example', '-b.example'] },
      {},
      { includeDomains: ['a.example'], excludeDomains: ['b.example'] },
    ],
  ])('passes %j on', async (args, request, filters) => {
    const { app, search } = await hosted()
    await search({ query: 'tides', ...args })
    expect(app.executor.calls[0]?.request).toMatchObject({ query: 'tides', want: 'results', ...request, filters })
  })

  test('returns an answer where the configuration requests it, with the number of each source', async () => {
    const { search } = await hosted(undefined, { mode: 'answer' })
    expect(await search({ query: 'why?' })).toMatchObject({
      content: 'It is 🙂 so [2].',
      citations: [{ url: 'https://site2.example/docs/page', title: '[2] Page 2' }],
    })
  })

  test('fails with the message of csp', async () => {
    const { search } = await hosted([new SearchError('signed-out', 'Run claude and sign in.')])
    await expect(search({ query: 'tides' })).rejects.toThrow('csp: Run claude and sign in.')
  })

  test('sends the key', async () => {
    const without = await hosted(undefined, {}, { keys: ['key'] })
    await expect(without.search({ query: 'tides' })).rejects.toThrow('csp: A key is required.')
    const { search } = await hosted(undefined, { apiKey: 'key' }, { keys: ['key'] })
    expect(await search({ query: 'tides' })).toMatchObject({ count: 3 })
  })

  test('stops its search when OpenClaw does', async () => {
    const begun = Promise.withResolvers<void>()
    const hang = (signal: AbortSignal) => {
      begun.resolve()
      return untilAborted(signal)
    }
    const { search } = await hosted(scriptedExecutor([hang]))
    const stop = new AbortController()
    const searching = search({ query: 'tides' }, stop.signal)
    await begun.promise
    stop.abort()
    await expect(searching).rejects.toThrow('abort')
  })
})

describe('the tool ask_web of the OpenClaw plugin', () => {
  test('returns an answer, its sources, and both as data', async () => {
    const { ask } = await hosted()
    const reply = await ask({ question: 'why?' })
    expect(reply?.content[0]?.text).toEndWith(
      'It is 🙂 so [2].\n\nSources:\n[2] Page 2\nhttps://site2.example/docs/page',
    )
    expect(reply?.details).toEqual({
      answer: 'It is 🙂 so [2].',
      citations: [{ number: 2, title: 'Page 2', url: 'https://site2.example/docs/page' }],
    })
  })

  test.each([
    [undefined, 'standard'],
    ['fast', 'fast'],
    ['deep', 'deep'],
  ])('with the effort %s searches with effort %s', async (effort, expected) => {
    const { app, ask } = await hosted()
    await ask({ question: 'why?', effort, language: 'de' })
    expect(app.executor.calls[0]?.request).toMatchObject({
      want: 'answer',
      effort: expected,
      filters: { language: 'de' },
    })
  })
})

describe('the web_fetch provider of the OpenClaw plugin', () => {
  const url = 'https://example.org/article'
  const pages = fakePageReader({ [url]: { content: 'Seals rest at low tide.', title: 'Seals', totalCharacters: 23 } })

  test('returns the page in the shape that OpenClaw wraps as untrusted', async () => {
    const { read } = await hosted(undefined, {}, { pages })
    expect(await read({ url, extractMode: 'text', maxChars: 9 })).toEqual({
      url,
      finalUrl: url,
      title: 'Seals',
      text: 'Seals res',
      extractor: 'csp',
      rawLength: 23,
      truncated: true,
    })
    expect(pages.requests.at(-1)).toMatchObject({ url, format: 'text', maxCharacters: 9 })
    expect(await read({ url, extractMode: 'markdown' })).toMatchObject({
      text: 'Seals rest at low tide.',
      truncated: false,
    })
    expect(pages.requests.at(-1)).toMatchObject({ format: 'markdown' })
  })

  test('says why a page could not be read', async () => {
    const { read } = await hosted(undefined, {}, { pages })
    await expect(read({ url: 'https://example.org/gone' })).rejects.toThrow('csp: There is no such page (404).')
  })
})

describe('the service of the OpenClaw plugin', () => {
  /** A log as OpenClaw's, and a promise for its next line. */
  function logged() {
    const lines: string[] = []
    const add = (level: string) => (text: string) => void lines.push(`${level}: ${text}`)
    return { lines, logger: { info: add('info'), warn: add('warn') } }
  }

  test('starts csp with the gateway, starts it again for a search that finds none, and lets it end with the gateway', async () => {
    const home = mkdtempSync(join(tmpdir(), 'csp-openclaw-'))
    const launcher = join(import.meta.dir, '../../bin/csp.mjs')
    const env = { ...claudeEnvironment('http://127.0.0.1:9', home), CSP_CLAUDE_BIN: standInClaude(), CSP_SANDBOX: 'on' }
    const run: Run = async (argv) => {
      const child = Bun.spawn([...argv], {
        env: { ...env, TMPDIR: home },
        cwd: home,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
      return { code: await child.exited, stdout, stderr }
    }
    const port = freePort()
    const running = () => runningServers(join(home, '.local/state/csp'))
    const settings = { command: ['node', launcher], webSearch: { baseUrl: `http://127.0.0.1:${port}` } }
    const { config, services, search } = await registered(settings, run)
    const { lines, logger } = logged()
    try {
      services[0]?.start({ config, logger })
      await eventually(() => lines.length > 0)
      expect(lines).toEqual([expect.stringContaining(`info: csp 0.1.0 listens on http://127.0.0.1:${port}`)])
      expect(await search({ query: 'harbour seals' })).toMatchObject({ count: 1 })
      const [first] = await running()
      expect(first).toMatchObject({ manager: 'programs' })
      // A user may have csp stopped.
      await run([...settings.command, 'stop', '--port', port])
      expect(await search({ query: 'grey seals' })).toMatchObject({ count: 1 })
      const [second] = await running()
      expect(second?.pid).not.toBe(first?.pid)
      await services[0]?.stop()
      await eventually(async () => (await running()).length === 0)
      const log = readFileSync(join(home, '.local/state/csp/log/csp.log'), 'utf8')
      expect(log).toContain('stopping on the end of the programs that it was started for')
      await expect(search({ query: 'harp seals' })).rejects.toThrow('Start it with: csp start')
    } finally {
      await run(['node', launcher, 'stop', '--all', '--force'])
      rmSync(home, { recursive: true, force: true })
    }
  }, 60_000)

  test.each([
    ['start is off', { start: false }],
    ['csp is on another machine', { webSearch: { baseUrl: 'https://csp.example.org' } }],
  ])('starts nothing when %s', async (_, settings) => {
    const ran: (readonly string[])[] = []
    const { config, services } = await registered(settings, async (argv) => {
      ran.push(argv)
      return { code: 0, stdout: '', stderr: '' }
    })
    services[0]?.start({ config, logger: logged().logger })
    await services[0]?.stop()
    expect(ran).toEqual([])
  })

  test('says what to do when there is no csp to start', async () => {
    const webSearch = { baseUrl: `http://127.0.0.1:${freePort()}` }
    const missing = Object.assign(new Error('spawn csp ENOENT'), { code: 'ENOENT' })
    const { config, services } = await registered({ webSearch }, () => Promise.reject(missing))
    const { lines, logger } = logged()
    services[0]?.start({ config, logger })
    await eventually(() => lines.length > 0)
    expect(lines).toEqual([expect.stringContaining('there is no program csp on this machine. Install it')])
    await services[0]?.stop()
  })

  test('uses a csp at the address that it could not start', async () => {
    const { app } = await hosted()
    const server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: (request) => app.request('/health/live', request),
    })
    servers.push(server)
    const baseUrl = `http://127.0.0.1:${server.port}`
    const failing: Run = async () => ({ code: 1, stdout: '', stderr: 'csp did not start.' })
    const { config, services } = await registered({ webSearch: { baseUrl } }, failing)
    const { lines, logger } = logged()
    services[0]?.start({ config, logger })
    await eventually(() => lines.length > 0)
    expect(lines).toEqual([`info: csp: uses the csp at ${baseUrl}, which was started otherwise.`])
    await services[0]?.stop()
  })
})
