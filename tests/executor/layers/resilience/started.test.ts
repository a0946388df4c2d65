import { expect, test } from 'bun:test'
import { SearchError } from '../../../../src/domain/error.ts'
import type { ResearchStep } from '../../../../src/domain/research-step.ts'
import type { SearchEvent } from '../../../../src/domain/search.ts'
import { looked } from '../../../../src/executor/layers/resilience/misses.ts'
import { started } from '../../../../src/executor/layers/resilience/started.ts'
import { done } from '../../../support/fake-executor.ts'

async function* failingAfter(...events: readonly SearchEvent[]) {
  yield* events
  throw new SearchError('unavailable', 'It broke.')
}
const research = (kind: string): SearchEvent => ({ type: 'research', step: { kind } as ResearchStep })
const found: SearchEvent = { type: 'search-results', id: 'one', results: [] }

test('a search has begun with its first content, or with the outline of a research', async () => {
  for (const [event, hasBegun] of [
    [found, true],
    [research('outline'), true],
    [research('note'), false],
    [{ type: 'search-start', id: 'one', query: 'q' }, false],
    [{ type: 'backend', name: 'fake' }, false],
  ] as const)
    expect((await started(failingAfter(event))) instanceof SearchError).toBe(!hasBegun)
})

test('a search that ends without a word has failed', async () => {
  async function* nothing() {
    yield* [] as SearchEvent[]
  }
  expect(await started(nothing())).toMatchObject({ code: 'failed', message: 'The search ended without a result.' })
})

test('what has begun can be left, and then is at its end', async () => {
  let isLeft = 0
  const events = async () => {
    async function* source() {
      try {
        yield found
        yield done
      } finally {
        await Bun.sleep(0)
        isLeft++
      }
    }
    const begun = await started(source())
    if (begun instanceof SearchError) throw begun
    return begun
  }
  expect(await (await events()).return?.()).toEqual({ done: true, value: undefined })
  expect(isLeft).toBe(1)
  const { events: held, isMiss } = await looked(await events())
  expect(isMiss).toBe(true)
  expect(await held.return?.()).toEqual({ done: true, value: undefined })
  expect(isLeft).toBe(2)
})

test('a search that has not searched by its first word has missed nothing', async () => {
  async function* source(): AsyncGenerator<SearchEvent> {
    yield { type: 'text-delta', text: 'It is.' }
    yield done
  }
  const begun = await started(source())
  if (begun instanceof SearchError) throw begun
  expect((await looked(begun)).isMiss).toBe(false)
})
