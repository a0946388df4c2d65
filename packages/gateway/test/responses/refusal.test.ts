import { expect, test } from 'bun:test'
import { refusedByResponses } from '../../src/responses/refusal.ts'
import type { ResponsesBody } from '../../src/responses/request/body.ts'
import { effortFeature } from '../../src/translation/request/thinking.ts'
import { nothing, refusalOf } from '../support/refusal-of.ts'

const body = {
  ...{ model: 'm', stream: true, reasoning: { effort: 'high', summary: 'auto' }, temperature: 1 },
  input: [
    { type: 'reasoning', id: 'rs_1' },
    { type: 'message', content: [{ type: 'input_image', image_url: 'data:' }] },
  ],
} as unknown as ResponsesBody
const plain = {
  model: 'm',
  stream: true,
  temperature: 1,
  input: [{ type: 'message', content: [] }],
} as unknown as ResponsesBody

const thoughts = { feature: 'earlier-thoughts', isOfModel: false }
const ofModel = (feature: string) => ({ feature, isOfModel: true })

test.each([
  [400, { code: 'invalid_encrypted_content', message: 'No.' }, thoughts, undefined],
  [404, { message: "Item 'rs_1' is not there." }, thoughts, undefined],
  [400, { message: 'The encrypted content could not be read.' }, thoughts, undefined],
  [401, { code: 'invalid_encrypted_content', message: 'No.' }, undefined, undefined],
  [400, { code: 'other', message: 'No.' }, undefined, undefined],
  [
    400,
    { code: 'unsupported_parameter', param: 'reasoning.summary', message: 'No.' },
    ofModel('reasoning.summary'),
    undefined,
  ],
  [400, { param: 'reasoning.summary', message: 'It is not supported.' }, ofModel('reasoning.summary'), undefined],
  [400, { param: 'reasoning.summary', message: 'Odd.' }, ofModel('reasoning'), undefined],
  [
    400,
    { param: 'reasoning.effort', code: 'unsupported_value', message: 'No.' },
    ofModel(effortFeature('high')),
    undefined,
  ],
  [400, { message: 'Images are not supported.' }, ofModel('images'), undefined],
  [400, { param: 'temperature', message: 'Unsupported.' }, ofModel('temperature'), ofModel('temperature')],
])('a provider that says %i %j refuses %j, and of a plain request %j', (status, error, refused, ofPlain) => {
  const refusal = refusalOf(status, JSON.stringify({ error }))
  expect([refusedByResponses(refusal, body, nothing), refusedByResponses(refusal, plain, nothing)]).toEqual([
    refused,
    ofPlain,
  ])
})
