import { expect, test } from 'bun:test'
import { SearchError } from '../../../../src/domain/error.ts'
import { resultsRequest } from '../../../../src/domain/search.ts'
import { logFailure } from '../../../../src/runtime/cli/mcp/mcp.ts'
import type { Log } from '../../../../src/runtime/log/log.ts'

// What csp mcp logs of a call that failed. Its log is kept in a file of its client.

const recent = [resultsRequest({ query: 'my secret words' })]

function logged(code: Parameters<typeof logFailure>[1], error: unknown) {
  const lines: unknown[] = []
  const log: Log = (level, message, properties) => lines.push([level, message, properties])
  logFailure(log, code, error, recent)
  return lines
}

test('a fault is a warning with its reason, without what was asked', () => {
  const error = new SearchError('unavailable', 'No answer to "my secret words".', { cause: new Error('reset') })
  const reason = expect.stringMatching(/^No answer to "[^a-z]*"\.$/)
  expect(logged('unavailable', error)).toEqual([
    [
      'warning',
      expect.stringMatching(/^A call failed, code=unavailable: No answer to/),
      { code: 'unavailable', reason },
    ],
    [
      'debug',
      expect.stringMatching(/^It failed because of unavailable: No answer to .* <- Error: reset/),
      expect.anything(),
    ],
  ])
})

test('an error that csp did not expect is told by where it broke', () => {
  const error = new SearchError('failed', 'The search failed.', { cause: new TypeError('x is no function') })
  const [[level, message] = []] = logged('failed', error) as string[][]
  expect([level, message]).toEqual([
    ...['warning', expect.stringMatching(/^A call failed, code=failed: TypeError at /)],
  ])
})

test.each([
  ['rate-limited', new SearchError('rate-limited', 'It is spent.'), 2],
  ['invalid-request', new SearchError('invalid-request', 'It is wrong.'), 2],
] as const)('%s is no fault, and no reason is logged', (code, error, lines) => {
  const found = logged(code, error)
  expect(found).toHaveLength(lines)
  expect(found[0]).toEqual(['info', `A call failed, code=${code}`, { code, reason: undefined }])
})
