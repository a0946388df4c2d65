import { expect, test } from 'bun:test'
import { failureOfReply, readFailure } from '../../../src/executor/wire/failure.ts'

const told = (more: object = {}) => ({ type: 'error', code: 'busy', message: 'Later.', ...more })

test.each([
  ['cancelled', 'unavailable'],
  ['unauthorized', 'signed-out'],
  ['forbidden', 'signed-out'],
  ['too-large', 'invalid-request'],
  ['unknown-model', 'invalid-request'],
  ['timeout', 'timeout'],
  ['a-new-one', 'failed'],
])('what another csp calls %s is %s, in its words, and in none of its words for others', (code, known) => {
  const failure = readFailure(told({ code }))
  expect(failure).toMatchObject({ code: known, message: 'Later.' })
  expect(failure?.forOthers).toStartWith('The other csp')
})

test.each([
  [0.5, 1],
  [7, 7],
  [7.1, 8],
  [2_592_000, 2_592_000],
  [2_592_001, 2_592_000],
])('a wait of %d s is one of %i s', (given, seconds) => {
  expect(readFailure(told({ retryAfterSeconds: given }))?.retryAfterSeconds).toBe(seconds)
})

test('words are cut at 500 characters, and what is no failure is none', () => {
  expect(readFailure(told({ message: 'x'.repeat(501) }))?.message).toBe('x'.repeat(500))
  for (const value of [undefined, {}, told({ type: 'done' }), told({ message: 5 }), told({ retryAfterSeconds: 0 })])
    expect(readFailure(value)).toBeUndefined()
})

test.each([
  [400, 'invalid-request'],
  [413, 'invalid-request'],
  [401, 'signed-out'],
  [403, 'signed-out'],
  [429, 'rate-limited'],
  [504, 'timeout'],
  [500, 'unavailable'],
  [404, 'unavailable'],
])('a reply of status %i without a failure is %s', async (status, code) => {
  const failure = await failureOfReply('far', new Response('<html>', { status, headers: { 'retry-after': '9' } }))
  const isRefused = code === 'signed-out'
  expect(failure).toMatchObject({
    ...{ code, message: isRefused ? 'far refuses the key of this csp.' : `far answered with status ${status}.` },
    ...(!isRefused && { retryAfterSeconds: 9 }),
  })
})

test('a reply with a failure says what that says, its wait before that of the header, up to a length', async () => {
  const reply = (body: object, wait: string) =>
    failureOfReply('far', Response.json(body, { status: 500, headers: { 'retry-after': wait } }))
  expect(await reply(told({ retryAfterSeconds: 3 }), '9')).toMatchObject({ code: 'busy', retryAfterSeconds: 3 })
  expect((await reply(told(), 'soon')).retryAfterSeconds).toBeUndefined()
  expect((await reply(told(), '0')).retryAfterSeconds).toBeUndefined()
  const sized = (length: number) => told({ more: 'x'.repeat(length - JSON.stringify(told({ more: '' })).length) })
  expect((await reply(sized(64 * 1024), '9')).message).toBe('Later.')
  expect((await reply(sized(64 * 1024 + 1), '9')).message).toBe('far answered with status 500.')
})
