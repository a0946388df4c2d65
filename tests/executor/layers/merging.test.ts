import { describe, expect, test } from 'bun:test'
import { quickTimers } from '@csp/testing/quick-timers'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import { createHomeApp } from '../../../src/app.ts'
import { collect, sourcesOf } from '../../../src/domain/answer.ts'
import type { SearchErrorCode } from '../../../src/domain/error.ts'
import type { SearchRequest } from '../../../src/domain/search.ts'
import { remote } from '../../../src/executor/backends/remote/remote.ts'
import type { Executor, SearchTrace } from '../../../src/executor/executor.ts'
import { reaching } from '../../../src/executor/layers/metering/account.ts'
import { Budget } from '../../../src/executor/layers/metering/budget.ts'
import { fallback } from '../../../src/executor/layers/resilience/fallback.ts'
import { Misses } from '../../../src/executor/layers/resilience/misses.ts'
import { createStack } from '../../../src/executor/layers/stack.ts'
import { type Behaviour, executorContract } from '../../contract/executor.ts'
import { failureOf } from '../../support/failure-of.ts'
import { done, fails, fakeExecutor, hangs, isSilent, requestFor, type Script } from '../../support/fake-executor.ts'
import { fakePageReader } from '../../support/fake-page-reader.ts'
import { memoryLedger } from '../../support/memory-ledger.ts'

const live = () => ({ signal: new AbortController().signal })

/** A list of pages that name the query, on sites with these names. */
const lists = (source: string, ...sites: readonly string[]): Script =>
  async function* ({ query }) {
    yield { type: 'search-start', id: 'one', query }
    const results = sites.map((site) => ({ title: query, url: `https://${site}.example/${query}`, source }))
    yield { type: 'search-results', id: 'one', results }
    yield { ...done, model: source }
  }

const onlyLists = ({ want }: SearchRequest) => want === 'results'
const lister = (name: string, script: Script = lists(name, name, 'shared')) =>
  Object.assign(fakeExecutor(script, name), { supports: onlyLists })

const search = (executor: Executor, rest: Partial<SearchRequest> = {}, context = {}) =>
  collect(executor.search(requestFor('seals', { merge: 2, ...rest }), { ...live(), ...context }))
const sites = (found: Parameters<typeof sourcesOf>[0]) =>
  sourcesOf(found).map(({ url, source }) => `${new URL(url).hostname.replace('.example', '')}: ${source}`)

for (const [manner, hanging] of Object.entries({ 'in the middle': hangs, 'in silence': isSilent })) {
  executorContract(`merged lists, hanging ${manner},`, {
    failure: 'rate-limited',
    factory(behaviour: Behaviour) {
      const scripts = { succeed: undefined, hang: hanging, fail: fails('rate-limited') }
      const both = ['a', 'b'].map((name) => lister(name, scripts[behaviour]))
      return {
        executor: createStack(both, { merge: 2 }),
        running: () => both.reduce((sum, { running }) => sum + running, 0),
        started: () => both.reduce((sum, { requests }) => sum + requests.length, 0),
        begun: async () => void (await Promise.all(both.map((one) => one.begun()))),
      }
    },
  })
}

describe('merged lists', () => {
  test('are one list, whose rows and reply name the backends; others are not asked', async () => {
    const spare = lister('spare')
    const asked: string[] = []
    const trace = { asked: (name: string) => asked.push(name), begin: () => () => {} } as unknown as SearchTrace
    const both = createStack([lister('a'), lister('b'), spare], {})
    const answer = await search(both, {}, { trace })
    expect(sites(answer.searches)).toEqual(['shared: a, b', 'a: a', 'b: b'])
    expect(answer).toMatchObject({ backend: 'a, b', usage: { searches: 2, inputTokens: 20, outputTokens: 40 } })
    expect(spare.requests).toEqual([])
    expect(asked.filter((name) => !name.includes(','))).toEqual(['a', 'b'])
    expect(sites((await search(both, { merge: 1 })).searches)).toEqual(['a: a', 'shared: a'])
    expect((await search(both, { merge: 99 })).backend).toBe('a, b, spare')
  })

  test('name the model that searched only where one made each of them, and are as lasting as the least lasting', async () => {
    const by = (model: string | undefined, isDegraded: boolean): Script =>
      async function* (request, signal) {
        for await (const event of lists('x', model ?? 'none')(request, signal)) {
          if (event.type === 'search-start') yield { ...event, model }
          else yield event.type === 'done' ? { ...event, isDegraded } : event
        }
      }
    const of = async (...models: readonly (string | undefined)[]) => {
      const all = models.map((model, place) => lister(`b${place}`, by(model, place === 1)))
      const { searches, model, isDegraded } = await search(createStack(all, {}), { merge: all.length })
      return [searches[0]?.model, model, isDegraded]
    }
    expect(await of('haiku', 'sonnet')).toEqual(['haiku', 'x', true])
    expect(await of('haiku', undefined)).toEqual([undefined, 'x', true])
    expect(await of(undefined, 'haiku', 'haiku')).toEqual([undefined, 'x', true])
  })

  const kinds = fc.array(fc.constantFrom('rows', 'nothing', 'unavailable', 'rate-limited'), {
    minLength: 2,
    maxLength: 5,
  })

  test('are those with rows; else the next backend is asked; else the first that failed is the failure', async () => {
    await fc.assert(
      fc.asyncProperty(kinds, fc.integer({ min: 1, max: 6 }), async (all, merge) => {
        const script = (kind: string, name: string) =>
          kind === 'rows' ? undefined : kind === 'nothing' ? lists(name) : fails(kind as SearchErrorCode)
        const backends = all.map((kind, place) => lister(`b${place}`, script(kind, `b${place}`)))
        const outcome = await search(createStack(backends, {}), { merge }).catch((error) => error.code)
        const namesOf = (kind: string, until = all.length) =>
          all.flatMap((one, place) => (one === kind && place < until ? `b${place}` : []))
        const [firstRows] = namesOf('rows')
        const [firstEmpty] = namesOf('nothing')
        if (namesOf('rows', merge).length > 0) expect(outcome.backend).toBe(namesOf('rows', merge).join(', '))
        else if (firstRows) expect(outcome.backend).toBe(firstRows)
        else if (firstEmpty) expect(outcome.backend).toBe(namesOf('nothing', merge).join(', ') || firstEmpty)
        else expect(outcome).toBe(all[0])
        expect(backends.map(({ running }) => running)).toEqual(all.map(() => 0))
      }),
      { numRuns: runs(150) },
    )
  })

  test('say of a failure what each backend said, and ask none again', async () => {
    const all = [lister('a', fails('unavailable')), lister('b', fails('rate-limited')), lister('c', fails('failed'))]
    const { message, code } = await failureOf(search(createStack(all, {})))
    expect(code).toBe('unavailable')
    expect(message).toBe('No backend could answer. a: The fake fails. b: The fake fails. c: The fake fails.')
    expect(all.map(({ requests }) => requests.length)).toEqual([1, 1, 1])
  })

  test('name in the log each backend that another stands in for, and none where all failed', async () => {
    const replaced = async (...scripts: readonly (Script | undefined)[]) => {
      const names: string[] = []
      const note = (name: string) => names.push(name)
      const trace = { asked() {}, begin: () => () => {}, replaced: note } as unknown as SearchTrace
      const all = scripts.map((script, place) => lister(`b${place}`, script))
      await search(createStack(all, {}), { merge: all.length }, { trace }).catch(() => {})
      return names
    }
    expect(await replaced(fails('timeout'), undefined, fails('busy'))).toEqual(['b0', 'b2'])
    expect(await replaced(fails('timeout'), fails('busy'))).toEqual([])
  })

  test('wait a short time for those that hang, and stop them', async () => {
    using _ = quickTimers()
    const slow = lister('slow', hangs)
    const answer = await search(createStack([slow, lister('b')], {}))
    expect([answer.backend, slow.running]).toEqual(['b', 0])
  })

  test('end with their caller, and all searches with them', async () => {
    const both = [lister('a', hangs), lister('b', isSilent)]
    const leave = new AbortController()
    const failure = failureOf(search(createStack(both, {}), {}, { signal: leave.signal }))
    await Promise.all(both.map((one) => one.begun()))
    leave.abort()
    expect((await failure).code).toBe('cancelled')
    expect(both.map(({ running }) => running)).toEqual([0, 0])
  })

  test('of a backend that found nothing three times are asked of another, while their rows are no miss', async () => {
    const [never, b, c] = [lister('never', lists('never')), lister('b'), lister('c')]
    const all = fallback([never, b, c], { misses: new Misses(() => 0), overMerged: (merged) => merged })
    const ask = async () => (await search(all)).backend
    expect([await ask(), await ask(), await ask()]).toEqual(['b', 'b', 'b'])
    expect(await ask()).toBe('b, c')
    expect(never.requests).toHaveLength(3)
    expect((await all.health()).backends.map(({ isAskedLast = false }) => isAskedLast)).toEqual([true, false, false])
  })

  test('have the count, the offset and the known rows of the request, whatever each list has', async () => {
    const both = createStack([lister('a', lists('a', 'p', 'q', 'm.r')), lister('b', lists('b', 'r', 's', 'p'))], {})
    const all = sites((await search(both)).searches)
    expect(all).toEqual(['p: a, b', 'r: a, b', 'q: a', 's: b'])
    for (const [offset, limit] of [
      [0, 2],
      [1, 2],
      [3, 5],
    ] as const)
      expect(sites((await search(both, { offset, limit })).searches)).toEqual(all.slice(offset, offset + limit))
    const known = await search(both, { exclude: ['https://r.example/seals', 'https://m.p.example/seals'] })
    expect(sites(known.searches)).toEqual(['q: a', 's: b'])
  })

  test('share no entry of the cache with a list that is not merged', async () => {
    const both = [lister('a'), lister('b')]
    const stack = createStack(both, { cache: { ttlSeconds: 60 }, paging: { ttlSeconds: 60 } })
    const asked = async (merge: number | undefined) => (await search(stack, { merge })).backend
    expect([await asked(undefined), await asked(2), await asked(undefined), await asked(2)]).toEqual([
      'a',
      'a, b',
      'a',
      'a, b',
    ])
    expect(both.map(({ requests }) => requests.length)).toEqual([2, 1])
  })

  test('are made for searches that do not say, as the setting has it, and not for text or given sources', async () => {
    const stack = createStack([lister('a'), lister('b')], { merge: 2 })
    expect((await search(stack, { merge: undefined })).backend).toBe('a, b')
    expect((await search(stack, { merge: 1 })).backend).toBe('a')
    const given = [{ title: 'T', url: 'https://t.example/', source: 'x' }]
    const own = [fakeExecutor(undefined, 'a'), fakeExecutor(undefined, 'b')]
    await search(createStack(own, { merge: 2 }), { want: 'text' })
    await search(createStack(own, { merge: 2 }), { want: 'answer', sources: given })
    expect(own.map(({ requests }) => requests.length)).toEqual([2, 0])
  })
})

describe('what merged lists cost', () => {
  const spentBy = (budget: Budget) =>
    Object.fromEntries(
      budget.ledger
        .since('')
        .map(({ backend, ...spent }) => [backend, [spent.requests, spent.searches, spent.inputTokens]]),
    )

  test('is entered for each backend, and is one request', async () => {
    const meter = new Budget({ ledger: memoryLedger() })
    const stack = createStack([lister('a'), lister('b'), lister('c', fails('unavailable'))], { meter })
    await search(stack, { merge: 3 })
    expect(spentBy(meter)).toEqual({ a: [1, 1, 10], b: [0, 1, 10], c: [0, 0, 0] })
  })

  test('is counted for one that is stopped, and not for a first one that fails without a search', async () => {
    using _ = quickTimers()
    const meter = new Budget({ ledger: memoryLedger() })
    // Behind its own layers a backend tells when a search has reached it.
    const backends = [lister('a', fails('rate-limited')), lister('b'), lister('c', hangs)].map(reaching)
    await search(createStack(backends, { meter }), { merge: 3 })
    expect(spentBy(meter)).toEqual({ a: [1, 0, 0], b: [0, 1, 10], c: [0, 1, 0] })
  })

  test('leaves out a backend for which there is no search left', async () => {
    const meter = new Budget({ ledger: memoryLedger(), limits: { searchesPerDay: 3 } })
    const stack = createStack([lister('a'), lister('b')], { meter })
    expect([(await search(stack)).backend, (await search(stack)).backend]).toEqual(['a, b', 'a'])
    expect((await failureOf(search(stack))).code).toBe('rate-limited')
  })
})

describe('a written answer', () => {
  const writes: Script = async function* ({ sources = [] }) {
    yield { type: 'text-delta', text: `Over ${sources.length} pages [1]` }
    yield { ...done, usage: { ...done.usage, searches: 0 }, model: 'writer' }
  }

  test('is written over merged lists, whose pages are read once each', async () => {
    const reader = fakePageReader({ 'https://shared.example/seals': 'Seals sleep in the water, all seals do.' })
    const both = [lister('a'), lister('b')]
    const writer = fakeExecutor(writes, 'writer')
    const meter = new Budget({ ledger: memoryLedger() })
    const stack = createStack(both, { writers: [writer], excerpts: { reader, source: 'pages' }, meter })
    const answer = await search(stack, { want: 'answer', effort: 'standard' })
    expect(answer).toMatchObject({ text: 'Over 3 pages [1]', backend: 'a, b', model: 'writer' })
    expect(sites(answer.searches)).toEqual(['shared: a, b', 'a: a', 'b: b'])
    const read = reader.requests.map(({ url }) => url)
    expect(read.toSorted()).toEqual([...new Set(read)].toSorted())
    expect(
      meter.ledger.since('').map(({ backend, searches, inputTokens }) => [backend, searches, inputTokens]),
    ).toEqual([
      ['b', 1, 10],
      ['a', 1, 10],
      ['writer', 0, 10],
    ])
  })

  test('is written over the lists of those that can list', async () => {
    const answersOnly = Object.assign(fakeExecutor(undefined, 'answers'), {
      supports: ({ want }: SearchRequest) => want === 'answer',
    })
    const stack = createStack([lister('a'), answersOnly, lister('b')], { writers: [fakeExecutor(writes, 'writer')] })
    expect((await search(stack, { want: 'answer' })).backend).toBe('a, b')
    expect(answersOnly.requests).toEqual([])
  })

  test('that the first backend makes by itself needs no list', async () => {
    const [own, b] = [fakeExecutor(undefined, 'own'), lister('b')]
    const answer = await search(createStack([own, b], { writers: [fakeExecutor(writes)] }), { want: 'answer' })
    expect([answer.backend, b.requests.length]).toEqual(['own', 0])
  })
})

describe('a csp in front of another', () => {
  const ask = async (edge: Partial<Parameters<typeof createStack>[1]>, rest: Partial<SearchRequest>) => {
    const home = createHomeApp({ executor: createStack([lister('a'), lister('b')], {}), version: '1' })
    const fetcher = { fetch: async (request: Request) => home.fetch(request) }
    const far = remote({ fetcher, name: 'home' })
    return (await search(createStack([far, lister('spare')], { mergesElsewhere: true, ...edge }), rest)).backend
  }

  test('has it merge, by the wish of the caller or its own setting', async () => {
    expect(await ask({}, {})).toBe('a, b')
    expect(await ask({ merge: 2 }, { merge: undefined })).toBe('a, b')
    expect(await ask({}, { merge: undefined })).toBe('a')
  })
})

test('the second page of a merged list has what the first has not, and nothing twice', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.subarray(letters, { minLength: 4 }),
      fc.subarray(letters, { minLength: 4 }),
      async (one, two) => {
        const pagesOf = (name: string, all: readonly string[]): Script =>
          async function* (request, signal) {
            const { cursor = 0, exclude = [] } = request
            const fresh = all.slice(cursor).filter((site) => !exclude.includes(`https://${site}.example/seals`))
            yield* lists(name, ...fresh.slice(0, 4))(request, signal)
          }
        const stack = createStack([lister('a', pagesOf('a', one)), lister('b', pagesOf('b', two))], {
          paging: { ttlSeconds: 60 },
        })
        const seen: string[] = []
        for (let page = 0; page < 8; page++) {
          const { searches } = await search(stack, { offset: seen.length || undefined, limit: 4 })
          seen.push(...sourcesOf(searches).map(({ url }) => new URL(url).hostname.slice(0, 1)))
        }
        expect(seen).toHaveLength(new Set(seen).size)
        expect(new Set(seen)).toEqual(new Set([...one, ...two]))
      },
    ),
    { numRuns: runs(60) },
  )
})

const letters = [...'abcdefghijkl']
