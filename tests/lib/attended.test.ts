import { expect, test } from 'bun:test'
import { attended } from '../../src/lib/attended.ts'

async function* numbers(last: number, left: () => void = () => {}): AsyncGenerator<number> {
  try {
    for (let number = 1; number <= last; number++) yield number
  } finally {
    left()
  }
}

function noted(items: AsyncIterable<number>, notes: unknown[], failure?: (error: unknown) => unknown) {
  return attended(() => {
    notes.push('begin')
    return { items, onItem: (item) => notes.push(item), onEnd: () => notes.push('end'), failure }
  })
}

test('items are passed on between their beginning and their end, and nothing begins before the first next', async () => {
  const notes: unknown[] = []
  const items = noted(numbers(2), notes)
  expect(notes).toEqual([])
  expect(await Array.fromAsync(items)).toEqual([1, 2])
  expect(notes).toEqual(['begin', 1, 2, 'end'])
  expect(await items.next()).toEqual({ done: true, value: undefined })
  expect(notes).toHaveLength(4)
})

test('a consumer that leaves early ends the source first, and then the work beside it', async () => {
  const notes: unknown[] = []
  const source = numbers(9, () => notes.push('left'))
  for await (const item of noted(source, notes)) if (item === 2) break
  expect(notes).toEqual(['begin', 1, 2, 'left', 'end'])
})

test('items that are left before the first next begin nothing', async () => {
  const notes: unknown[] = []
  const items = noted(numbers(2), notes)
  await items.return()
  expect(notes).toEqual([])
})

test('an error ends the work once, and is replaced where a replacement is made', async () => {
  const notes: unknown[] = []
  const failing = (async function* () {
    yield 1
    throw new Error('the first')
  })()
  const items = noted(failing, notes, (error) => new Error('the second', { cause: error }))
  await expect(Array.fromAsync(items)).rejects.toMatchObject({ message: 'the second', cause: { message: 'the first' } })
  expect(notes).toEqual(['begin', 1, 'end'])
  expect(await items.next()).toEqual({ done: true, value: undefined })
})

test('what the beginning throws is the failure, and nothing follows it', async () => {
  const items = attended<number>(() => {
    throw new Error('closed')
  })
  await expect(items.next()).rejects.toThrow('closed')
})

test('an error of the work at an item ends the items and their source', async () => {
  const notes: unknown[] = []
  const items = attended(() => ({
    items: numbers(9, () => notes.push('left')),
    onItem: () => {
      throw new Error('too much')
    },
    onEnd: () => notes.push('end'),
  }))
  await expect(Array.fromAsync(items)).rejects.toThrow('too much')
  expect(notes).toEqual(['left', 'end'])
})
