import { expect, test } from 'bun:test'
import { attended } from '../src/attended.ts'

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
  expect(await items.next()).toEqual({ done: true, value: undefined })
  expect(notes).toEqual([])
})

/** A source that says when it is asked to end, and has ended a moment later, perhaps with an error. */
function slowToEnd(notes: unknown[], error?: Error): AsyncIterableIterator<number> {
  return {
    next: async () => ({ done: false, value: 1 }),
    async return() {
      notes.push('leaving')
      await Promise.resolve()
      if (error) throw error
      notes.push('left')
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

test.each(['return', 'throw', 'dispose'] as const)('items that are left by %s have ended then, once', async (way) => {
  const notes: unknown[] = []
  const items = attended(() => ({
    items: slowToEnd(notes),
    async onEnd() {
      await new Promise((resolve) => setImmediate(resolve))
      notes.push('end')
    },
  }))
  await items.next()
  if (way === 'return') expect(await items.return()).toEqual({ done: true, value: undefined })
  if (way === 'throw') await expect(items.throw(new Error('thrown in'))).rejects.toThrow('thrown in')
  if (way === 'dispose') await items[Symbol.asyncDispose]()
  expect(notes).toEqual(['leaving', 'left', 'end'])
  await items.return()
  expect(notes).toHaveLength(3)
})

test('an error of a source that is left is the failure, and the work beside it has ended by then', async () => {
  const notes: unknown[] = []
  const items = attended(() => ({
    items: slowToEnd(notes, new Error('torn')),
    async onEnd() {
      await new Promise((resolve) => setImmediate(resolve))
      notes.push('end')
    },
    failure: (error) => new Error('replaced', { cause: error }),
  }))
  await items.next()
  await expect(items.return()).rejects.toMatchObject({ message: 'replaced', cause: { message: 'torn' } })
  expect(notes).toEqual(['leaving', 'end'])
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

test('any number of items are passed on in the place of one', async () => {
  const doubled = attended(() => ({ items: numbers(4), instead: (item) => (item % 2 === 0 ? [item, item * 10] : []) }))
  expect(await Array.fromAsync(doubled)).toEqual([2, 20, 4, 40])
})

test('a consumer that leaves between two items in the place of one gets no other', async () => {
  const notes: unknown[] = []
  const items = attended(() => ({
    items: numbers(9, () => notes.push('left')),
    instead: (item) => [item, item],
    onEnd: () => notes.push('end'),
  }))
  await items.next()
  await items.return()
  expect(notes).toEqual(['left', 'end'])
  expect(await items.next()).toEqual({ done: true, value: undefined })
})

test('items that begin later are left when they have begun, and their error is the failure', async () => {
  const notes: unknown[] = []
  const begun = Promise.withResolvers<void>()
  const late = attended(async () => {
    await begun.promise
    return { items: numbers(9, () => notes.push('left')), onEnd: () => notes.push('end') }
  })
  const first = late.next()
  const left = late.return()
  begun.resolve()
  expect(await first).toEqual({ done: false, value: 1 })
  await left
  expect(notes).toEqual(['left', 'end'])

  const failing = attended<number>(async () => {
    throw new Error('closed')
  })
  await expect(failing.next()).rejects.toThrow('closed')
})

test('the work at the end of items is done once, however many are asked for at their end', async () => {
  const notes: unknown[] = []
  const items = attended(() => ({ items: numbers(1), onEnd: () => notes.push('end') }))
  await items.next()
  const over = { done: true, value: undefined } as const
  expect(await Promise.all([items.next(), items.next()])).toEqual([over, over])
  expect(notes).toEqual(['end'])
})

test('items end when the work at their end has ended', async () => {
  const notes: unknown[] = []
  const items = attended(() => ({
    items: numbers(1),
    async onEnd() {
      await Promise.resolve()
      notes.push('released')
    },
  }))
  await Array.fromAsync(items)
  expect(notes).toEqual(['released'])
})
