import { describe, expect, test } from 'bun:test'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import { collect } from '../../src/domain/answer.ts'
import type { SearchEvent, SearchRequest } from '../../src/domain/search.ts'
import { goingOn, isText, joinedText, searchesMade } from '../../src/jobs/going-on.ts'
import { JobListeners } from '../../src/jobs/job-listeners.ts'
import { requestFor } from '../support/fake-executor.ts'
import { answered, pages, scriptedExecutor } from '../support/scripted-executor.ts'

const request = requestFor('why?', { want: 'answer', effort: 'standard' })
const start: SearchEvent = { type: 'search-start', id: 's1', query: 'why?' }
const results: SearchEvent = { type: 'search-results', id: 's1', results: pages(3) }
const bare: SearchEvent = {
  type: 'search-results',
  id: 's1',
  results: [{ title: 'A', url: 'https://a.example/', source: 's' }],
}
const kept = (events: readonly SearchEvent[], run = 2) =>
  events.map((event, at) => ({ sequence: at + 1, run, at, event }))
const signal = new AbortController().signal

describe('the searches of an earlier run', () => {
  test('serve the next one where the answer is written over them alone', () => {
    expect(searchesMade(request, kept([start, results]))).toEqual({ run: 2, searches: [start, results] })
  })

  test('are those of the last run', () => {
    const events = [...kept([start, bare], 1), ...kept([start, results], 3)]
    expect(searchesMade(request, events)).toEqual({ run: 3, searches: [start, results] })
    expect(searchesMade(request, [...events, ...kept([start], 4)])).toBeUndefined()
  })

  test.each<[string, Partial<SearchRequest>, readonly SearchEvent[]]>([
    ['nothing was found yet', {}, []],
    ['a search has not ended', {}, [start, results, start]],
    ['no page has words', {}, [start, bare]],
    ['a list is wanted', { want: 'results' }, [start, results]],
    ['an agent searches', { effort: 'deep' }, [start, results]],
    ['a report is wanted', { research: 'low' }, [start, results]],
    ['there are tools', { tools: [{ name: 'f', parameters: {} }] }, [start, results]],
    ['there are earlier turns', { history: [{ role: 'user', text: 'Hi.' }] }, [start, results]],
  ])('are made again where %s', (_name, more, events) => {
    expect(searchesMade(requestFor('why?', { ...request, ...more }), kept(events))).toBeUndefined()
  })

  test('are the sources of the run that goes on, which counts them and shows none again', async () => {
    const executor = scriptedExecutor(answered)
    const events = await Array.fromAsync(goingOn(executor, request, [start, results], { signal }))
    expect(executor.calls[0]?.request.sources).toEqual(pages(3))
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['text-delta', 'citation', 'done']))
    const known = [{ type: 'backend', name: 'x' } as SearchEvent, start, results]
    const { usage } = await collect(goingOn(executor, request, known, { signal }))
    expect(usage).toEqual({ searches: 2, inputTokens: 100, outputTokens: 20 })
    const fresh = await Array.fromAsync(goingOn(executor, request, undefined, { signal }))
    expect(fresh).toEqual([...answered])
  })
})

test('a text that was kept in pieces is the same text in one piece for each stretch', () => {
  const citation = answered.find(({ type }) => type === 'citation') ?? start
  const piece = fc.oneof(
    fc.string().map((text): SearchEvent => ({ type: 'text-delta', text })),
    fc.constant(citation),
  )
  fc.assert(
    fc.property(fc.array(piece), (events) => {
      const joined = joinedText(events)
      const textOf = (all: readonly SearchEvent[]) =>
        all.map((event) => (event.type === 'text-delta' ? event.text : '[]')).join('')
      expect(textOf(joined)).toBe(textOf(events))
      for (const [at, { type }] of joined.entries())
        expect([type, joined[at + 1]?.type]).not.toEqual(['text-delta', 'text-delta'])
      expect(events.every(isText)).toBe(true)
    }),
    { numRuns: runs(100) },
  )
  expect([start, results, { type: 'backend', name: 'x' } as SearchEvent].some(isText)).toBe(false)
})

describe('a wait for a change of a job', () => {
  test('ends for all who wait for that job, and for no other', async () => {
    const listeners = new JobListeners()
    const ended: string[] = []
    const waits = ['a', 'a', 'b'].map((id) => listeners.changed(id, signal).then(() => ended.push(id)))
    listeners.announce('a')
    await Promise.all(waits.slice(0, 2))
    expect(ended).toEqual(['a', 'a'])
    listeners.announce('b')
    await waits[2]
    listeners.announce('b')
    expect(ended).toEqual(['a', 'a', 'b'])
  })

  test('ends when its caller leaves, and leaves nothing at the signal', async () => {
    const listeners = new JobListeners()
    await listeners.changed('a', AbortSignal.abort())
    const caller = new AbortController()
    const wait = listeners.changed('a', caller.signal)
    caller.abort()
    await wait
  })
})
