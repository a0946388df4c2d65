import { expect, test } from 'bun:test'
import { isPassedBack, isPassedOn } from '../../../src/executor/wire/headers.ts'

test.each([
  ...['authorization', 'x-api-key', 'x-subscription-token', 'cookie', 'proxy-authorization'],
  ...['host', 'origin', 'referer', 'forwarded', 'via', 'x-forwarded-for', 'x-real-ip', 'true-client-ip'],
  ...['cf-connecting-ip', 'sec-fetch-site', 'content-length', 'transfer-encoding'],
])('the header %s of a client does not reach the csp that answers in our stead', (name) => {
  expect(isPassedOn(name)).toBe(false)
})

test('the headers of a search reach it, and those of its reply come back', () => {
  const sent = ['accept', 'cache-control', 'content-type', 'traceparent', 'x-csp-caller', 'x-csp-whole', 'x-request-id']
  expect(sent.filter(isPassedOn)).toEqual(sent)
  const all = [...sent, 'retry-after', 'x-csp-model', 'set-cookie', 'server']
  expect(all.filter(isPassedBack)).toEqual(['content-type', 'retry-after', 'x-csp-model'])
})
