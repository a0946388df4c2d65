import { expect, test } from 'bun:test'
import { isLoopback, isWebAddress, normaliseUrl } from '../../src/lib/url.ts'

test.each([
  ['https://a.example/Foo_%28bar%29', 'https://a.example/Foo_(bar)'],
  ['https://a.example/foo%2Dbar', 'https://a.example/foo-bar'],
  ['https://a.example/foo%2ehtml', 'https://a.example/foo.html'],
  ['https://a.example/foo%5Fbar', 'https://a.example/foo_bar'],
  ['https://a.example/%7efoo', 'https://a.example/~foo'],
])('%s is the same page as %s', (escaped, plain) => {
  expect(normaliseUrl(escaped)).toBe(normaliseUrl(plain))
})

test.each(['https://user@a.example/', 'https://:word@a.example/', 'https://user:word@a.example/'])(
  '%s is no web address, since it carries credentials',
  (address) => expect(isWebAddress(address)).toBe(false),
)

test.each(['\ufff9', '\u{e0041}'])('an address with the unseen character %j is no web address', (unseen) => {
  expect(isWebAddress(`https://a.example/${unseen}x`)).toBe(false)
})

test.each([
  ['localhost', true],
  ['127.0.0.1', true],
  ['127.8.9.10', true],
  ['::1', true],
  ['[::1]', true],
  ['0:0:0:0:0:0:0:1', true],
  ['0.0.0.0', false],
  ['[::]', false],
  ['128.0.0.1', false],
  ['127.0.0.1.example.com', false],
  ['localhost.example.com', false],
  ['example.com', false],
  ['::1:2', false],
])('whether %s is loopback: %p', (host, expected) => {
  expect(isLoopback(host)).toBe(expected)
})
