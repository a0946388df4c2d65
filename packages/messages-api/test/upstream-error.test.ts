import { expect, test } from 'bun:test'
import { isErrorType } from '../src/error.ts'
import { isBlocks, messagesRequest } from '../src/request.ts'
import { abortedCall, shuttingDown, toUpstreamError, UpstreamError } from '../src/upstream-error.ts'

test.each([
  [400, 'invalid_request_error'],
  [401, 'authentication_error'],
  [402, 'billing_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [408, 'timeout_error'],
  [413, 'request_too_large'],
  [422, 'invalid_request_error'],
  [429, 'rate_limit_error'],
  [498, 'invalid_request_error'],
  [499, 'api_error'],
  [500, 'api_error'],
  [502, 'api_error'],
  [503, 'overloaded_error'],
  [504, 'timeout_error'],
  [529, 'overloaded_error'],
])('An error of status %i has the type %s in the envelope', (status, type) => {
  expect<unknown>(new UpstreamError(status, 'x').toBody()).toEqual({ type: 'error', error: { type, message: 'x' } })
})

test('An error keeps its own type, and anything thrown becomes one', () => {
  expect(new UpstreamError(400, 'x', { type: 'billing_error' }).type).toBe('billing_error')
  const error = new UpstreamError(400, 'x')
  expect(toUpstreamError(error)).toBe(error)
  expect(toUpstreamError(new DOMException('x', 'TimeoutError')).status).toBe(504)
  expect(toUpstreamError(new DOMException('x', 'AbortError')).status).toBe(499)
  expect(toUpstreamError(new TypeError('x'))).toMatchObject({ status: 500, cause: new TypeError('x') })
})

test('A request keeps fields and blocks that nobody knows, and names the field that is wrong', () => {
  const request = {
    model: 'm',
    messages: [{ role: 'user', content: [{ type: 'new', x: 1 }], more: 2 }],
    context_management: { edits: [] },
  }
  expect<unknown>(messagesRequest.parse(request)).toEqual(request)
  const wrong = messagesRequest.safeParse({ ...request, tools: [{ name: 5 }] })
  expect(wrong.error?.issues[0]?.path).toEqual(['tools', 0, 'name'])
})

test('A call that was aborted fails with why it was', () => {
  const why = (reason?: unknown) => abortedCall(AbortSignal.abort(reason))
  const own = new UpstreamError(503, 'x')
  expect(why(own)).toBe(own)
  expect(why(new DOMException('x', 'TimeoutError'))).toMatchObject({
    status: 504,
    message: 'The upstream took too long.',
  })
  for (const reason of [undefined, new TypeError('x'), { name: 'TimeoutError' }])
    expect(why(reason)).toMatchObject({ status: 499, message: 'The request was cancelled.' })
  expect(shuttingDown()).toMatchObject({ status: 503, type: 'overloaded_error' })
})

test('A list of blocks has a type in each, and an error has one of the API', () => {
  expect([[], [{ type: 'a' }], [{ type: 'a' }, null], [{ type: 1 }], 'text', undefined].map(isBlocks)).toEqual([
    ...[true, true, false, false, false, false],
  ])
  expect(['api_error', 'other', 'toString', 5, undefined].map(isErrorType)).toEqual([true, false, false, false, false])
})
