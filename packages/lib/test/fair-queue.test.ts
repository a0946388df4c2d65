import { expect, test } from 'bun:test'
import { FairQueue, type Waiter } from '../src/fair-queue.ts'

interface Named extends Waiter {
  readonly name: string
}

const patienceMs = 1000

test('callers take turns in the queue, however many searches each has', () => {
  const queue = filled(['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'])
  expect(drained(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4'])
})

test('a caller who comes later waits for no more than one search of each other caller', () => {
  const queue = filled(Array.from({ length: 100 }, (_, index) => `a${index}`))
  expect([queue.take(0)?.name, queue.take(0)?.name]).toEqual(['a0', 'a1'])
  queue.add(item('b1'))
  expect([queue.take(0)?.name, queue.take(0)?.name]).toEqual(['a2', 'b1'])
})

test('a caller who comes back at once does not go before those who wait', () => {
  const queue = filled(['a1', 'b1', 'b2'])
  const order = [queue.take(0)?.name]
  queue.add(item('a2'))
  expect([...order, ...drained(queue)]).toEqual(['a1', 'b1', 'a2', 'b2'])
})

test('short work goes before long work, whichever caller it belongs to', () => {
  const queue = filled(['A1', 'A2', 'b1', 'a3'])
  expect(drained(queue)).toEqual(['a3', 'b1', 'A1', 'A2'])
})

test('long work that has waited long enough counts as short', () => {
  const queue = filled(['A1'])
  for (const name of ['a2', 'a3']) queue.add(item(name, 500))
  expect(drained(queue, patienceMs - 1)).toEqual(['a2', 'a3', 'A1'])
  const aged = filled(['A1'])
  for (const name of ['a2', 'a3']) aged.add(item(name, 500))
  expect(drained(aged, patienceMs)).toEqual(['A1', 'a2', 'a3'])
})

test('long work waits as long from whenever it came', () => {
  const late = () => {
    const queue = new FairQueue<Named>(patienceMs)
    for (const name of ['A1', 'a2']) queue.add(item(name, 500))
    return queue
  }
  expect(drained(late(), 1499)).toEqual(['a2', 'A1'])
  expect(drained(late(), 1500)).toEqual(['A1', 'a2'])
})

test('a long wait does not put a caller before the turns of others', () => {
  const queue = filled(['A1', 'A2', 'A3'])
  queue.add(item('b1', 5000))
  expect(drained(queue, 5000)).toEqual(['A1', 'b1', 'A2', 'A3'])
})

test('a search that is removed is gone, and a second removal has no effect', () => {
  const queue = new FairQueue<Named>(patienceMs)
  const [first, second] = [item('a1'), item('a2')] as const
  queue.add(first)
  queue.add(second)
  expect([queue.remove(first), queue.remove(first), queue.remove(item('b1'))]).toEqual([true, false, false])
  expect([queue.size, queue.callers]).toEqual([1, 1])
  expect(queue.remove(second)).toBe(true)
  expect([queue.size, queue.callers, queue.take(0)]).toEqual([0, 0, undefined])
})

test('a full queue removes the last search of the caller with most, and the new one where no caller has more', () => {
  const newcomer = item('b2')
  const queue = filled(['a1', 'a2', 'a3', 'b1'])
  queue.add(newcomer)
  expect(queue.excess(newcomer).name).toBe('a3')
  const equal = filled(['a1', 'a2', 'b1'])
  equal.add(newcomer)
  expect(equal.excess(newcomer)).toBe(newcomer)
  const first = filled(['b1', 'a1', 'a2'])
  first.add(newcomer)
  expect(first.excess(newcomer)).toBe(newcomer)
})

test('the queue knows which search has waited longest', () => {
  const queue = new FairQueue<Named>(patienceMs)
  expect(queue.oldest).toBeUndefined()
  for (const [name, since] of [
    ['a1', 30],
    ['b1', 10],
    ['b2', 40],
  ] as const)
    queue.add(item(name, since))
  expect(queue.oldest).toBe(10)
})

/** `a1`: short work of caller `a`; `A1`: long work of the same. */
function item(name: string, since = 0): Named {
  const [letter = ''] = name
  return { name, caller: letter.toLowerCase(), isLong: letter !== letter.toLowerCase(), since }
}

function filled(names: readonly string[]): FairQueue<Named> {
  const queue = new FairQueue<Named>(patienceMs)
  for (const name of names) queue.add(item(name))
  return queue
}

function drained(queue: FairQueue<Named>, now = 0): readonly string[] {
  const names: string[] = []
  for (let next = queue.take(now); next; next = queue.take(now)) names.push(next.name)
  return names
}
