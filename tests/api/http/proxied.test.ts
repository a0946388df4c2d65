import { expect, test } from 'bun:test'
import { addressOf, proxySign } from '../../../src/api/http/proxied.ts'

test.each([
  ['http://csp.example:8080/v1/search?q=x', {}, 'http://csp.example:8080'],
  ['http://csp.example/', { 'x-forwarded-proto': 'https' }, 'https://csp.example'],
  ['https://csp.example/', { 'x-forwarded-proto': 'ftp' }, 'https://csp.example'],
  ['https://csp.example/', { 'x-forwarded-prefix': '/a/b-c' }, 'https://csp.example/a/b-c'],
  ['https://csp.example/', { 'x-forwarded-prefix': '/a/../@evil' }, 'https://csp.example'],
])('the address of csp as the caller of %s with %j wrote it is %s', (url, headers, address) => {
  expect(addressOf(new Request(url, { headers }))).toBe(address)
})

test.each([
  [{ via: '1.1 squid' }, 'the header via'],
  [{ 'x-forwarded-anything': '1' }, 'the header x-forwarded-anything'],
  [{ connection: 'close', 'user-agent': 'curl/8' }, 'the header connection: close, which its client did not send'],
  [{ connection: 'close', 'sec-fetch-mode': 'cors' }, 'the header connection: close, which its client did not send'],
  [{ connection: 'close' }, undefined],
  [{ 'user-agent': 'curl/8' }, undefined],
  [{ 'user-agent': 'not-curl/8', connection: 'close' }, undefined],
  [{}, undefined],
])('%j shows as its proxy %p', (headers, sign) => {
  expect(proxySign(new Headers(headers))).toBe(sign)
})
