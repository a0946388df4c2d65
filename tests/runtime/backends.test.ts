import { describe, expect, test } from 'bun:test'
import { startSandbox } from '../../packages/sandbox/test/support/sandbox.ts'
import { collect } from '../../src/domain/answer.ts'
import { createBackends } from '../../src/runtime/backends.ts'
import { main } from '../../src/runtime/cli/main.ts'
import { configSchema } from '../../src/runtime/config/settings.ts'
import { serveApi } from '../executor/backends/http/api-server.ts'
import { fakeExecutor, requestFor } from '../support/fake-executor.ts'
import { testShell } from './test-shell.ts'

const all = {
  ...{ backends: 'brave,claude,messages,searxng', searxngUrl: 'http://127.0.0.1:9', braveApiKey: 'brave-secret' },
  anthropicApiKey: 'anthropic-secret',
}

function fakeClaude() {
  return fakeExecutor(undefined, 'claude')
}

const schema = requestFor('q', { want: 'answer', schema: { type: 'object' } })
const text = requestFor('q', { want: 'text' })

describe('the configured backends', () => {
  test('come in the order of the configuration, and Claude is created once', () => {
    let made = 0
    const createClaude = () => {
      made++
      return fakeClaude()
    }
    const backends = createBackends(configSchema.parse(all), { createClaude })
    expect(backends.map(({ name }) => name)).toEqual(['brave', 'claude', 'messages', 'searxng'])
    expect(made).toBe(1)
  })

  test('are created without Claude when it is not configured, and without a model refuse to write', () => {
    const config = configSchema.parse({ ...all, backends: 'brave,searxng,messages' })
    const createClaude = () => {
      throw new Error('It was made.')
    }
    const backends = createBackends(config, { createClaude })
    expect(backends.map((backend) => [backend.name, backend.supports?.(schema), backend.supports?.(text)])).toEqual([
      ['brave', false, false],
      ['searxng', false, false],
      ['messages', true, true],
    ])
  })

  test('are refused when one of them is not available here', () => {
    expect(() => createBackends(configSchema.parse({}))).toThrow('claude')
  })

  test.each([
    ['searxng', { searxngUrl: 'http://127.0.0.1:9' }],
    ['brave', { braveApiKey: 'k' }],
    ['exa', { exaApiKey: 'k' }],
    ['tavily', { tavilyApiKey: 'k' }],
    ['serper', { serperApiKey: 'k' }],
    ['messages', { anthropicApiKey: 'k' }],
    ['remote', { remoteUrl: 'http://127.0.0.1:9' }],
  ] as const)('are there with what they need alone: %s with %j', (backends, settings) => {
    const config = { ...configSchema.parse(all), backends: [backends] }
    expect(createBackends({ ...config, ...settings }).map(({ name }) => name)).toEqual([backends])
    const nothing = Object.fromEntries(Object.keys(settings).map((name) => [name, undefined]))
    expect(() => createBackends({ ...config, ...nothing })).toThrow(`The backend ${backends} cannot be used here.`)
  })

  test('need no key on the sandbox and call no other server', async () => {
    await using running = startSandbox()
    await using server = serveApi((given) => running.sandbox.fetch(given))
    const config = configSchema.parse({ backends: 'messages', sandbox: true, anthropicApiKey: 'true-key' })
    const [backend] = createBackends(config, { sandboxUrl: server.url })
    const request = requestFor('seals')
    const answer = await collect(backend?.search(request, { signal: new AbortController().signal }) ?? fail())
    expect(answer.searches[0]?.results[0]?.url).toMatch(/example/)
    expect(server.requests[0]?.headers.get('x-api-key')).toStartWith('sandbox')
  })

  test.each([
    ['none', false],
    ['lines', true],
    ['pages', true],
  ])('with excerpts %s the rows of the Messages API have words of their pages: %p', async (excerpts, hasWords) => {
    await using running = startSandbox()
    const config = configSchema.parse({ backends: 'messages', anthropicApiKey: 'k', excerpts })
    const [backend] = createBackends(config, { sandboxUrl: running.url })
    const answer = await collect(
      backend?.search(requestFor('seals'), { signal: new AbortController().signal }) ?? fail(),
    )
    expect(answer.searches[0]?.results.some(({ snippet }) => snippet !== undefined)).toBe(hasWords)
  })
})

test('csp config does not show a key', async () => {
  const environment = { BRAVE_API_KEY: 'brave-hush', CSP_ANTHROPIC_API_KEY: 'anthropic-hush', HOME: '/nowhere' }
  for (const args of [['config'], ['config', '--json']]) {
    const shell = testShell({ environment, directory: '/' })
    expect(await main(args, shell)).toBe(0)
    expect(shell.printed()).toContain('(hidden)')
    expect(shell.printed() + shell.complaints()).not.toContain('hush')
  }
})

function fail(): never {
  throw new Error('There is no backend.')
}
