import { expect, jest, test } from 'bun:test'
import { PageError } from '@csp/page-reader/page-error'
import { datesIn, PageReads } from '../../../../src/executor/layers/excerpts/page-reads.ts'
import { fakePageReader, silence } from '../../../support/fake-page-reader.ts'

const context = (caller?: string) => ({ caller, isRough: true })

test('no more pages are read at once than there is room for', async () => {
  const reader = fakePageReader({ 'https://a.example/': silence, 'https://b.example/': 'Bees' })
  const reads = new PageReads(reader, { capacity: 1 })
  reads.start('https://a.example/', context())
  expect(reads.start('https://b.example/', context())).toMatchObject({ page: undefined, isFinal: false })
  expect(reads.running).toBe(1)
  expect(reader.requests).toHaveLength(1)
  await reads.close()
})

test('a page that failed is left alone for ten minutes, by the caller for whom it did', async () => {
  let now = 5_000_000
  const reads = new PageReads(fakePageReader({}), { now: () => now })
  const start = (caller: string) => reads.start('https://gone.example/', context(caller))
  await start('ann')?.settled
  expect(start('ann')).toBeUndefined()
  const other = start('bob')
  expect(other).toBeDefined()
  await other?.settled
  now += 600_000
  expect(start('ann')).toBeDefined()
  await reads.close()
})

test('a site that did not answer twice in a row is left alone, one whose page is gone is not', async () => {
  let now = 0
  const broken = new PageError('unreachable', 'No such host.')
  const gone = new PageError('not-found', 'Gone.')
  const pages = { 'https://dead.example/1': broken, 'https://dead.example/2': broken, 'https://up.example/1': gone }
  const reader = fakePageReader({ ...pages, 'https://up.example/2': gone, 'https://up.example/3': 'Bees' })
  const reads = new PageReads(reader, { now: () => now })
  const start = (url: string, caller = 'ann') => reads.start(url, context(caller))
  for (const site of ['dead', 'up']) {
    await start(`https://${site}.example/1`)?.settled
    const second = start(`https://${site}.example/2`)
    expect(second).toBeDefined()
    await second?.settled
  }
  expect(start('https://dead.example/3')).toBeUndefined()
  expect(start('https://dead.example/3', 'bob')).toBeDefined()
  expect(start('https://up.example/3')).toBeDefined()
  now += 600_000
  expect(start('https://dead.example/3')).toBeDefined()
  await reads.close()
})

test('two hundred pages are read at once, where nothing else is said', async () => {
  const urls = Array.from({ length: 201 }, (_, at) => `https://a.example/${at}`)
  const reader = fakePageReader(Object.fromEntries(urls.map((url) => [url, silence])))
  const reads = new PageReads(reader)
  for (const url of urls) reads.start(url, context())
  expect(reader.requests).toHaveLength(200)
  await reads.close()
})

test('a closed one reads nothing more, and closing waits until all reads have stopped', async () => {
  let stopped = 0
  let asked = 0
  const reads = new PageReads({
    async read(_, { signal }) {
      asked++
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      await Bun.sleep(1)
      stopped++
      throw new PageError('cancelled', 'Stopped.')
    },
    async close() {},
  })
  reads.start('https://a.example/', context())
  await reads.close()
  expect(stopped).toBe(1)
  expect(reads.start('https://b.example/', context())?.code).toBe('busy')
  expect(asked).toBe(1)
})

test('a page that takes longer than five seconds is given up', async () => {
  jest.useFakeTimers()
  try {
    const reads = new PageReads(fakePageReader({ 'https://a.example/': silence }))
    const read = reads.start('https://a.example/', context())
    jest.advanceTimersByTime(4999)
    for (let turn = 0; turn < 20; turn++) await Promise.resolve()
    expect(reads.running).toBe(1)
    jest.advanceTimersByTime(1)
    await read?.settled
    expect(reads.running).toBe(0)
  } finally {
    jest.useRealTimers()
  }
})

test('two thousand failures are known, the latest of each page and site', async () => {
  const broken = new PageError('unreachable', 'No such host.')
  const dead = (page: number) => `https://dead.example/${page}`
  const reads = new PageReads(fakePageReader({ [dead(1)]: broken, [dead(2)]: broken }), { now: () => 0 })
  const start = (url: string) => reads.start(url, context())
  const fail = async (url: string) => {
    const read = start(url)
    await read?.settled
    return read !== undefined
  }
  await fail(dead(1)) // The page and its site.
  for (let page = 0; page < 1998; page++) await fail(`https://gone.example/${page}`)
  expect(await fail(dead(1))).toBe(false) // All are known still.
  await fail(dead(2)) // In place of the first page; the site is the latest now.
  await fail('https://gone.example/last')
  expect(await fail(dead(3))).toBe(false)
  expect(await fail('https://gone.example/1')).toBe(false)
  expect(await fail('https://gone.example/0')).toBe(true)
})

test('the log has the rule behind each date, or why there is none', () => {
  const read = { isFinal: true, settled: Promise.resolve(), awaited: 'site' as const, stop() {} }
  const page = { publishedBy: 'time element' } as never
  expect(
    datesIn([
      { ...read, page, code: undefined },
      { ...read, page: {} as never, code: undefined },
      { ...read, page: undefined, code: 'not-found' },
      { ...read, page: undefined, code: undefined },
      { ...read, page: undefined, code: undefined, awaited: 'turn' },
    ]),
  ).toEndWith(': time element, no date, not read (not-found), not read (timeout), not read (busy)')
})

test.each([
  ['csp was too busy for', 'turn', 'busy'],
  ['csp was too busy to look at', 'reader', 'busy'],
  ['its site did not send', 'site', 'timeout'],
] as const)(
  'a page that %s in five seconds says so, and only a site is left alone for it',
  async (_, awaited, code) => {
    jest.useFakeTimers()
    try {
      const silent = fakePageReader(Object.fromEntries([1, 2, 3].map((page) => [`https://a.example/${page}`, silence])))
      const reads = new PageReads({
        ...silent,
        read(request, context) {
          context.onWait?.(awaited)
          return silent.read(request, context)
        },
      })
      const urls = [1, 2].map((page) => `https://a.example/${page}`)
      const started = urls.map((url) => reads.start(url, context()))
      jest.advanceTimersByTime(5000)
      await Promise.all(started.map((read) => read?.settled))
      expect(started.map((read) => read?.code)).toEqual([code, code])
      expect(reads.start('https://a.example/3', context()) === undefined).toBe(awaited === 'site')
      expect(reads.start('https://a.example/1', context()) === undefined).toBe(awaited === 'site')
      await reads.close()
    } finally {
      jest.useRealTimers()
    }
  },
)
