import { afterEach, beforeEach, describe, expect, setSystemTime, test } from 'bun:test'
import { collect } from '../../../../src/domain/answer.ts'
import type { SearchErrorCode } from '../../../../src/domain/error.ts'
import type { SeenPage } from '../../../../src/domain/memory.ts'
import type { Memory } from '../../../../src/domain/recall.ts'
import { resultsRequest, type SearchRequest } from '../../../../src/domain/search.ts'
import { memoryBackend } from '../../../../src/executor/backends/memory/memory.ts'
import type { SearchContext } from '../../../../src/executor/executor.ts'
import { recalled } from '../../../../src/executor/layers/page-memory/recalled.ts'
import { remembering } from '../../../../src/executor/layers/page-memory/remembering.ts'
import { createStack } from '../../../../src/executor/layers/stack.ts'
import { failureOf } from '../../../support/failure-of.ts'
import { answers, done, type FakeExecutor, fails, fakeExecutor, requestFor } from '../../../support/fake-executor.ts'

const row = {
  ...{ title: 'On bees', url: 'https://example.org/bees', snippet: 'Bees dance.', source: 'memory' },
  seenAt: '2026-11-01T10:00:00Z',
}

beforeEach(() => {
  setSystemTime(new Date('2026-11-20T10:00:00Z'))
})
afterEach(() => {
  setSystemTime()
})

function stackOver(backend: FakeExecutor, { rows = [row], scope = 'all' as 'all' | 'key' } = {}) {
  const kept: SeenPage[] = []
  const owners: (string | undefined)[] = []
  const memory: Memory = {
    keep: (pages) => void kept.push(...pages),
    async recall({ owner }) {
      owners.push(owner)
      return rows
    },
    excerpts: async () => new Map(),
    stats: async () => ({ pages: rows.length, bytes: 0, sites: 1 }),
    forget: async () => 0,
    health: { pages: rows.length },
    flush: async () => {},
  }
  const options = { memory, scope, now: () => new Date() }
  const stack = createStack([backend], {
    memory: { ...options, backend: memoryBackend(options) },
    cache: { ttlSeconds: 3600, scope },
    paging: { ttlSeconds: 3600 },
  })
  const ask = (request: Partial<SearchRequest> = {}, context: Partial<SearchContext> = {}) =>
    Array.fromAsync(stack.search(requestFor('bees', request), { signal: new AbortController().signal, ...context }))
  return { ask, kept, owners, stack }
}

describe('where no search can be made', () => {
  test.each<SearchErrorCode>(['rate-limited', 'signed-out', 'unavailable', 'timeout', 'busy'])(
    'memory answers after %s, marked with its age and the reason',
    async (code) => {
      const later = { ...row, url: 'https://example.org/wasps', seenAt: '2026-11-10T10:00:00Z' }
      const { ask } = stackOver(fakeExecutor(fails(code)), { rows: [row, later] })
      const [cache, backend, ...others] = await ask()
      expect(cache).toMatchObject({ type: 'cache', status: 'stale', reason: code })
      expect(cache?.type === 'cache' && cache.ageSeconds).toBe(19 * 86_400)
      expect(backend).toEqual({ type: 'backend', name: 'memory' })
      expect(others[1]).toEqual({ type: 'search-results', id: 'memory-1', results: [row, later] })
      expect(others.at(-1)).toMatchObject({ type: 'done', isDegraded: true, usage: { searches: 0 } })
    },
  )

  test.each<SearchErrorCode>(['invalid-request', 'failed', 'ungrounded'])('the error stays after %s', async (code) => {
    const { ask } = stackOver(fakeExecutor(fails(code)))
    expect((await failureOf(ask())).code).toBe(code)
  })

  test('the error stays where memory has nothing', async () => {
    const { ask } = stackOver(fakeExecutor(fails('rate-limited')), { rows: [] })
    expect((await failureOf(ask())).code).toBe('rate-limited')
  })

  test('the error stays for a caller that wants a new search, a model, or is a csp itself', async () => {
    const { ask } = stackOver(fakeExecutor(fails('rate-limited')))
    expect((await failureOf(ask({}, { cache: 'no-cache' }))).code).toBe('rate-limited')
    expect((await failureOf(ask({}, { research: {} }))).code).toBe('rate-limited')
    expect((await failureOf(ask({}, { cache: 'no-store' }))).code).toBe('rate-limited')
    expect((await failureOf(ask({ want: 'answer', schema: { type: 'object' } }))).code).toBe('rate-limited')
    expect((await failureOf(ask({ want: 'text' }))).code).toBe('rate-limited')
    expect((await failureOf(ask({ memory: 'never' }))).code).toBe('rate-limited')
  })

  test('a written answer says in its first line where it comes from, and how old it is', async () => {
    const { ask } = stackOver(fakeExecutor(fails('rate-limited')))
    const { text, citations } = await collect(each(await ask({ want: 'answer' })))
    expect(text.split('\n')[0]).toBe(
      'From memory, without a new search: excerpts of pages as csp saw them on 2026-11-01 (19 d ago).',
    )
    expect(text).toContain('Bees dance. [1]')
    expect(citations.map(({ url }) => url)).toEqual([row.url])
  })

  test('a written answer says how old the oldest of its pages is', async () => {
    const later = { ...row, url: 'https://example.org/wasps', seenAt: '2026-11-10T10:00:00Z' }
    const { ask } = stackOver(fakeExecutor(fails('rate-limited')), { rows: [later, row] })
    const { text } = await collect(each(await ask({ want: 'answer' })))
    expect(text).toContain('as csp saw them between 2026-11-01 and 2026-11-10 (up to 19 d ago).')
  })

  test('what is from memory is not kept as an answer', async () => {
    const backend = fakeExecutor(fails('rate-limited'))
    const { ask, kept } = stackOver(backend)
    await ask()
    await ask()
    expect(backend.requests).toHaveLength(2)
    expect(kept).toEqual([])
  })
})

describe('where a search can be made', () => {
  test('memory stays silent, and keeps the rows', async () => {
    const { ask, owners, kept } = stackOver(fakeExecutor(answers))
    const events = await ask()
    expect(events).toContainEqual({ type: 'backend', name: 'fake' })
    expect(owners).toEqual([])
    expect(kept.length).toBeGreaterThan(0)
    expect(kept[0]).toMatchObject({ extent: 'row', owner: '' })
  })

  test('rows that another csp has from its own memory are not kept', async () => {
    const { ask, kept } = stackOver(
      fakeExecutor(async function* ({ query }) {
        yield { type: 'search-start', id: 'one', query }
        yield {
          type: 'search-results',
          id: 'one',
          results: [row, { ...row, url: 'https://a.example/', seenAt: undefined }],
        }
        yield done
      }),
    )
    await ask()
    expect(kept.map(({ url }) => url)).toEqual(['https://a.example/'])
  })

  test('rows of a request that keeps nothing are not kept', async () => {
    const { ask, kept } = stackOver(fakeExecutor(answers))
    await ask({}, { cache: 'no-store' })
    expect(kept).toEqual([])
  })

  test('memory answers alone where it is asked for', async () => {
    const backend = fakeExecutor(answers)
    const { ask } = stackOver(backend)
    const events = await ask({ memory: {} })
    expect(events[0]).toEqual({ type: 'backend', name: 'memory' })
    expect(backend.requests).toEqual([])
  })
})

test('with the scope of a key each sees and keeps its own', async () => {
  const { ask, owners, kept } = stackOver(fakeExecutor(answers), { scope: 'key' })
  await ask({}, { caller: 'phone:ann' })
  expect(new Set(kept.map(({ owner }) => owner))).toEqual(new Set(['phone']))
  await ask({ memory: {} }, { caller: 'laptop' })
  expect(owners).toEqual(['laptop'])
})

test('without a memory a request for it is rejected', async () => {
  const stack = createStack([fakeExecutor(answers)], {})
  const request = { ...resultsRequest({ query: 'bees' }), memory: {} }
  const asked = collect(stack.search(request, { signal: new AbortController().signal }))
  expect(await failureOf(asked)).toMatchObject({
    code: 'invalid-request',
    message: expect.stringContaining('--memory on'),
  })
})

test('health says how much memory has', async () => {
  const { stack } = stackOver(fakeExecutor(answers))
  expect((await stack.health()).memory).toEqual({ pages: 1 })
})

test('memory is closed behind what it remembers, and closing waits for both', async () => {
  const ended: string[] = []
  const late = (name: string, ms: number) => async () => {
    await Bun.sleep(ms)
    ended.push(name)
  }
  const memory = { health: { pages: 1 }, flush: late('memory', 0) } as unknown as Memory
  const inner = { ...fakeExecutor(answers), close: late('backend', 5) }
  const layer = remembering({ memory, scope: 'all' })(inner)
  expect(await layer.health()).toEqual({ ...(await inner.health()), memory: { pages: 1 } })
  await layer.close()
  expect(ended).toEqual(['backend', 'memory'])
  await recalled(fakeExecutor(answers))(inner).close()
  expect(ended).toHaveLength(3)
})

async function* each<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items
}
