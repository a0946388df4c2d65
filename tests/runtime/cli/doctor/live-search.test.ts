import { describe, expect, test } from 'bun:test'
import { SearchError } from '../../../../src/domain/error.ts'
import type { Answer } from '../../../../src/domain/search.ts'
import type { Executor } from '../../../../src/executor/executor.ts'
import { isGrounded, measureSearch, requestFor } from '../../../../src/runtime/cli/doctor/live-search.ts'
import { answers, fails, fakeExecutor, hangs } from '../../../support/fake-executor.ts'

/** The time goes on by 10 ms at each look. */
function measure(executor: Executor, signal = new AbortController().signal) {
  let time = 0
  return measureSearch(executor, requestFor('results', 'q'), signal, () => (time += 10))
}

test('the request of a strategy is what a caller would send', () => {
  const filters = { language: 'de' }
  const common = { query: 'q', history: [], filters }
  expect(requestFor('results', 'q', filters)).toEqual({ ...common, want: 'results', effort: 'fast', limit: 10 })
  expect(requestFor('deep', 'q', filters)).toEqual({ ...common, want: 'answer', effort: 'deep' })
})

describe('a measured search', () => {
  test('is not cached, and has its reply whole', async () => {
    const executor = fakeExecutor(answers)
    const measured = await measure(executor)
    expect(executor.calls[0]?.context).toMatchObject({ cache: 'no-store', isWhole: true })
    expect(measured).toMatchObject({ ms: 10, modelCalls: 0, reply: { reason: 'stop' } })
  })

  test('counts the searches and the model calls that were seen', async () => {
    const executor = fakeExecutor(async function* () {
      for (const id of ['1', '2', '3']) {
        executor.calls[0]?.context.trace?.modelCalled()
        yield { type: 'search-start', id, query: 'q' }
        yield { type: 'search-results', id, results: [] }
      }
      yield { type: 'done', reason: 'stop', usage: { searches: 2, inputTokens: 1, outputTokens: 1 }, model: 'm' }
    })
    expect(await measure(executor)).toMatchObject({ searches: 3, modelCalls: 3 })
    const failing = fakeExecutor(async function* () {
      for (const id of ['1', '2']) yield { type: 'search-start', id, query: 'q' }
      throw new SearchError('failed', 'It broke.')
    })
    expect(await measure(failing)).toMatchObject({ searches: 2, reply: { code: 'failed' } })
    expect(await measure(fakeExecutor(fails('timeout')))).toMatchObject({ searches: 1, reply: { code: 'timeout' } })
  })

  test.each(['cancelled', 'rate-limited', 'signed-out', 'unauthorized'] as const)('rejects with %s', async (code) => {
    await expect(measure(fakeExecutor(fails(code)))).rejects.toMatchObject({ code })
  })

  test('rejects where it is aborted', async () => {
    const stop = new AbortController()
    const executor = fakeExecutor(hangs)
    const running = measure(executor, stop.signal)
    await executor.begun()
    stop.abort()
    await expect(running).rejects.toBeInstanceOf(SearchError)
  })
})

describe('grounded', () => {
  const row = (host: string) => ({ title: host, url: `https://${host}.example/`, source: 'claude' })
  const answer = (text: string, urls: readonly string[] = []): Answer => ({
    text,
    searches: [{ id: 's', query: 'q', results: [row('a'), row('b')] }],
    citations: urls.map((url) => ({ number: 1, url, title: 't', start: 0, end: 3 })),
    toolCalls: [],
    reason: 'stop',
    usage: { searches: 1, inputTokens: 0, outputTokens: 0 },
    model: 'm',
  })

  test('is an answer that refers only to what its searches found', () => {
    expect(isGrounded(answer('Seals swim [1][2]. See https://a.example.', ['https://a.example/']))).toBe(true)
    expect(isGrounded(answer('Nothing is known.'))).toBe(true)
  })

  test('is not an answer with a marker, a citation or an address of its own', () => {
    expect(isGrounded(answer('Seals swim [3].'))).toBe(false)
    expect(isGrounded(answer('Seals swim.', ['https://c.example/']))).toBe(false)
    expect(isGrounded(answer('See https://c.example/.'))).toBe(false)
  })
})
