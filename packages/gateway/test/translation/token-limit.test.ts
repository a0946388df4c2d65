import { expect, test } from 'bun:test'
import { toldTokenLimit } from '../../src/translation/token-limit.ts'

const model = (tokens: number) => ({ tokens, isOfModel: true })
const left = (tokens: number) => ({ tokens, isOfModel: false })
const context = (prompt: string) =>
  `This model's maximum context length is 8,192 tokens. However, you requested more (${prompt}, 4096 in the completion).`

test.each([
  ['max_tokens: at most 4,096 completion tokens', model(4096)],
  ['max_tokens must be less than or equal to `4096`', model(4096)],
  ['max_completion_tokens must be <= 4096', model(4096)],
  ['the range of max_tokens is [1, 4096]', model(4096)],
  ['max_output_tokens: 9999 > 4096, which is the maximum', model(4096)],
  [context('7000 in the messages'), left(1192)],
  [context('7936 input tokens'), left(256)],
  // Hardly anything is left.
  [context('7937 input tokens'), undefined],
  ['max_tokens: at most 255', undefined],
  ['max_tokens: at most 256', model(256)],
  ['max_tokens: at most 9998', model(9998)],
  ['max_tokens: at most 9999', undefined],
  ["max_tokens: this model's maximum context length is 8192", undefined],
  ['temperature: at most 4096', undefined],
  ['max_tokens is odd', undefined],
])('a provider that says %j has the limit %j', (message, limit) => {
  const body = JSON.stringify({ error: { message } })
  for (const status of [400, 422]) expect(toldTokenLimit({ status, body }, 9999)).toEqual(limit)
  for (const status of [200, 500]) expect(toldTokenLimit({ status, body }, 9999)).toBeUndefined()
  expect(toldTokenLimit({ status: 400, body }, undefined)).toBeUndefined()
})

test('the parameter may stand beside the message', () => {
  const body = JSON.stringify({ error: { message: 'at most 4096', param: 'max_tokens' } })
  expect(toldTokenLimit({ status: 400, body }, 9999)).toEqual(model(4096))
})
