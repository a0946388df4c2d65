import { expect, test } from 'bun:test'
import { SearchError } from '../../../../src/domain/error.ts'
import { explainMessages, explainMessagesError, refusesTool } from '../../../../src/executor/backends/messages/error.ts'

const now = new Date('2026-03-15T12:00:00Z')
const headers = new Headers({ 'retry-after': '7' })

test.each([
  ['billing_error', 'Pay.', 'rate-limited', 'The credit of this key at the Anthropic API is used up.'],
  [
    'api_error',
    'Your credit balance is low.',
    'rate-limited',
    'The credit of this key at the Anthropic API is used up.',
  ],
  ['rate_limit_error', 'x', 'rate-limited', 'The rate limit of this key at the Anthropic API is reached.'],
  ['authentication_error', 'x', 'signed-out', expect.stringContaining('rejects the key')],
  ['permission_error', 'x', 'signed-out', expect.stringContaining('lacks the permission')],
  [
    'invalid_request_error',
    'Web search is not enabled.',
    'unavailable',
    expect.stringContaining('Web search is disabled'),
  ],
  [
    'invalid_request_error',
    'Web search: no such field.',
    'invalid-request',
    'The Anthropic API rejected the request. It says: Web search: no such field.',
  ],
  [
    'invalid_request_error',
    'Images are not supported.',
    'invalid-request',
    'The Anthropic API rejected the request. It says: Images are not supported.',
  ],
  ['overloaded_error', 'x', 'unavailable', 'The Anthropic API is overloaded (529).'],
  ['not_found_error', 'x', 'invalid-request', 'The Anthropic API does not know this model. It says: x'],
  ['request_too_large', 'x', 'invalid-request', 'The request is too long for the model. It says: x'],
  [
    'invalid_request_error',
    'prompt is too long: 1',
    'invalid-request',
    'The request is too long for the model. It says: prompt is too long: 1',
  ],
  ['api_error', 'x', 'unavailable', 'The Anthropic API has failed (500).'],
  ['a_new_error', 'x', 'unavailable', 'The Anthropic API has failed.'],
])('an error of the type %s that says “%s” is %s', (type, said, code, message) => {
  const error = explainMessagesError({ type, message: said, headers }, now)
  expect<unknown>([error.code, error.message, error.cause]).toEqual([code, message, `${type}: ${said}`])
  expect(error.retryAfterSeconds).toBe(code === 'rate-limited' || code === 'unavailable' ? 7 : undefined)
})

test('an error is shown with 200 characters at most, and kept with 300', () => {
  const error = explainMessagesError({ type: 'invalid_request_error', message: 'x'.repeat(400), headers }, now)
  expect(error.message).toEndWith(`It says: ${'x'.repeat(200)} …`)
  expect(error.message).not.toContain('x'.repeat(201))
  expect(error.cause).toBe(`invalid_request_error: ${'x'.repeat(300)}`)
})

test('a reply without the envelope of the API is told by its status', () => {
  const explained = (status: number, text: string) =>
    explainMessages({ status, headers, text, url: new URL('https://a.example') } as never, now)
  expect(explained(429, '<html>slow down').cause).toBe('rate_limit_error: <html>slow down')
  expect(explained(401, '{"error":{"type":"rate_limit_error"}}').cause).toBe(
    'rate_limit_error: {"error":{"type":"rate_limit_error"}}',
  )
  expect(explained(400, 'x'.repeat(300)).cause).toBe(`invalid_request_error: ${'x'.repeat(200)}`)
})

test.each([
  ['invalid_request_error: web_search_9 is unknown', true],
  ['invalid_request_error: allowed_callers: no such field', true],
  ['invalid_request_error: max_tokens', false],
  ['rate_limit_error: web_search_9', false],
  [undefined, false],
])('the refusal %p is one of the tool: %p', (cause, isSo) => {
  expect(refusesTool(new SearchError('invalid-request', 'No.', { cause }), 'web_search_9')).toBe(isSo)
  expect(refusesTool(new Error(cause), 'web_search_9')).toBe(false)
})

test('an error that quotes the prompt is shown up to there', () => {
  const sent = { messages: [{ role: 'user' as const, content: 'Write over the numbered sources.' }] }
  const message = 'Refused by proxy.lan:8443: Write over the numbered sources.'
  const error = explainMessagesError({ type: 'invalid_request_error', message, headers }, now, sent)
  expect(error.message).toEndWith('It says: Refused by the upstream: …')
})
