import { expect, test } from 'bun:test'
import { estimateInputTokens, estimateTokens } from '../src/estimate.ts'
import type { MessagesRequest } from '../src/request.ts'

test('four characters are a token, and a piece of one is one', () => {
  expect([0, 1, 4, 5].map(estimateTokens)).toEqual([0, 1, 1, 2])
})

const tokensOf = (content: MessagesRequest['messages'][number]['content']) =>
  estimateInputTokens({ model: 'm', messages: [{ role: 'user', content }] })

test('a prompt has the tokens of its words and of the names around them', () => {
  // 17 characters: `role`, `user` and `content`, and one each for `system` and `tools`, which are absent.
  expect(tokensOf('')).toBe(5)
  expect(tokensOf('x'.repeat(400)) - tokensOf('')).toBe(100)
  expect(tokensOf([{ type: 'text', text: 'x'.repeat(400) }]) - tokensOf([{ type: 'text', text: '' }])).toBe(100)
})

test('the data of an image counts as an image does, however long it is', () => {
  const image = (data: string) => tokensOf([{ type: 'image', source: { type: 'base64', data } }])
  expect(image('x'.repeat(1_000_000))).toBe(image(''))
  expect(image('') - tokensOf([{ type: 'image', source: '' }])).toBe(1600)
})

test('an image that is named by its URL or its file counts as one that is sent', () => {
  const image = (source: object) => tokensOf([{ type: 'image', source }])
  const sent = image({ type: 'base64', data: '' })
  expect(image({ type: 'url', url: 'https://a.example/a.png' })).toBe(sent)
  expect(image({ type: 'file', file_id: 'file_1' })).toBe(sent)
  const called = (input: object) => tokensOf([{ type: 'tool_use', id: 'a', name: 'fetch', input }])
  expect(called({ type: 'url', url: 'https://a.example/', depth: 1 })).toBeLessThan(50)
})
