import { expect, test } from 'bun:test'
import { ThoughtSegment } from '../../src/responses/reply/thought-segment.ts'
import { readItem, signItem, type Thought } from '../../src/responses/thought.ts'

const thinker = { baseUrl: 'https://a.example', model: 'm' }

test.each([
  [
    { id: 'rs_1', encrypted: 'xx' },
    'Hm.',
    { summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: 'xx' },
  ],
  [{ id: 'rs_1', encrypted: 'xx' }, '', { summary: [], encrypted_content: 'xx' }],
  [{ id: 'rs_1', isRaw: true }, 'Hm.', { summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] }],
  [
    { id: 'rs_1', isRaw: true, encrypted: 'xx' },
    'Hm.',
    { summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }], encrypted_content: 'xx' },
  ],
  // Nothing is stored there to find it by.
  [{ id: 'rs_1' }, 'Hm.', undefined],
] as const)('the thought %j with the words %j goes back as %j', (thought, words, item) => {
  const signature = signItem(thought, thinker)
  expect<unknown>(readItem(signature, words, thinker)).toEqual(item && { type: 'reasoning', id: 'rs_1', ...item })
  expect(readItem(signature, words, { ...thinker, model: 'other' })).toBeUndefined()
  expect(readItem(signature, words, { ...thinker, baseUrl: 'other' })).toBeUndefined()
  expect(readItem(signature.slice(1), words, thinker)).toBeUndefined()
})

function segment() {
  const signed: Thought[] = []
  const made = new ThoughtSegment((thought) => {
    signed.push(thought)
    return 'signature'
  })
  const words = () => made.take().map((delta) => (delta.type === 'thinking_delta' ? delta.thinking : delta))
  return { made, signed, words }
}

test('the summaries of a thought are paragraphs of one block, which begins with the first word', () => {
  const { made, signed, words } = segment()
  made.pushSummary('', 0)
  expect([made.start(), words()]).toEqual([undefined, []])
  made.pushSummary('One ', 0)
  made.pushSummary('more.', 0)
  made.pushSummary('Two.', 1)
  expect([made.start(), words(), words()]).toEqual([
    ...[{ type: 'thinking', thinking: '', signature: '' }, ['One more.\n\nTwo.'], []],
  ])
  made.identify('rs_1', 'xx')
  made.identify(null, undefined)
  expect(made.end()).toEqual([{ type: 'signature_delta', signature: 'signature' }])
  expect(signed).toEqual([{ id: 'rs_1', encrypted: 'xx', isRaw: false }])
})

test('a first summary that has no words leaves no blank lines', () => {
  const { made, words } = segment()
  made.pushSummary('', 0)
  made.pushSummary('Two.', 1)
  expect(words()).toEqual(['Two.'])
})

test('a thought without words is a block when it is whole and encrypted', () => {
  const { made } = segment()
  made.isComplete = true
  expect(made.start()).toBeUndefined()
  made.identify('rs_1', 'xx')
  expect(made.start()).toBeDefined()
  made.isComplete = false
  expect(made.start()).toBeUndefined()
})

test('the words of a thought itself are signed as such', () => {
  const { made, signed } = segment()
  made.pushRaw('Hm.')
  made.end()
  expect(signed).toEqual([{ id: '', encrypted: undefined, isRaw: true }])
})
