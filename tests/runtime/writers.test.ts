import { describe, expect, test } from 'bun:test'
import { collect } from '../../src/domain/answer.ts'
import { loadConfig } from '../../src/runtime/config/config.ts'
import { checkWriters, modelsThatWrite, modelWriter, payees } from '../../src/runtime/writers.ts'
import { requestFor } from '../support/fake-executor.ts'

const ollama = '[{"name": "ollama", "url": "http://localhost:11434"}]'
const start = (environment: Readonly<Record<string, string>>, flags: Readonly<Record<string, string | true>> = {}) => {
  const { config } = loadConfig(flags, environment, '/')
  checkWriters(config, environment)
  return config.writers
}

describe('the writers', () => {
  test.each([
    [{}, undefined],
    [{ CSP_WRITERS: 'claude' }, ['claude']],
    [{ CSP_WRITERS: 'claude, ollama/qwen3:4b', CSP_GATEWAY: ollama }, ['claude', 'ollama/qwen3:4b']],
    [{ CSP_WRITERS: 'Ollama/hf.co/a/b', CSP_GATEWAY: ollama }, ['Ollama/hf.co/a/b']],
    [{ CSP_WRITERS: 'local/x', OPENAI_BASE_URL: 'http://localhost:11434/v1' }, ['local/x']],
    [{ CSP_WRITERS: 'messages', CSP_ANTHROPIC_API_KEY: 'sk-x' }, ['messages']],
  ])('may be those of %j', (environment, expected) => {
    expect(start(environment as Record<string, string>)).toEqual(expected)
  })

  test.each([
    [
      'searxng',
      'CSP_WRITERS must be some of claude, messages and models of the gateway such as ollama/qwen3, not "searxng"',
    ],
    [
      'claude,gpt-5',
      'CSP_WRITERS must be some of claude, messages and models of the gateway such as ollama/qwen3, not "claude,gpt-5"',
    ],
    ['messages', 'The writer messages needs a key of its own: set CSP_ANTHROPIC_API_KEY.'],
    ['openrouter/x', 'The writer openrouter/x needs an upstream "openrouter" of the gateway, which has ollama'],
  ])('may not be %s, which is said at the start', (writers, message) => {
    expect(() => start({ CSP_WRITERS: writers, CSP_GATEWAY: ollama })).toThrow(message)
  })

  test('that cannot write are not told what they lack', () => {
    expect(() => start({ CSP_WRITERS: 'brave' })).not.toThrow('BRAVE_API_KEY')
  })

  test('may not be models of a gateway that has no upstream, or whose upstream lacks its key', () => {
    expect(() => start({ CSP_WRITERS: 'ollama/qwen3' })).toThrow('of the gateway, which has none')
    const keyless = '[{"name": "far", "url": "https://far.example/v1"}]'
    expect(() => start({ CSP_WRITERS: 'far/x', CSP_GATEWAY: keyless })).toThrow('needs a key')
  })

  test('need no upstream on the sandbox, whose own stands for all', () => {
    expect(start({ CSP_WRITERS: 'ollama/qwen3,messages' }, { sandbox: true })).toEqual(['ollama/qwen3', 'messages'])
  })
})

test('the models that write stand in the ledger under their upstream', () => {
  const config = { writers: ['claude', 'Ollama/hf.co/a/b', 'local/x'] }
  expect(modelsThatWrite(config)).toEqual(['Ollama/hf.co/a/b', 'local/x'])
  expect(payees(config)).toEqual(['gateway/ollama', 'gateway/local'])
  expect([modelsThatWrite({}), payees({})]).toEqual([[], []])
})

test.each([
  ['Ollama/hf.co/a/b', ['ollama', 'sandbox'], 'ollama', 'hf.co/a/b'],
  ['ollama/qwen3:4b', ['sandbox'], 'sandbox', 'qwen3:4b'],
])('a writer %s of the upstreams %j asks %s for %s', async (name, names, chosen, model) => {
  const asked: unknown[] = []
  const upstreams = names.map((upstream) => ({
    name: upstream,
    upstream: {
      async *send(_: unknown, { model: wanted }: { model: string }) {
        asked.push([upstream, wanted])
        yield* []
        throw new Error('No.')
      },
    },
  }))
  const writer = modelWriter(name, { gateway: { upstreams } as never, onCall: () => {} })
  expect(writer.name).toBe(name)
  const request = requestFor('seals', { want: 'text' })
  await collect(writer.search(request, { signal: new AbortController().signal })).catch(() => {})
  expect(asked[0]).toEqual([chosen, model])
})

test('a writer of a gateway that does not have its upstream cannot be used', () => {
  const gateway = { upstreams: [{ name: 'other' }] } as never
  expect(() => modelWriter('ollama/x', { gateway, onCall: () => {} })).toThrow(
    'The writer ollama/x cannot be used here.',
  )
})
