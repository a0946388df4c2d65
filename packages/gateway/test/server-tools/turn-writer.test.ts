import { describe, expect, test } from 'bun:test'
import { KnownAddresses } from '../../src/server-tools/known-addresses.ts'
import { addUsage, TurnWriter } from '../../src/server-tools/turn-writer.ts'

describe('the addresses that a model may read', () => {
  const asked = (...content: readonly unknown[]) =>
    new KnownAddresses({
      model: 'm',
      system: 'Read https://system.example/.',
      messages: [
        { role: 'user', content: content as never },
        { role: 'assistant', content: 'See https://invented.example/?all=secrets' },
      ],
    })

  test('are those of the user, of results and of what was found', () => {
    const known = asked(
      { type: 'text', text: 'See https://a.example/x#part.' },
      { content: ['{"u":"https:\\/\\/b.example\\/"}'] },
    )
    for (const url of [
      'https://a.example/x',
      'https://a.example/x#other',
      'https://b.example/',
      'https://system.example',
    ])
      expect(known.has(url)).toBe(true)
    for (const url of ['https://invented.example/?all=secrets', 'https://a.example/', 'no address', ''])
      expect(known.has(url)).toBe(false)
    known.add('Found: https://c.example/page')
    expect(known.has('https://c.example/page')).toBe(true)
    expect(known.has('https://a.example/x')).toBe(true)
  })

  test('are found however deep they stand', () => {
    let deep: unknown = 'https://deep.example/'
    for (let depth = 0; depth < 100_000; depth++) deep = [deep]
    expect(asked(deep).has('https://deep.example/')).toBe(true)
  })
})

test('what several replies cost is their sum, and what none tells is not there', () => {
  const usage = (input: number, output: number, more: object = {}) => ({
    input_tokens: input,
    output_tokens: output,
    ...more,
  })
  expect(addUsage(undefined, usage(1, 2))).toEqual(usage(1, 2))
  expect(addUsage(usage(1, 2, { cache_read_input_tokens: 5 }), usage(3, 4, { service_tier: 'x' }))).toEqual({
    ...usage(4, 6, { service_tier: 'x', cache_read_input_tokens: 5 }),
    cache_creation_input_tokens: undefined,
  } as never)
})

test('a citation has the first 150 characters of its excerpt, none of them cut in two', () => {
  const writer = new TurnWriter()
  const page = { url: 'https://a.example/', title: 'A', encryptedIndex: 'x' }
  writer.addPages([
    { ...page, excerpt: '🦭'.repeat(151) },
    { ...page, excerpt: 'Seals bark.' },
  ])
  const events = [...writer.whole({ type: 'text', text: '' }, { type: 'text_delta', text: 'They bark [1] [2].' })]
  const cited = events.flatMap((event) =>
    event.type === 'content_block_delta' && event.delta.type === 'citations_delta' ? [event.delta['citation']] : [],
  )
  expect(cited).toMatchObject([{ cited_text: '🦭'.repeat(150) }, { cited_text: 'Seals bark.' }])
})

test('a bracket that stays open goes out with the end of its text', () => {
  const writer = new TurnWriter()
  writer.addPages([{ url: 'https://a.example/', title: 'A', excerpt: 'Seals bark.', encryptedIndex: 'x' }])
  const events = [...writer.whole({ type: 'text', text: '' }, { type: 'text_delta', text: 'They bark [1' })]
  const text = events.map((event) =>
    event.type === 'content_block_delta' && event.delta.type === 'text_delta' ? event.delta.text : '',
  )
  expect(text.join('')).toBe('They bark [1')
  const [, none] = writer.whole({ type: 'tool_use', id: 'a' }, { type: 'input_json_delta', partial_json: '{"a":[1' })
  expect(none).toMatchObject({ delta: { partial_json: '{"a":[1' } })
})
