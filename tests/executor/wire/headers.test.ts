import { expect, test } from 'bun:test'
import { isPassedOn } from '../../../src/executor/wire/headers.ts'

test.each([
  ...['authorization', 'x-api-key', 'x-subscription-token', 'cookie', 'proxy-authorization'],
  ...['host', 'origin', 'referer', 'forwarded', 'via', 'x-forwarded-for', 'x-real-ip', 'true-client-ip'],
  ...['cf-connecting-ip', 'sec-fetch-site', 'content-length', 'transfer-encoding'],
])('the header %s of a client does not reach the csp that answers in our stead', (name) => {
  expect(isPassedOn(name)).toBe(false)
})
