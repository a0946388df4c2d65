import { describe, expect, test } from 'bun:test'
import { availableModels } from '../../../../src/runtime/cli/run/run.ts'

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
