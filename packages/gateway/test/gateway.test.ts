import { describe, expect, test } from 'bun:test'
import { createGateway, type GatewayUpstream } from '../src/gateway.ts'
import type { ModelPatterns } from '../src/models.ts'

const isOwn = (name: string) => name === 'sonar' || name.startsWith('chat-')

describe('the gateway sends a model', () => {
  const gateway = createGateway({
    upstreams: [
      upstream('ollama', [
        ['*haiku*', 'qwen3:4b'],
        ['local', 'qwen3:14b'],
      ]),
      upstream('openrouter', [['*sonnet*', 'openai/gpt-5']]),
    ],
  })

  test.each([
    { name: 'claude-haiku-4-5-20251001', to: 'ollama', model: 'qwen3:4b' },
    { name: 'claude-sonnet-5-5', to: 'openrouter', model: 'openai/gpt-5' },
    { name: 'local', to: 'ollama', model: 'qwen3:14b' },
    { name: 'openrouter/meta/llama-4', to: 'openrouter', model: 'meta/llama-4' },
    { name: 'OLLAMA/qwen3', to: 'ollama', model: 'qwen3' },
    { name: 'openai/gpt-5', to: 'ollama', model: 'openai/gpt-5' },
  ])('$name to $to as $model', ({ name, to, model }) => {
    expect(gateway.routeOf(name, isOwn)).toMatchObject({ to: { name: to }, model })
  })

  test('with several names to each of them in turn, of another upstream where the name begins with it', () => {
    const patterns: ModelPatterns = [['sonnet', 'qwen3', 'openrouter/openai/gpt-5', 'openai/gpt-oss']]
    const { routeOf } = createGateway({ upstreams: [upstream('ollama', patterns), upstream('openrouter', [])] })
    expect(routeOf('sonnet', isOwn)).toMatchObject({
      to: { name: 'ollama' },
      model: 'qwen3',
      fallbacks: [
        { to: { name: 'openrouter' }, model: 'openai/gpt-5' },
        { to: { name: 'ollama' }, model: 'openai/gpt-oss' },
      ],
    })
  })

  test('with a single name to its own upstream, also where the name begins with another', () => {
    const to = upstream('openrouter', [['sonnet', 'openai/gpt-5']])
    const { routeOf } = createGateway({ upstreams: [to, upstream('openai', [])] })
    expect(routeOf('sonnet', isOwn)).toEqual({ to, model: 'openai/gpt-5' })
  })

  test('of its own to csp', () => {
    expect(gateway.routeOf('sonar', isOwn)).toBe('own')
    expect(gateway.routeOf('chat-haiku', isOwn)).toBe('own')
    expect(gateway.routeOf('local', (name) => name === 'local')).toMatchObject({ model: 'qwen3:14b' })
  })

  test.each([
    ...['claude-opus-4-1', 'opus', 'anthropic/claude-opus-4-1', ' opus '],
    ...['fable', 'Fable[1m]', 'anthropic/fable', 'opusplan', 'claude-mythos-6'],
  ])('of Claude that no pattern matches nowhere, unless it serves Claude: %s', (name) => {
    expect(gateway.routeOf(name, () => true)).toBe('unknown')
    const serving = createGateway({ upstreams: gateway.upstreams, servesClaude: true })
    expect(serving.routeOf(name, () => true)).toBe('own')
  })

  test('that is no pattern into its list, with each model by a name that Claude Code lists', () => {
    const ids = gateway.models.map(({ id }) => id)
    expect(ids.filter((id) => !id.startsWith('anthropic/'))).toEqual(['local'])
    for (const { id, title } of gateway.models.filter((listed) => listed.id !== listed.title)) {
      expect(id).toBe(`anthropic/${title}`)
      expect(gateway.routeOf(id, () => true)).toEqual(gateway.routeOf(title, () => true))
    }
    expect(ids).toContain('anthropic/ollama/qwen3:14b')
    expect(new Set(ids).size).toBe(ids.length)
  })
})

test('an upstream stands as its layers say, and is ready where it has none; all of them are closed', async () => {
  let closed = 0
  const close = async () => {
    await Bun.sleep(0)
    closed++
  }
  const [first, second] = [upstream('a', []), upstream('b', [])]
  const health = () => ({ name: 'a', ready: false, problem: 'It is down.' })
  const upstreams = [{ ...first, health }, second].map((one) => ({ ...one, upstream: { ...one.upstream, close } }))
  const gateway = createGateway({ upstreams })
  expect(gateway.health()).toEqual([health(), { name: 'b', ready: true }])
  await gateway.close()
  expect(closed).toBe(2)
})

function upstream(name: string, patterns: ModelPatterns): GatewayUpstream {
  return {
    name,
    patterns,
    isAnthropic: false,
    native: async () => undefined,
    upstream: {
      name,
      async *send() {},
      async close() {},
    },
  }
}
