import { describe, expect, test } from 'bun:test'
import { factsOfMain } from '../../../../src/runtime/cli/run/model-facts.ts'
import { availableModels } from '../../../../src/runtime/cli/run/run.ts'
import { loadConfig } from '../../../../src/runtime/config/config.ts'
import { upstreamPlans } from '../../../../src/runtime/upstream-plans.ts'

const wanted = { opus: 'local/gpt-5', sonnet: 'local/gpt-5', haiku: 'local/gpt-5-mini' }

async function available(models: Readonly<Record<string, string>>, reply: () => Response) {
  const asked: string[] = []
  await using server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      asked.push(`${new URL(request.url).pathname} ${request.headers.get('authorization')}`)
      return reply()
    },
  })
  const url = `http://127.0.0.1:${server.port}/v1`
  const plan = { name: 'local', url, key: 'k', shape: 'auto', patterns: [], provider: {} } as const
  const { models: found } = await availableModels(models, [plan])
  expect(asked).toEqual(['/v1/models Bearer k'])
  return found
}

const listing =
  (...ids: readonly string[]) =>
  () =>
    Response.json({ data: ids.map((id) => ({ id })) })

describe('The models of csp run', () => {
  test('are the only one that the upstream has, beside those for embeddings', async () => {
    const only = { opus: 'local/qwen3:14b', sonnet: 'local/qwen3:14b', haiku: 'local/qwen3:14b' }
    expect(await available(wanted, listing('qwen3:14b', 'nomic-embed-text'))).toEqual(only)
  })

  test('stay as they are where the upstream has them', async () => {
    const named = { sonnet: 'local/qwen3', haiku: 'local/gemma' }
    expect(await available(named, listing('qwen3:latest', 'models/gemma', 'other'))).toEqual(named)
  })

  test('are an error that names what there is, where none of them is', async () => {
    const message =
      'does not list gpt-5, gpt-5-mini. Name one of its models: ANTHROPIC_DEFAULT_SONNET_MODEL=MODEL csp run'
    await expect(available(wanted, listing('a', 'b'))).rejects.toThrow(message)
    await expect(available(wanted, listing('a', 'b'))).rejects.toThrow('It has: a, b')
  })

  test.each([
    ['fails', () => new Response('no', { status: 500 })],
    ['is of another shape', () => Response.json({ data: 'none' })],
    ['is empty', () => Response.json({ data: [] })],
  ])('stay as they are where the list %s', async (_name, reply) => {
    expect(await available(wanted, reply)).toEqual(wanted)
  })
})

test('A model that is named with [1m] is asked for without, and has a million tokens unless the server says', async () => {
  for (const [size, context] of [
    [undefined, 1_000_000],
    [131_072, 131_072],
  ] as const) {
    await using server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => Response.json({ data: [{ id: 'deep-4', context_length: size }, { id: 'other' }] }),
    })
    const environment = {
      OPENAI_BASE_URL: `http://127.0.0.1:${server.port}/v1`,
      ANTHROPIC_DEFAULT_SONNET_MODEL: 'deep-4[1m]',
      ANTHROPIC_DEFAULT_HAIKU_MODEL: 'other',
      CSP_GATEWAY: JSON.stringify([
        { name: 'mine', url: 'http://127.0.0.1:1', models: { '*opus*': ['big[1m]', 'big'] } },
      ]),
      HOME: '/nowhere',
    }
    const plans = upstreamPlans(loadConfig({}, environment, '/').config, environment)
    const models = { sonnet: 'local/deep-4', haiku: 'local/other' }
    expect(plans[0]).toMatchObject({ patterns: [['*opus*', 'big', 'big']], longModels: ['big'] })
    expect(plans[1]?.patterns.find(([pattern]) => pattern === 'sonnet')).toEqual(['sonnet', 'deep-4'])
    const { lists } = await availableModels(models, plans)
    expect((await factsOfMain(models, plans, lists, [])).context).toBe(context)
  }
})
