import { expect, test } from 'bun:test'
import { messagesRequest } from '../../src/messages-api/request.ts'
import { toUpstreamError, UpstreamError } from '../../src/messages-api/upstream-error.ts'

test.each([
  [400, 'invalid_request_error'],
  [401, 'authentication_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [413, 'request_too_large'],
  [422, 'invalid_request_error'],
  [429, 'rate_limit_error'],
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
