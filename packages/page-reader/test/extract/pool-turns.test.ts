import { afterEach, beforeEach, describe, expect, jest, test } from 'bun:test'
import { Extractor, type ExtractorOptions, type ReaderProcess } from '../../src/extract/pool.ts'

// Whose turn it is and how long a page may take, with readers that the test plays. Processes are in pool.test.ts.

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

const { signal } = new AbortController()
const page = { contentType: 'text/html', contents: { markdown: 'Bees', text: 'Bees', html: '' }, links: [] }

async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve()
}

/** An extractor, and what its readers were given and are. */
function openPool(options: Partial<ExtractorOptions> = {}) {
  const given: string[] = []
  const readers: (ReaderProcess & { isEnded: boolean })[] = []
  const busy: ReaderProcess[] = []
  const pool = new Extractor({
    openReader: () => {
      const reader = {
        ...{ onReply: undefined, onEnd: undefined, isEnded: false },
        send({ url }: { url: string }) {
          given.push(url)
          busy.push(reader)
        },
        end() {
          reader.isEnded = true
        },
      } as ReaderProcess & { isEnded: boolean }
      readers.push(reader)
      return reader
    },
    ...options,
  })
  const begin = (
    url: string,
    parts: { isRough?: boolean; isPdf?: boolean; caller?: string; signal?: AbortSignal } = {},
  ) => {
    const body = new TextEncoder().encode(parts.isPdf ? '%PDF-1.7' : 'Bees')
    const extraction = { body, contentType: 'x', url, mainContentOnly: true, isRough: parts.isRough }
    return pool.extract(extraction, parts.signal ?? signal, parts.caller).then(
      () => 'read',
      (error: Error) => error.message,
    )
  }
  /** Lets the reader that has been busy for longest answer. */
  const answer = async (): Promise<string> => {
    const before = given.length
    busy.shift()?.onReply?.({ page })
    await settle()
    return given.slice(before).join()
  }
  return { pool, begin, answer, given, readers }
}

describe('a page', () => {
  test.each([
    [false, {}, 10_000],
    [true, {}, 3000],
    [false, { timeoutMs: 500 }, 500],
    [true, { timeoutMs: 500 }, 500],
  ])('that is read roughly (%p), with %j, may take %d ms', async (isRough, options, ms) => {
    const { begin, readers } = openPool(options)
    const reading = begin('a', { isRough })
    await settle()
    jest.advanceTimersByTime(ms - 1)
    expect(readers[0]?.isEnded).toBe(false)
    jest.advanceTimersByTime(1)
    expect(await reading).toBe('The page takes too long to read.')
    expect(readers[0]?.isEnded).toBe(true)
  })

  test.each([
    [{}, 200],
    [{ graceMs: 50 }, 50],
  ])('whose caller has left has, with %j, %d ms more', async (options, ms) => {
    const { begin, readers, answer } = openPool(options)
    for (const isInTime of [true, false]) {
      const own = new AbortController()
      const left = begin('a', { signal: own.signal })
      await settle()
      own.abort(new Error('left'))
      jest.advanceTimersByTime(ms - 1)
      if (isInTime) await answer()
      expect(readers[0]?.isEnded).toBe(false)
      jest.advanceTimersByTime(1)
      expect(await left).toBe('left')
      expect([readers.length, readers[0]?.isEnded]).toEqual([1, !isInTime])
    }
  })

  test('is read by a reader that has nothing to do, which ends after half a minute without work', async () => {
    const { begin, answer, readers } = openPool()
    for (const url of ['a', 'b']) {
      const reading = begin(url)
      await settle()
      await answer()
      expect(await reading).toBe('read')
      jest.advanceTimersByTime(29_999)
    }
    expect([readers.length, readers[0]?.isEnded]).toEqual([1, false])
    jest.advanceTimersByTime(1)
    expect(readers[0]?.isEnded).toBe(true)
  })
})

describe('pages that wait', () => {
  test('are read with care in order, then roughly the latest first', async () => {
    const { begin, answer, given } = openPool({ maxReaders: 1 })
    for (const [url, isRough] of [
      ['a', false],
      ['b', true],
      ['c', true],
      ['d', false],
      ['e', false],
    ] as const)
      void begin(url, { isRough })
    await settle()
    const order = [given.join()]
    while (order.length < 5) order.push(await answer())
    expect(order.join('')).toBe('adecb')
  })

  test('take turns by their callers, of whom a hundred are remembered', async () => {
    const { begin, answer } = openPool({ maxReaders: 1 })
    const play = async (...callers: readonly string[]) => {
      void begin('first')
      await settle()
      for (const [at, caller] of callers.entries()) void begin(`${caller}${at}`, { caller })
      await settle()
      let order = ''
      for (let left = callers.length; left > 0; left--) order += (await answer()).charAt(0)
      await answer()
      return order
    }
    expect(await play('a', 'a', 'b', 'a', 'b', 'c')).toBe('abcaba')
    // The one that was served last has the last turn, until a hundred others were served.
    expect(await play('a', 'b')).toBe('ba')
    expect(await play('b', 'a')).toBe('ba')
    for (let other = 0; other < 98; other++) await play(`x${other}`)
    expect(await play('z', 'a')).toBe('za')
  })

  test('leave one place to others where they are PDFs', async () => {
    const { begin, answer, given } = openPool({ maxReaders: 3 })
    for (const url of ['p', 'q', 'r']) void begin(url, { isPdf: true })
    void begin('a')
    await settle()
    expect(given.join('')).toBe('pqa')
    expect(await answer()).toBe('r')
    const single = openPool({ maxReaders: 1 })
    void single.begin('p', { isPdf: true })
    await settle()
    expect(single.given).toEqual(['p'])
  })

  test('go without being read when their callers leave or the pool closes', async () => {
    const { pool, begin, answer, given, readers } = openPool({ maxReaders: 1 })
    const [own, other] = [new AbortController(), begin('a')]
    const left = begin('b', { signal: own.signal })
    const stays = begin('c')
    await settle()
    own.abort(new Error('left'))
    expect(await left).toBe('left')
    expect(await answer()).toBe('c')
    expect(await other).toBe('read')
    const waits = begin('d')
    await settle()
    pool.close()
    jest.advanceTimersByTime(0)
    expect([await stays, await waits, await begin('e')]).toEqual(Array(3).fill('The page reader was closed.'))
    expect([given.join(''), readers.map(({ isEnded }) => isEnded)]).toEqual(['ac', [true]])
    pool.warm()
    expect(readers).toHaveLength(1)
  })

  test('find readers that were warmed for them, no more than there may be', async () => {
    const { pool, begin, readers } = openPool()
    pool.warm(5)
    pool.warm(1)
    expect(readers).toHaveLength(2)
    void begin('a')
    await settle()
    pool.warm(2)
    expect(readers).toHaveLength(2)
    readers[0]?.onEnd?.('')
    pool.warm(2)
    expect(readers).toHaveLength(3)
  })
})
