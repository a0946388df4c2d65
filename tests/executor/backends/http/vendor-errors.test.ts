import { expect, test } from 'bun:test'
import { exa } from '../../../../src/executor/backends/exa/exa.ts'

const now = new Date('2026-05-20T12:00:00Z')

test.each<[number, string, string, string, number | undefined]>([
  [200, '', 'failed', 'Exa sent something other than results.', undefined],
  [402, '', 'rate-limited', 'The credit at Exa is used up.', 7],
  [432, '', 'rate-limited', 'The credit at Exa is used up.', 7],
  [433, '', 'rate-limited', 'The credit at Exa is used up.', 7],
  [400, 'No credits left.', 'rate-limited', 'The credit at Exa is used up.', 7],
  [400, 'Accredited sites alone.', 'invalid-request', 'Exa refused the request.', undefined],
  [422, 'No credits left.', 'invalid-request', 'Exa refused the request.', undefined],
  [401, '', 'signed-out', 'Exa refuses the key. Set another with EXA_API_KEY.', undefined],
  [403, '', 'signed-out', 'Exa refuses the key. Set another with EXA_API_KEY.', undefined],
  [429, '', 'rate-limited', 'Exa receives too many requests.', 7],
  [404, '', 'unavailable', 'Exa has nothing at this address.', undefined],
  [500, '', 'unavailable', 'Exa failed (500).', 7],
])('the status %i of a vendor that says “%s” is %s', (status, said, code, message, retryAfterSeconds) => {
  const explained = (more: Record<string, string>) =>
    exa.explain(
      { status, text: JSON.stringify({ error: said }), headers: new Headers(more) } as never,
      now,
      new URL('https://a.example'),
    )
  const error = explained({ 'retry-after': '7' })
  expect<unknown>([error.code, error.message, error.retryAfterSeconds]).toEqual([code, message, retryAfterSeconds])
  if (status !== 200) expect(error.cause).toBe(`${status} ${said}`.trim())
  expect(explained({}).retryAfterSeconds).toBe(status === 429 ? 1 : undefined)
})

test('the cause of such a failure has 300 characters at most of what the vendor says', () => {
  const text = JSON.stringify({ error: 'x'.repeat(400) })
  const error = exa.explain({ status: 500, text, headers: new Headers() } as never, now, new URL('https://a.example'))
  expect(error.cause).toBe(`500 ${'x'.repeat(300)}`)
})
