import { expect, test } from 'bun:test'
import { collect } from '../../../../src/domain/answer.ts'
import { SearchError, type SearchErrorCode } from '../../../../src/domain/error.ts'
import type { SearchEvent } from '../../../../src/domain/search.ts'
import { restarted } from '../../../../src/executor/layers/resilience/restarted.ts'
import { failureOf } from '../../../support/failure-of.ts'
import { answers, fakeExecutor, plays, requestFor, type Script } from '../../../support/fake-executor.ts'

/** Breaks off after its results, so often, and then answers. */
function breaksOff(times: number, code: SearchErrorCode = 'unavailable'): Script {
  let left = times
  return async function* (request) {
    for await (const event of answers(request)) {
      yield event
      if (event.type === 'search-results' && left-- > 0) throw new SearchError(code, 'The connection was lost.')
    }
  }
}

function ask(script: Script, isWhole?: boolean) {
  const fake = fakeExecutor(script)
  const { signal } = new AbortController()
  const events = restarted(fake).search(requestFor('q', { want: 'answer' }), { signal, isWhole })
  return { fake, events }
}

test('a whole answer that was lost in the middle is asked for once more, and its caller sees one answer', async () => {
  const { fake, events } = ask(breaksOff(1), true)
  expect(await collect(events)).toMatchObject({ text: 'This is q [1].', searches: [{ id: 'one' }] })
  expect(fake.requests).toHaveLength(2)
})

test('a whole answer that is lost twice fails before any of it has gone out', async () => {
  const { fake, events } = ask(breaksOff(2), true)
  const seen: SearchEvent[] = []
  const reading = (async () => {
    for await (const event of events) seen.push(event)
  })()
  expect(await failureOf(reading)).toMatchObject({ code: 'unavailable' })
  expect(seen).toEqual([])
  expect(fake.requests).toHaveLength(2)
})

test('a stream that was lost in the middle is not asked for again, since its caller has seen a part of it', async () => {
  const { fake, events } = ask(breaksOff(1))
  expect(await failureOf(collect(events))).toMatchObject({ code: 'unavailable' })
  expect(fake.requests).toHaveLength(1)
})

test.each(['failed', 'timeout', 'rate-limited'] as const)(
  'a whole answer that ends with %s is not asked for again',
  async (code) => {
    const { fake, events } = ask(breaksOff(1, code), true)
    expect(await failureOf(collect(events))).toMatchObject({ code })
    expect(fake.requests).toHaveLength(1)
  },
)

test('a whole answer that was refused before it began is not asked for again', async () => {
  const { fake, events } = ask(plays([new SearchError('unavailable', 'No home is connected.')]), true)
  expect(await failureOf(collect(events))).toMatchObject({ code: 'unavailable' })
  expect(fake.requests).toHaveLength(1)
})
