import { describe, expect, jest, spyOn, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { providerModel } from '../../packages/gateway/test/support/provider-model.ts'
import { loadConfig } from '../../src/runtime/config/config.ts'
import { createConfiguredGateway } from '../../src/runtime/gateway.ts'
import { hasUpstreams, upstreamPlans, withoutOwnBaseUrl } from '../../src/runtime/upstream-plans.ts'

function inHome<Result>(work: (home: string) => Result): Result {
  const home = mkdtempSync(join(tmpdir(), 'csp-gateway-'))
  try {
    return work(home)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

function plansFor(environment: Record<string, string>, file?: object, flags: Record<string, string | boolean> = {}) {
  return inHome((home) => {
    const all = { HOME: home, ...environment }
    if (file) {
      mkdirSync(join(home, '.config/csp'), { recursive: true })
      writeFileSync(join(home, '.config/csp/config.json'), JSON.stringify(file))
    }
    return upstreamPlans(loadConfig(flags, all, home).config, all)
  })
}

describe('the upstreams of the gateway', () => {
  test('are none while nothing is configured', () => {
    expect(plansFor({})).toEqual([])
    expect(plansFor({ OPENAI_API_KEY: 'sk-somebody-elses-program' })).toEqual([])
  })

  test('come from the variables that people have already', () => {
    const plans = plansFor({
      OPENAI_BASE_URL: 'https://openrouter.ai/api/v1',
      OPENAI_API_KEY: 'sk-or',
      ANTHROPIC_DEFAULT_HAIKU_MODEL: 'qwen/qwen3',
    })
    expect(plans).toMatchObject([
      { name: 'openrouter', url: 'https://openrouter.ai/api/v1', key: 'sk-or', shape: 'auto' },
    ])
    expect(plans[0]?.patterns).toContainEqual(['*haiku*', 'qwen/qwen3'])
  })

  test.each([
    [{ OPENAI_BASE_URL: 'http://localhost:11434/v1' }, ['m', 'm', 'm']],
    [{ OPENAI_BASE_URL: 'http://localhost:11434/v1', ANTHROPIC_DEFAULT_OPUS_MODEL: 'big' }, ['m', 'm', 'big']],
    [{ OPENAI_BASE_URL: 'https://api.openai.com/v1', OPENAI_API_KEY: 'k' }, ['gpt-5-mini', 'm', 'gpt-5']],
  ])('have one model for the sizes that nobody named, unless they are OpenAI: %j', (environment, expected) => {
    const [plan] = plansFor({ ...environment, ANTHROPIC_DEFAULT_SONNET_MODEL: 'm' })
    const modelFor = (name: string) => providerModel(name, plan?.patterns ?? [])
    expect(['claude-haiku-4-5', 'claude-sonnet-6', 'opus'].map(modelFor)).toEqual(expected)
  })

  test('are none where the variable means this csp itself, whose OpenAI-shaped routes clients find by it', () => {
    expect(plansFor({ OPENAI_BASE_URL: 'http://127.0.0.1:52480/v1' })).toEqual([])
    expect(plansFor({ OPENAI_BASE_URL: 'http://localhost:52480' })).toEqual([])
    expect(plansFor({ OPENAI_BASE_URL: 'http://localhost:11434/v1' })).toMatchObject([{ name: 'local' }])
  })

  test.each([
    [{}, {}, false],
    [{ OPENAI_BASE_URL: 'http://localhost:52480' }, {}, false],
    [{ OPENAI_BASE_URL: 'http://localhost:52481' }, {}, true],
    [{ OPENAI_BASE_URL: 'http://localhost:52481' }, { sandbox: true }, false],
    [{ CSP_GATEWAY: '[{"name":"a","url":"http://localhost:1"}]' }, {}, true],
    [{ CSP_GATEWAY: '[{"name":"a","url":"http://localhost:1"}]' }, { sandbox: true }, false],
    // It need not have its key.
    [{ OPENAI_BASE_URL: 'https://a.example' }, {}, true],
  ] as const)('with %j and %j are there: %p', (environment, flags, isThere) => {
    inHome((home) => {
      const { config } = loadConfig(flags, { HOME: home, ...environment } as Record<string, string>, home)
      expect(hasUpstreams(config)).toBe(isThere)
    })
  })

  test('are this csp at each address that it listens on, at its port alone', () => {
    const named = (url: string) =>
      plansFor({ OPENAI_BASE_URL: url, OPENAI_API_KEY: 'k', CSP_HOST: '192.0.2.7,::1', CSP_API_KEYS: 'k'.repeat(20) })
    for (const url of ['http://192.0.2.7:52480/v1', 'http://[::1]:52480', 'http://127.0.0.9:52480'])
      expect(named(url)).toEqual([])
    for (const url of ['http://192.0.2.7:52481/v1', 'http://192.0.2.8:52480']) expect(named(url)).toHaveLength(1)
  })

  test.each([
    ['http://nas:11434', 'nas'],
    ['http://[::1]:11434', 'local'],
    ['http://127.0.0.1:11434', 'local'],
    ['https://www.models.example.com/v1', undefined],
  ])('at %s need no key in the home network, and have a name: %p', (url, name) => {
    if (name === undefined)
      expect(() => plansFor({ OPENAI_BASE_URL: url })).toThrow('at www.models.example.com needs a key')
    else expect(plansFor({ OPENAI_BASE_URL: url })).toMatchObject([{ name }])
    const [plan] = plansFor({ OPENAI_BASE_URL: url, OPENAI_API_KEY: 'k' })
    expect(plan).toMatchObject({ name: name ?? 'models.example', key: 'k' })
  })

  test('are none on the sandbox, where nothing is billed', () => {
    const environment = { OPENAI_BASE_URL: 'https://openrouter.ai/api/v1', OPENAI_API_KEY: 'sk-or' }
    expect(plansFor(environment, undefined, { sandbox: true })).toEqual([])
  })

  test('come from the list in the file, each with a key of its own', () => {
    const gateway = [
      { name: 'ollama', url: 'http://localhost:11434', models: { '*haiku*': 'qwen3:4b' } },
      { name: 'deepseek', url: 'https://api.deepseek.com/anthropic', 'key-variable': 'DEEPSEEK_KEY', shape: 'native' },
    ]
    expect(plansFor({ DEEPSEEK_KEY: 'dk' }, { gateway })).toEqual([
      {
        name: 'ollama',
        url: 'http://localhost:11434',
        key: undefined,
        shape: 'auto',
        patterns: [['*haiku*', 'qwen3:4b']],
        provider: { requireTools: true },
      },
      {
        name: 'deepseek',
        url: 'https://api.deepseek.com/anthropic',
        key: 'dk',
        shape: 'native',
        patterns: [],
        provider: { requireTools: true },
      },
    ])
    expect(() => plansFor({}, { gateway })).toThrow('The upstream deepseek needs a key: set DEEPSEEK_KEY.')
  })

  test('can be named as a provider whose address does not show it, with what that provider wants', () => {
    const about = { provider: 'openrouter', referer: 'https://a.example', title: 'A', tools: 'auto' }
    const [plan] = plansFor({}, { gateway: [{ name: 'a', url: 'http://localhost:1', ...about }] })
    expect(plan?.provider).toEqual({
      kind: 'openrouter',
      requireTools: false,
      referer: 'https://a.example',
      title: 'A',
    })
  })

  test('force tools upon Ollama unless the list says otherwise', () => {
    const requires = (environment: Record<string, string>, file?: object) =>
      plansFor(environment, file).map(({ provider }) => provider.requireTools)
    const url = 'http://localhost:11434'
    expect(requires({ OPENAI_BASE_URL: url })).toEqual([true])
    const gateway = [
      { name: 'a', url },
      { name: 'b', url, tools: 'auto' },
    ]
    expect(requires({}, { gateway })).toEqual([true, false])
  })

  test('may name several models for a pattern, and how many requests run at once', () => {
    const models = { sonnet: ['qwen3', 'openrouter/openai/gpt-5'], haiku: 'qwen3:4b' }
    const [plan] = plansFor({}, { gateway: [{ name: 'a', url: 'http://localhost:1', concurrency: 2, models }] })
    expect(plan?.concurrency).toBe(2)
    expect(plan?.patterns).toEqual([
      ['sonnet', 'qwen3', 'openrouter/openai/gpt-5'],
      ['haiku', 'qwen3:4b'],
    ])
  })

  test.each([
    ['auto', 'https://api.openai.com/v1', 'https://api.openai.com/v1/responses'],
    ['auto', 'https://eu.api.openai.com/v1', 'https://eu.api.openai.com/v1/responses'],
    ['compatible', 'https://api.openai.com/v1', 'https://api.openai.com/v1/chat/completions'],
    ['responses', 'http://localhost:1234', 'http://localhost:1234/v1/responses'],
    ['auto', 'https://api.anthropic.com', 'https://api.anthropic.com/v1/messages'],
  ])('in the shape %s at %s are asked at %s', async (shape, url, expected) => {
    const settings = { CSP_GATEWAY: JSON.stringify([{ name: 'a', url, key: 'k', shape }]) }
    const { config } = inHome((home) => loadConfig({}, { HOME: home, ...settings }, home))
    const gateway = createConfiguredGateway(config, {})
    const asked: string[] = []
    const real = globalThis.fetch
    globalThis.fetch = Object.assign(
      async (to: unknown) => {
        asked.push(String(to))
        return Response.json({ error: { message: 'No.' } }, { status: 400 })
      },
      { preconnect: real.preconnect },
    )
    try {
      const messages = [{ role: 'user' as const, content: 'hi' }]
      const reply = gateway?.upstreams[0]?.upstream.send(
        { model: 'm', messages },
        { signal: new AbortController().signal },
      )
      await expect(Array.fromAsync(reply ?? [])).rejects.toMatchObject({ status: 400 })
    } finally {
      globalThis.fetch = real
      await gateway?.close()
    }
    expect(new Set(asked)).toEqual(new Set([expected]))
  })

  test('need a key beyond this machine', () => {
    expect(() => plansFor({ OPENAI_BASE_URL: 'https://api.openai.com/v1' })).toThrow(
      'The upstream openai at api.openai.com needs a key: set OPENAI_API_KEY, or unset OPENAI_BASE_URL to have no gateway.',
    )
  })

  test.each([
    { gateway: 'ollama' },
    { gateway: [{ name: 'a b', url: 'http://localhost:1' }] },
    { gateway: [{ name: 'a', url: 'localhost:1' }] },
    { gateway: [{ name: 'a', url: 'http://me:secret@localhost:1' }] },
    { gateway: [{ name: 'a', url: 'http://localhost:1', shape: 'other' }] },
    { gateway: [{ name: 'a', url: 'http://localhost:1', colour: 'red' }] },
    { gateway: [{ name: 'a', url: 'http://localhost:1', provider: 'nobody' }] },
    { gateway: [{ name: 'a', url: 'http://localhost:1', tools: 'never' }] },
    { gateway: [{ name: 'a', url: 'http://localhost:1', concurrency: 0 }] },
    { gateway: [{ name: 'a', url: 'http://localhost:1', models: { sonnet: ['only-one'] } }] },
    { gateway: [{ name: 'a', url: 'http://localhost:1', key: 'k', 'key-variable': 'K' }] },
    {
      gateway: [
        { name: 'a', url: 'http://localhost:1' },
        { name: 'a', url: 'http://localhost:2' },
      ],
    },
  ])('are refused where the list is wrong, without showing a secret: %j', (file) => {
    let said = ''
    try {
      plansFor({}, file)
    } catch (error) {
      said = String(error)
    }
    expect(said).toContain('"gateway"')
    expect(said).not.toContain('secret')
  })
})

test("csp's own CLI is not sent to this csp by the variable that a terminal of the gateway has", () => {
  inHome((home) => {
    const { config } = loadConfig({}, { HOME: home }, home)
    const leadsTo = (ANTHROPIC_BASE_URL: string) => withoutOwnBaseUrl({ HOME: home, ANTHROPIC_BASE_URL }, config)
    expect(leadsTo('http://localhost:52480')).toEqual({ HOME: home })
    expect(leadsTo('http://127.0.0.1:9999')).toHaveProperty('ANTHROPIC_BASE_URL')
    expect(leadsTo('no address')).toHaveProperty('ANTHROPIC_BASE_URL')
  })
})

describe('the files of other proxies for Claude Code', () => {
  test('stand below the environment and the own file, and csp config names them', () => {
    inHome((home) => {
      mkdirSync(join(home, '.claude'))
      const path = join(home, '.claude/proxy.env')
      writeFileSync(
        path,
        '# mine\nexport OPENAI_BASE_URL="http://localhost:11434/v1"\nANTHROPIC_DEFAULT_OPUS_MODEL=big\n',
      )
      writeFileSync(
        join(home, '.claude-code-proxy'),
        'ANTHROPIC_DEFAULT_SONNET_MODEL=middle\nOPENAI_BASE_URL=http://x.y\n',
      )
      const fromFiles = loadConfig({}, { HOME: home }, home)
      expect(fromFiles.config).toMatchObject({
        gatewayUrl: 'http://localhost:11434/v1',
        gatewayOpus: 'big',
        gatewaySonnet: 'middle',
      })
      expect(fromFiles.origins).toMatchObject({ gatewayUrl: path, gatewaySonnet: join(home, '.claude-code-proxy') })
      const above = loadConfig({}, { HOME: home, OPENAI_BASE_URL: 'http://localhost:1234' }, home)
      expect(above.config.gatewayUrl).toBe('http://localhost:1234')
      expect(above.origins.gatewayUrl).toBe('OPENAI_BASE_URL')
    })
  })

  test('may have a comment behind a value, in quotes or not, and a # within one', () => {
    inHome((home) => {
      mkdirSync(join(home, '.claude'))
      const lines = [
        'OPENAI_BASE_URL=http://localhost:11434/v1 # Ollama',
        'OPENAI_API_KEY="a#b" # mine',
        "ANTHROPIC_DEFAULT_OPUS_MODEL='big one'\t# the largest",
        'ANTHROPIC_DEFAULT_SONNET_MODEL=middle#1',
        'ANTHROPIC_DEFAULT_HAIKU_MODEL= # none',
      ]
      writeFileSync(join(home, '.claude/proxy.env'), `${lines.join('\r\n')}\r\n`)
      const { config } = loadConfig({}, { HOME: home }, home)
      expect(config).toMatchObject({
        gatewayUrl: 'http://localhost:11434/v1',
        gatewayKey: 'a#b',
        gatewayOpus: 'big one',
        gatewaySonnet: 'middle#1',
      })
      expect(config.gatewayHaiku).toBeUndefined()
    })
  })

  test('of the current folder are never read', () => {
    inHome((home) => {
      const folder = join(home, 'project')
      mkdirSync(join(folder, '.claude'), { recursive: true })
      writeFileSync(join(folder, '.claude/proxy.env'), 'OPENAI_BASE_URL=http://evil.example\n')
      writeFileSync(join(folder, '.env'), 'OPENAI_BASE_URL=http://evil.example\n')
      expect(loadConfig({}, { HOME: home }, folder).config.gatewayUrl).toBeUndefined()
    })
  })
})

describe('the gateway that is configured', () => {
  const local = { name: 'local', url: 'http://127.0.0.1:9', shape: 'compatible' }
  const gatewayOf = (upstreams: readonly object[], parts = {}) => {
    const environment = { HOME: '/nowhere', CSP_GATEWAY: JSON.stringify(upstreams) }
    return createConfiguredGateway(loadConfig({}, environment, '/').config, environment, parts)
  }

  test.each<[readonly object[], object, string]>([
    [[local], {}, 'unknown'],
    [[local, { name: 'claude' }], {}, 'own'],
    [[local], { sandbox: async () => 'http://127.0.0.1:9' }, 'own'],
  ])('over %j has Claude only where that is among them, or on the sandbox: %j %s', async (upstreams, parts, route) => {
    const gateway = gatewayOf(upstreams, parts)
    expect(gateway?.routeOf('claude-sonnet-5', () => false)).toBe(route as never)
    await gateway?.close()
  })

  test('on the sandbox asks that, wherever it listens', async () => {
    const sent = spyOn(globalThis, 'fetch').mockImplementation((async () =>
      Response.json(
        { type: 'error', error: { type: 'invalid_request_error', message: 'No.' } },
        { status: 400 },
      )) as never)
    const gateway = gatewayOf([local], { sandbox: async () => 'http://127.0.0.1:7' })
    const request = { model: 'm', messages: [{ role: 'user' as const, content: 'hi' }] }
    const reply = gateway?.upstreams[0]?.upstream.send(request, { signal: new AbortController().signal })
    await expect(Array.fromAsync(reply ?? [])).rejects.toMatchObject({ status: 400 })
    expect(sent.mock.calls[0]?.[0]).toBe('http://127.0.0.1:7/v1/messages')
    sent.mockRestore()
    await gateway?.close()
  })

  test('gives an upstream as many seconds for a word as its entry says', async () => {
    const signals: AbortSignal[] = []
    const sent = spyOn(globalThis, 'fetch').mockImplementation(((_: unknown, init?: RequestInit) => {
      const { signal } = init ?? {}
      if (signal) signals.push(signal)
      return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
    }) as typeof fetch)
    jest.useFakeTimers()
    try {
      const gateway = gatewayOf([{ ...local, shape: 'native', idle: 2 }])
      const leave = new AbortController()
      const request = { model: 'm', messages: [{ role: 'user' as const, content: 'hi' }] }
      const reply = gateway?.upstreams[0]?.upstream.send(request, { signal: leave.signal })
      const ended = Array.fromAsync(reply ?? []).catch(() => 'failed')
      for (let turn = 0; turn < 100 && signals.length === 0; turn++) await Promise.resolve()
      // Bun would give it five minutes.
      expect(sent.mock.calls[0]?.[1]).toMatchObject({ timeout: false })
      jest.advanceTimersByTime(1999)
      expect(signals.map(({ aborted }) => aborted)).toEqual([false])
      jest.advanceTimersByTime(1)
      expect(signals[0]?.aborted).toBe(true)
      leave.abort()
      expect(await ended).toBe('failed')
      await gateway?.close()
    } finally {
      jest.useRealTimers()
      sent.mockRestore()
    }
  })
})
