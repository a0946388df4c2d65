import { expect, jest, test } from 'bun:test'
import type { SearchEvent } from '../../../../src/domain/search.ts'
import { SharedRun } from '../../../../src/executor/layers/cache/shared-run.ts'
import { failureOf } from '../../../support/failure-of.ts'

const { signal } = new AbortController()
const text = (length: number): SearchEvent => ({ type: 'text-delta', text: 'x'.repeat(length) })
const row = { title: '12', url: 'https://a.example/', source: 'fake' }

test.each<[string, SearchEvent, number]>([
  ['a text', { type: 'text-delta', text: 'x'.repeat(250) }, 250],
  ['the arguments of a call', { type: 'tool-call-delta', id: '1', arguments: 'x'.repeat(250) }, 250],
  ['rows', { type: 'search-results', id: '1', results: [row, { ...row, snippet: '12345' }] }, 2 * 20 + 5],
  ['another event, which counts as a hundred', { type: 'backend', name: 'fake' }, 100],
])('ten million characters are kept of one run, and no more: %s', async (_, event, size) => {
  const run = (length: number) => {
    const events = [text(length), event]
    async function* start() {
      yield* events
    }
    return Array.fromAsync(new SharedRun(start, () => {}).read(signal))
  }
  expect(await run(10_000_000 - size)).toHaveLength(2)
  expect(await failureOf(run(10_000_001 - size))).toMatchObject({ code: 'failed', message: 'The answer is too long.' })
})

test('a run does not begin for a follower that has left already', async () => {
  const start = jest.fn(async function* () {
    yield text(1)
  })
  const reading = Array.fromAsync(new SharedRun(start, () => {}).read(AbortSignal.abort()))
  expect((await failureOf(reading)).code).toBe('cancelled')
  expect(start).not.toHaveBeenCalled()
})
