import { describe, expect, test } from 'bun:test'
import { contextVariable, factsOfMain, inWords } from '../../src/runtime/cli/run/model-facts.ts'
import { abilities, askFacts, learnedFacts } from '../../src/runtime/upstream-facts.ts'
import { askModels } from '../../src/runtime/upstream-models.ts'
import type { UpstreamPlan } from '../../src/runtime/upstream-plans.ts'
import { serveApi } from '../executor/backends/http/api-server.ts'

// What servers say of their models, in the shapes of their documents.

async function factsAt(routes: Readonly<Record<string, unknown>>, model = 'm') {
  await using server = serveApi(({ url: address }) => {
    const url = new URL(address)
    const found = routes[url.pathname]
    return found === undefined ? new Response('', { status: 404 }) : Response.json(found)
  })
  const place = { url: `${server.url}/v1`, shape: 'auto' } as const
  const { context, lacks } = await askFacts(place, model, await askModels(place))
  return [context, abilities.filter((ability) => lacks.has(ability)).join(' ')]
}

const listed = (entry: object) => ({ '/v1/models': { object: 'list', data: [{ id: 'other' }, { id: 'm', ...entry }] } })

describe('what a list says of a model', () => {
  test.each<[string, object, number | undefined, string]>([
    ['vLLM', { max_model_len: 32768, owned_by: 'vllm' }, 32768, ''],
    [
      'OpenRouter',
      {
        context_length: 262144,
        top_provider: { context_length: 131072, max_completion_tokens: 8192 },
        architecture: { input_modalities: ['text'] },
        supported_parameters: ['tools', 'temperature'],
      },
      131072,
      'images thinking',
    ],
    [
      'OpenRouter, a model that takes all',
      {
        context_length: 200000,
        top_provider: { context_length: null },
        architecture: { input_modalities: ['text', 'image'] },
        supported_parameters: ['tools', 'reasoning'],
      },
      200000,
      '',
    ],
    ['Groq', { context_window: 131072, max_completion_tokens: 32768, active: true }, 131072, ''],
    [
      'Mistral',
      { max_context_length: 128000, capabilities: { function_calling: true, vision: false } },
      128000,
      'images',
    ],
    ['Copilot', { capabilities: { limits: { max_prompt_tokens: 64000 }, supports: {} } }, 64000, ''],
    ['DeepInfra', { metadata: { context_length: 40960 } }, 40960, ''],
    ['Novita', { context_size: 65536 }, 65536, ''],
    ['nobody', { object: 'model', created: 0 }, undefined, ''],
    ['a server that does not know', { max_model_len: 0 }, undefined, ''],
    ['a server that says it in words', { context_length: '128k' }, undefined, ''],
  ])('as %s does', async (_name, entry, context, lacks) => {
    expect(await factsAt(listed(entry))).toEqual([context, lacks])
  })
})

describe('what local servers say elsewhere', () => {
  const shown = (more: object) => ({
    '/v1/models': { data: [{ id: 'm:latest' }] },
    '/api/show': { model_info: { 'qwen3.context_length': 40960 }, ...more },
  })

  test.each<[string, object, number | undefined, string]>([
    [
      'Ollama, of a loaded model',
      { ...shown({ parameters: 'num_ctx 8192' }), '/api/ps': { models: [{ name: 'm:latest', context_length: 4096 }] } },
      4096,
      '',
    ],
    [
      'Ollama, of its file',
      {
        ...shown({ parameters: 'stop "x"\nnum_ctx                        16384\ntemperature 1' }),
        '/api/ps': { models: [] },
      },
      16384,
      '',
    ],
    [
      'Ollama, of the model alone',
      { ...shown({ capabilities: ['completion', 'tools'] }) },
      undefined,
      'images thinking',
    ],
    ['Ollama, of a small model', { ...shown({ capabilities: ['completion'] }) }, undefined, 'tools images thinking'],
    [
      'llama.cpp',
      {
        ...listed({ meta: { n_ctx_train: 131072 } }),
        '/props': { default_generation_settings: { n_ctx: 24576 }, modalities: { vision: false } },
      },
      24576,
      'images',
    ],
    [
      'LM Studio',
      {
        ...listed({}),
        '/api/v0/models': {
          data: [{ id: 'm', type: 'vlm', loaded_context_length: 12288, max_context_length: 131072 }],
        },
      },
      12288,
      '',
    ],
    [
      'LM Studio, of a model that is not loaded',
      { ...listed({}), '/api/v0/models': { data: [{ id: 'm', type: 'llm', max_context_length: 131072 }] } },
      undefined,
      'images',
    ],
    ['nobody', listed({}), undefined, ''],
  ])('as %s', async (_name, routes, context, lacks) => {
    expect(await factsAt({ ...routes })).toEqual([context, lacks])
  })
})

test('what csp has learned counts, too', () => {
  const { context, lacks } = learnedFacts(['context>40000', 'images', 'reasoning_effort', 'max_tokens>8192', 'top_k'])
  expect([context, [...lacks].sort()]).toEqual([40000, ['images', 'thinking']])
  expect(learnedFacts([])).toEqual({ lacks: new Set() })
})

describe('csp run', () => {
  const plan: UpstreamPlan = { name: 'a', url: 'https://a.example/v1', shape: 'auto', patterns: [], provider: {} }
  const entries = new Map<string, unknown>([
    ['big', { max_model_len: 64000 }],
    ['middle', { max_model_len: 32000 }],
    ['small', { max_model_len: 8000 }],
  ])
  const lists = new Map([['a', { status: 200, entries }]])
  const known = (refused: readonly string[], model = 'middle') => [
    { baseUrl: 'https://a.example/v1/responses', model, refused, expiresAt: 0 },
  ]
  const models = { opus: 'a/big', sonnet: 'a/middle', haiku: 'a/small' }

  test('tells the smallest context of the models that work, not of the small one', async () => {
    const facts = await factsOfMain(models, [plan], lists, [])
    expect(contextVariable(facts)).toEqual({ CLAUDE_CODE_MAX_CONTEXT_TOKENS: '32000' })
    expect(inWords(models, facts)).toBe('a/middle and a/big: a context of 32,000 tokens.')
    const small = { haiku: 'a/small' }
    expect((await factsOfMain(small, [plan], lists, [])).context).toBe(8000)
  })

  test('tells what was learned of them, and nothing of a silent list', async () => {
    const learned = await factsOfMain(models, [plan], lists, known(['context>20000', 'images']))
    expect(inWords(models, learned)).toBe('a/middle and a/big: a context of 20,000 tokens, no images.')
    const silent = await factsOfMain({ sonnet: 'a/none' }, [plan], lists, known(['images']))
    expect(inWords({ sonnet: 'a/none' }, silent)).toBeUndefined()
    expect(contextVariable(silent)).toEqual({})
  })
})
