import { expect, test } from 'bun:test'
import type { Thought } from '../../src/chat-completions/request/options.ts'
import { readSignature, signThought } from '../../src/chat-completions/signature.ts'

const thinker = { baseUrl: 'https://a.example', model: 'm' }

test.each([
  ['Hm.', { field: 'reasoning', text: 'Hm.' }],
  ['Hm.', { field: 'reasoning_content', text: 'Hm.', calls: { a: { x: 1 } } }],
  ['Hm.', { field: 'reasoning_details', details: [{ type: 'text', text: 'Hm.', summary: 'Short.', data: 'Hm.' }] }],
  ['Hm.', { field: 'reasoning_details', details: [{ text: 'Other.' }, { summary: 'Hm.' }], calls: {} }],
  ['', { field: 'reasoning_details', details: [{ text: '', data: 'x' }] }],
] as const)('a thought whose words are %j comes back as it was signed: %j', (thinking, thought) => {
  expect(readSignature(signThought(thought as Thought, thinking, thinker), thinking, thinker)).toEqual({
    calls: undefined,
    ...thought,
  } as Thought)
})

test('a signature holds no words that its block has', () => {
  const details = [{ text: 'Secret words.', summary: 'Secret words.' }]
  expect(signThought({ field: 'reasoning_details', details }, 'Secret words.', thinker)).not.toContain('Secret')
  const odd = signThought({ field: 'reasoning_details', details: ['odd'] }, 'x', thinker)
  expect(odd).toContain('"details":["odd"]')
})

test('a signature of another model, place or signer is none', () => {
  const signature = signThought({ field: 'reasoning', text: 'Hm.' }, 'Hm.', thinker)
  expect(readSignature(signature, 'Hm.', { ...thinker, model: 'other' })).toBeUndefined()
  expect(readSignature(signature, 'Hm.', { ...thinker, baseUrl: 'https://b.example' })).toBeUndefined()
  for (const other of ['', 'EqoBCkYIBxgCKkD', signature.slice(1), signature.slice(0, -1), 'csp1:{}'])
    expect(readSignature(other, 'Hm.', thinker)).toBeUndefined()
})
