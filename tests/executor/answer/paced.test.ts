import { expect, test } from 'bun:test'
import { paced } from '../../../src/executor/answer/paced.ts'

const text = (length: number) => ({ type: 'text-delta', text: 'x'.repeat(length) }) as const

test('texts come in pieces of 1,000 characters at most, none of them empty, and other events as they are', async () => {
  const end = { type: 'done' } as const
  async function* events() {
    yield* [text(2000), text(1001), end, text(0), text(1)]
  }
  expect(await Array.fromAsync(paced(events()))).toEqual([text(1000), text(1000), text(1000), text(1), end, text(1)])
})
