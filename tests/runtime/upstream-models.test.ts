import { afterEach, beforeEach, describe, expect, type Mock, spyOn, test } from 'bun:test'
import { askModels, isListed, shownModels } from '../../src/runtime/upstream-models.ts'

let send: Mock<typeof globalThis.fetch>
let replies: (() => Response)[]
beforeEach(() => {
  replies = []
  send = spyOn(globalThis, 'fetch').mockImplementation((async () => {
    const [reply] = replies.splice(0, 1)
    if (!reply) throw new Error('Nothing listens there.')
    return reply()
  }) as never)
})
afterEach(() => send.mockRestore())

/** The addresses that were asked. */
const addresses = () => send.mock.calls.map(([url]) => String(url))
const headersOf = (call: number) => Object(send.mock.calls[call]?.[1]?.headers)
const lists =
  (value: unknown, status = 200) =>
  () =>
    Response.json(value, { status })

describe('an upstream is asked for its models', () => {
  test.each([
    ['https://a.example', 'compatible', 'https://a.example/v1/models'],
    ['https://a.example/', 'native', 'https://a.example/v1/models'],
    ['https://a.example/v1/', 'native', 'https://a.example/v1/models'],
    ['https://a.example/anthropic', 'native', 'https://a.example/anthropic/v1/models'],
    ['https://a.example/openai', 'compatible', 'https://a.example/openai/models'],
  ] as const)('at %s, which is %s, by %s', async (url, shape, address) => {
    replies = [lists({ data: [{ id: 'm', more: 1 }] })]
    expect(await askModels({ url, shape, key: 'k' })).toMatchObject({ status: 200, models: ['m'] })
    expect(addresses()).toEqual([address])
    expect(headersOf(0)).toEqual({ 'anthropic-version': '2023-06-01', 'x-api-key': 'k', authorization: 'Bearer k' })
    expect(send.mock.calls[0]?.[1]).toMatchObject({ redirect: 'manual' })
  })

  test('without a key it does not have, and without a bearer token at Anthropic', async () => {
    await askModels({ url: 'https://a.example', shape: 'auto' })
    for (const host of ['api.anthropic.com', 'notanthropic.com'])
      await askModels({ url: `https://${host}`, shape: 'auto', key: 'k' })
    expect([headersOf(0), headersOf(1), headersOf(2)].map((headers) => Object.keys(headers).slice(1))).toEqual([
      [],
      ['x-api-key'],
      ['x-api-key', 'authorization'],
    ])
  })

  test.each<[unknown, readonly string[] | undefined]>([
    [{ data: [{ id: 'a' }, { id: 'b' }] }, ['a', 'b']],
    [{ models: [{ name: 'c' }] }, ['c']],
    [{ data: [{ id: 'a' }], models: [{ name: 'c' }] }, ['a', 'c']],
    [{ data: null, models: [{ name: 'c' }] }, ['c']],
    [{ data: [{ id: 'a' }], models: 'none' }, ['a']],
    [{ data: [] }, []],
    [{ error: 'no' }, undefined],
    [[], undefined],
  ])('and lists them so: %j', async (value, models) => {
    replies = [lists(value)]
    const place = { url: 'https://a.example', shape: 'auto' } as const
    const { entries: _, ...reply } = await askModels(place)
    expect(reply).toEqual({ status: 200, ...(models && { models }) })
  })

  test('and tells its status where it lists none', async () => {
    const place = { url: 'https://a.example', shape: 'auto' } as const
    replies = [lists({ data: [{ id: 'a' }] }, 401)]
    expect(await askModels(place)).toEqual({ status: 401 })
    expect(await askModels(place)).toEqual({ status: undefined })
    // A reply that would fill the memory is none.
    replies = [() => new Response('x'.repeat(4_000_001))]
    expect((await askModels(place)).models).toBeUndefined()
  })

  test('and OpenRouter, whose list is open to all, for what it says of the key', async () => {
    const place = { url: 'https://openrouter.ai/api/v1', shape: 'compatible', key: 'k' } as const
    const list = lists({ data: [{ id: 'a' }] })
    replies = [list, lists({}, 401), list, lists({}), lists({}, 500)]
    expect(await askModels(place)).toEqual({ status: 401 })
    expect(await askModels(place)).toMatchObject({ status: 200, models: ['a'] })
    expect(await askModels(place)).toEqual({ status: 500 })
    expect(addresses().map((url) => url.split('/').at(-1))).toEqual(['models', 'key', 'models', 'key', 'models'])
  })
})

test('a model is in a list by its name, with the usual tag of Ollama, or by its path at Google', () => {
  const listed = ['a', 'b:latest', 'models/c', 'd:8b']
  expect(['a', 'b', 'b:latest', 'c', 'd', 'e'].map((model) => isListed(model, listed))).toEqual([
    true,
    true,
    true,
    true,
    false,
    false,
  ])
})

test('twelve models are shown, and that there are more', () => {
  const names = Array.from({ length: 13 }, (_, at) => `m${at}`)
  expect(shownModels(names.slice(0, 12))).toBe(names.slice(0, 12).join(', '))
  expect(shownModels(names)).toBe(`${names.slice(0, 12).join(', ')}, …`)
})
