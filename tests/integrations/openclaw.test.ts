import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { SearchError } from '../../src/domain/error.ts'
import { testApp } from '../api/test-app.ts'
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
  keys: readonly string[] = [],
) {
  const app = testApp(script, { keys })
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => app.request(new URL(request.url).pathname, request),
  })
  servers.push(server)
  const webSearch = { baseUrl: `http://127.0.0.1:${server.port}/`, ...settings }
  const providers: Provider[] = []
  const tools: Tool[] = []
  // OpenClaw loads it as it is: JavaScript without types.
  const { default: plugin } = await import(join(folder, 'index.js'))
  plugin.register({
    pluginConfig: { webSearch },
    registerWebSearchProvider: (provider: Provider) => providers.push(provider),
    registerTool: (tool: Tool) => tools.push(tool),
  })
  const config = { plugins: { entries: { csp: { config: { webSearch } } } } }
  const search = (args: object, signal?: AbortSignal) =>
    providers[0]?.createTool({ config }).execute(args, signal && { signal })
  const ask = (args: object) => tools[0]?.execute('call-1', args)
  return { app, plugin, providers, tools, search, ask }
}

test('the manifest of the OpenClaw plugin declares what the plugin registers, and the package has its files', async () => {
  const manifest = await Bun.file(join(folder, 'openclaw.plugin.json')).json()
  const { files, openclaw } = await Bun.file(join(folder, 'package.json')).json()
  const { plugin, providers, tools } = await hosted()
  expect(manifest.id).toBe(plugin.id)
  expect(manifest.contracts).toEqual({
    webSearchProviders: providers.map(({ id }) => id),
    tools: tools.map(({ name }) => name),
  })
  for (const file of [...files, ...openclaw.extensions]) expect(existsSync(join(folder, file))).toBe(true)
  expect(providers[0]?.requiresCredential).toBe(false)
})

describe('the tool web_search of the OpenClaw plugin', () => {
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
    const without = await hosted(undefined, {}, ['key'])
    await expect(without.search({ query: 'tides' })).rejects.toThrow('csp: A key is required.')
    const { search } = await hosted(undefined, { apiKey: 'key' }, ['key'])
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
