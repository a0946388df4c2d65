import { afterEach, beforeEach, expect, jest, test } from 'bun:test'
import { EventEmitter } from 'node:events'
import type { SeenPage } from '../../../src/domain/memory.ts'
import { openMemory } from '../../../src/runtime/server/open-memory.ts'
import type { MemoryCall, MemoryReply } from '../../../src/storage/page-memory/protocol.ts'

beforeEach(() => {
  jest.useFakeTimers()
})
afterEach(() => {
  jest.useRealTimers()
})

/** A thread that answers what the test has it answer. */
class FakeThread extends EventEmitter {
  readonly calls: MemoryCall[] = []
  readonly isHolding: boolean[] = []
  isTerminated = false
  ref() {
    this.isHolding.push(true)
  }
  unref() {
    this.isHolding.push(false)
  }
  postMessage(call: MemoryCall) {
    this.calls.push(call)
  }
  async terminate() {
    await settled()
    this.isTerminated = true
    return 0
  }
  get work() {
    return this.calls.map(({ work }) => Object.keys(work)[0])
  }
  /** Answers every call that has none yet. */
  async reply(reply: Omit<MemoryReply, 'id'> = {}) {
    for (const { id } of this.calls.slice(this.#answered)) this.emit('message', { id, ...reply })
    this.#answered = this.calls.length
    await settled()
  }
  #answered = 0
}

async function settled() {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
}

/** The work that waits for the end of this turn. */
async function turnEnds() {
  jest.advanceTimersByTime(1)
  await settled()
}

function open() {
  const threads: FakeThread[] = []
  const memory = openMemory({ path: '/memory.sqlite', maxBytes: 1, mayKeep: () => true }, () => {
    const thread = new FakeThread()
    threads.push(thread)
    // The signature of `on` is that of a worker.
    return thread as never
  })
  const thread = (index: number) => threads[index] ?? expect.unreachable()
  return { memory, threads, thread }
}

const page = (length: number): SeenPage => ({
  url: 'https://example.org/',
  title: '',
  text: 'x'.repeat(length),
  extent: 'whole',
  owner: '',
})

test('pages are sent once the reply of their search has gone, five at a time, each cut at 40,000 characters', async () => {
  const { memory, threads, thread } = open()
  memory.keep([page(40_001), ...Array(10).fill(page(9))])
  await settled()
  expect(threads).toEqual([])
  await turnEnds()
  const sent = () => thread(0).calls.flatMap(({ work }) => ('keep' in work ? [work.keep] : []))
  expect(thread(0).work).toEqual(['open', 'keep'])
  expect(sent()[0]?.map(({ text }) => text.length)).toEqual([40_000, 9, 9, 9, 9])
  for (let call = 0; call < 3; call++) await thread(0).reply()
  expect(sent().map((pages) => pages.length)).toEqual([5, 5, 1])
  expect(thread(0).calls.map(({ id }) => id)).toEqual([1, 2, 3, 4])
})

test('no more pages wait than 40 million characters with 500 for each page, however many were written before', async () => {
  const { memory, thread } = open()
  const many = Array<SeenPage>(1200).fill(page(39_500))
  let written = 0
  for (const expected of [1001, 2002]) {
    memory.keep(many)
    await turnEnds()
    for (let calls = 0; calls < 201; calls++) await thread(0).reply()
    written = thread(0).calls.reduce((sum, { work }) => sum + ('keep' in work ? work.keep.length : 0), 0)
    expect(written).toBe(expected)
  }
})

test('a process waits for replies, and for nothing else of the thread', async () => {
  const { memory, thread } = open()
  const both = Promise.all([memory.stats(), memory.recall({ query: 'bees', filters: {}, owner: '' })])
  const { calls, isHolding } = thread(0)
  for (const { id } of calls.slice(0, 2)) thread(0).emit('message', { id })
  expect(isHolding.at(-1)).toBe(true)
  thread(0).emit('message', { id: calls[2]?.id })
  expect(await both).toEqual([{ pages: 0, bytes: 0, sites: 0 }, []])
  expect(isHolding.at(-1)).toBe(false)
})

test('a thread ends after a minute without work, and the next question has another', async () => {
  const { memory, threads, thread } = open()
  const ask = (index: number) => {
    const asked = memory.stats()
    return thread(index)
      .reply()
      .then(() => asked)
  }
  await ask(0)
  jest.advanceTimersByTime(59_999)
  await ask(0)
  jest.advanceTimersByTime(59_999)
  expect(thread(0).work).toEqual(['open', 'stats', 'stats'])
  jest.advanceTimersByTime(1)
  expect(thread(0).work).toEqual(['open', 'stats', 'stats', 'close'])
  // A question that comes while it ends is not lost with it.
  await ask(1)
  expect(thread(0).isTerminated).toBe(false)
  await thread(0).reply()
  await settled()
  expect([thread(0).isTerminated, threads.length]).toEqual([true, 2])
  await ask(1)
  expect(thread(1).work).toEqual(['open', 'stats', 'stats'])
})

test('a thread that does not close has two seconds, and what is asked of it fails', async () => {
  const { memory, thread } = open()
  const asked = memory.stats().catch(String)
  const closed = memory.close().then(() => 'closed')
  await settled()
  jest.advanceTimersByTime(1999)
  await settled()
  expect(thread(0).isTerminated).toBe(false)
  jest.advanceTimersByTime(1)
  expect(await closed).toBe('closed')
  expect(thread(0).isTerminated).toBe(true)
  thread(0).emit('exit')
  expect(await asked).toContain('The thread of the memory ended.')
  await expect(memory.stats()).rejects.toThrow('csp is stopping.')
})

test('a close ends once the thread has ended, also where that had begun', async () => {
  const { memory, thread } = open()
  const asked = memory.stats()
  await thread(0).reply()
  await asked
  jest.advanceTimersByTime(60_000)
  const closed = memory.close()
  await thread(0).reply()
  await closed
  expect(thread(0).isTerminated).toBe(true)
  expect(thread(0).work).toEqual(['open', 'stats', 'close'])
})

test('a thread that is lost fails what it was asked, health says why, and the next question has another', async () => {
  const { memory, thread } = open()
  const asked = Promise.all([memory.stats().catch(String), memory.forget({}).catch(String)])
  await settled()
  thread(0).emit('error', new Error('no memory'))
  thread(0).emit('exit')
  expect(await asked).toEqual(['Error: no memory', 'Error: no memory'])
  expect(memory.health.problem).toBe('no memory')
  const again = memory.stats()
  await thread(1).reply({ stats: { pages: 3, bytes: 4, sites: 1 }, pages: 3, bytes: 4 })
  expect(await again).toEqual({ pages: 3, bytes: 4, sites: 1 })
  expect(memory.health).toEqual({ pages: 3, bytes: 4, problem: undefined })
  // What is said without its size has the last one that was known.
  const forgotten = memory.forget({})
  await settled()
  await thread(1).reply({ forgotten: 2 })
  expect([await forgotten, memory.health.pages]).toEqual([2, 3])
  await thread(1).reply()
})

test('a flush waits two seconds for what is being written', async () => {
  const { memory, thread } = open()
  memory.keep([page(9)])
  await turnEnds()
  let isFlushed = false
  const flushed = memory.flush().then(() => {
    isFlushed = true
  })
  jest.advanceTimersByTime(1999)
  await settled()
  expect(isFlushed).toBe(false)
  jest.advanceTimersByTime(1)
  await flushed
  await thread(0).reply()
})
