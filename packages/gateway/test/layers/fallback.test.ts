import { expect, test } from 'bun:test'
import { UpstreamError } from '@csp/messages-api/upstream-error'
import { firstToBegin } from '../../src/layers/fallback.ts'

async function* failing(status: number): AsyncGenerator<string> {
  if (status > 0) throw new UpstreamError(status, `It says ${status}.`)
  yield 'an answer'
}

test.each([
  [[401, 402, 403, 404, 408, 429, 500, 502, 503, 504, 529], 'an answer'],
  [[400, 405, 413, 422, 451, 499], undefined],
])('an upstream that fails with one of %j is followed by the next: %s', async (statuses, answer) => {
  for (const status of statuses) {
    const failures: number[] = []
    const candidates = [() => failing(status), () => failing(0)]
    const items = await Array.fromAsync(firstToBegin(candidates, (failure) => failures.push(failure.status))).catch(
      (error: UpstreamError) => error.status,
    )
    expect({ status, items, failures }).toEqual({
      status,
      items: answer === undefined ? status : [answer],
      failures: answer === undefined ? [] : [status],
    })
  }
})

test('the last upstream that fails is the failure, and nothing is said to follow it', async () => {
  const failures: number[] = []
  const candidates = [() => failing(500), () => failing(503)]
  const items = Array.fromAsync(firstToBegin(candidates, ({ status }) => failures.push(status)))
  await expect(items).rejects.toMatchObject({ status: 503 })
  expect(failures).toEqual([500])
})
