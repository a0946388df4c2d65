import { expect, test } from 'bun:test'
import { examplePage } from '../../../../src/api/serve/example.ts'
import type { Receipt } from '../../../../src/domain/receipt.ts'
import { sha256 } from '../../../../src/lib/bytes.ts'
import { readAgain } from '../../../../src/runtime/cli/receipt/again.ts'

test('a page with the same words is the same, though a cited passage is not found on it', async () => {
  const url = 'https://a.example/park'
  const [content, passage] = ['The park has lakes.', { text: 'Herons nest there.', place: 0, source: 1 }]
  const receipt = {
    sources: [{ number: 1, url, title: 'Park', hash: await sha256(content), passages: [] }],
    sentences: [
      { sentence: 'Herons nest there.', start: 0, end: 18, verdict: 'found', score: 1, sources: [1], passage },
    ],
  } as unknown as Receipt
  const statesOf = async (text: string) =>
    (await readAgain(receipt, async () => ({ ...examplePage(url), content: text }))).map(({ state, gone }) => [
      state,
      gone,
    ])
  expect(await statesOf(content)).toEqual([['same', []]])
  expect(await statesOf(`${content} And more.`)).toEqual([['changed', ['Herons nest there.']]])
})
