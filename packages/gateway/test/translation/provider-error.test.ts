import { describe, expect, test } from 'bun:test'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import { errorWords } from '../../src/catalogue/error-within.ts'
import { explain } from '../../src/catalogue/explain.ts'
import { failureInReply } from '../../src/translation/provider-error.ts'

const explained = (status: number, body: unknown, key?: string) =>
  explain({ status, body }, { name: 'shop', isNamed: true, key })

describe('an error of a provider', () => {
  test('is read from whichever envelope it came in', () => {
    const form = fc.constantFrom<(message: string) => unknown>(
      (message) => ({ error: { message } }),
      (message) => [{ error: { message } }],
      (message) => ({ error: message }),
      (message) => ({ detail: message }),
      (message) => ({ detail: [{ loc: ['body', 'a', 0], msg: message }] }),
      (message) => ({ msg: message }),
      (message) => ({ error: { error: { error: { message } } } }),
      (message) => JSON.stringify({ message }),
    )
    fc.assert(
      fc.property(form, fc.stringMatching(/^[a-z]{1,20} [a-z]{1,20}$/), (envelope, message) => {
        expect(errorWords(envelope(message)).message).toBe(message)
      }),
      { numRuns: runs(100) },
    )
  })

  test('names the parameter of the first issue, without the place of the body', () => {
    const body = { detail: [{ loc: ['body', 'tools', 0, 'name'], msg: 'No.' }] }
    expect(errorWords(body)).toMatchObject({ message: 'No.', param: 'tools.0.name' })
  })

  test('says what the provider behind a router said, whose code and type count', () => {
    const raw = { error: { message: 'Too much.', code: 'inner', type: 'inner_type', param: 'inner_param' } }
    const error = { message: 'Provider returned error', code: 'outer', type: 'outer_type', metadata: { raw } }
    expect(errorWords({ error })).toEqual({
      message: 'Provider returned error: Too much.',
      param: 'inner_param',
      code: 'inner',
      type: 'inner_type',
    })
    const bare = { ...error, param: 'outer_param', metadata: { raw: 'Too much.' } }
    expect(errorWords({ error: bare })).toMatchObject({
      param: 'outer_param',
      code: 'outer',
      type: 'outer_type',
    })
  })

  test('is not followed for ever', () => {
    let body: unknown = { message: 'deep' }
    for (let depth = 0; depth < 10_000; depth++) body = { error: body }
    expect(errorWords(body)).toEqual({ message: '' })
  })

  test.each([
    [401, /key/],
    [403, /key/],
    [404, /address/],
    [400, /No\.$/],
    [500, /No\.$/],
  ])('with status %i says what to look at', (status, words) => {
    expect(explained(status, { message: 'No.' })).toMatchObject({ status, message: expect.stringMatching(words) })
  })

  test('keeps a status that is one of an error, and no other', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1000 }), (status) => {
        expect(explained(status, '').status).toBe(status >= 400 && status < 600 ? status : 502)
      }),
      { numRuns: runs(100), examples: [[399], [400], [599], [600]] },
    )
  })

  test('without words has its status', () => {
    expect(explained(500, '  ').message).toBe('shop failed with status 500.')
  })

  test('has a bound, and never holds the key', () => {
    const { message, cause } = explained(
      400,
      { message: `a-long-key ${'x'.repeat(5000)}`, code: 'a-long-key' },
      'a-long-key',
    )
    expect(message.length).toBeLessThan(2020)
    expect(`${message} ${cause}`).not.toContain('a-long-key')
  })

  test.each([
    { message: 'This model has a maximum context length of 8 tokens.' },
    { message: 'Prompt is too long' },
    { code: 'context_length_exceeded', message: 'No.' },
  ])('has the words that make Claude Code compact: %j', (error) => {
    expect(explained(400, { error }).message).toStartWith('prompt is too long: shop: ')
  })

  test('is one of billing where the quota is used up', () => {
    expect(explained(429, { error: { code: 'insufficient_quota', message: 'No.' } }).type).toBe('billing_error')
    expect(explained(429, { error: { type: 'insufficient_quota', message: 'No.' } }).type).toBe('billing_error')
    expect(explained(429, { error: { code: 'rate_limit_exceeded', message: 'No.' } }).type).toBe('rate_limit_error')
  })
})

test.each([
  [{ code: 429 }, 429],
  [{ code: '400' }, 400],
  [{ code: 399 }, 502],
  [{ code: 600 }, 502],
  [{ code: 'invalid_api_key' }, 401],
  [{ code: 'authentication_error' }, 401],
  [{ code: 'rate_limit_exceeded' }, 429],
  [{ code: 'slow_down' }, 503],
  [{ code: 'server_is_overloaded' }, 503],
  [{ code: 'invalid_image' }, 400],
  [{ code: 'not_invalid_' }, 502],
  [{ code: 'new', type: 'overloaded_error' }, 529],
  [{ type: 'BadRequestError' }, 400],
  [{ type: 'invalid_request' }, 400],
  [{ code: 'insufficient_quota' }, 402],
  [{ code: 'context_length_exceeded' }, 400],
  [{ code: 'server_error' }, 500],
  [{ message: 'No.' }, 502],
])('the error %j in a stream has the status %i', (error, status) => {
  expect(failureInReply(error).failure.status).toBe(status)
})
