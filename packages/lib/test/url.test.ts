import { describe, expect, test } from 'bun:test'
import {
  hostOf,
  isLoopback,
  isWebAddress,
  joinUrl,
  leadsElsewhere,
  normaliseUrl,
  pageKey,
  parseUrl,
  percentDecoded,
  plainUrl,
  withoutBrackets,
} from '../src/url.ts'

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

describe('addresses', () => {
  test.each([
    ['https://a.example/x?y#z', true],
    ['HTTP://a.example', true],
    ['ftp://a.example', false],
    ['https://me@a.example', false],
    ['https://:key@a.example', false],
    ['https://a.example/\u200bx', false],
    ['https://a.example/ x\n', false],
    [`https://a.example/${'x'.repeat(2030)}`, true],
    [`https://a.example/${'x'.repeat(2031)}`, false],
    ['https://', false],
  ])('%.60s may stand among the results: %p', (url, isOne) => expect(isWebAddress(url)).toBe(isOne))

  test('lose what a log does not show, and are joined with one slash', () => {
    expect(plainUrl('https://me:key@a.example:8443/v1//?k=1#x')).toBe('https://a.example:8443/v1')
    for (const base of ['https://a.example/v1', 'https://a.example/v1//?x#y'])
      expect(joinUrl(base, 'chat').href).toBe('https://a.example/v1/chat')
    expect([withoutBrackets('[::1]'), withoutBrackets('a.example')]).toEqual(['::1', 'a.example'])
    expect([percentDecoded('a%20b'), percentDecoded('%zz')]).toEqual(['a b', '%zz'])
  })

  test('whose host no name is as long as are none', () => {
    const host = (length: number) => `https://${'x'.repeat(length)}/`
    expect(parseUrl(host(512))).not.toBeNull()
    expect(parseUrl(host(513))).toBeNull()
    expect(parseUrl(`https:\n//${'x'.repeat(513)}`)).toBeNull()
    expect(parseUrl(`https://a.example/${'x'.repeat(5000)}`)).not.toBeNull()
    expect(parseUrl('/b', 'https://a.example/a')?.href).toBe('https://a.example/b')
  })

  test.each([
    ['https://a.example/gone', 'https://a.example/', true],
    ['https://a.example/', 'https://a.example/', false],
    ['https://a.example/x', 'https://a.example/y', false],
    ['https://a.example/x', 'https://a.example/?p=x', false],
    ['no', 'https://a.example/', false],
  ])('from %s to %s leads elsewhere: %p', (url, final, leads) => expect(leadsElsewhere(url, final)).toBe(leads))
})

test.each([
  [' https://www.a.example:443/x/ ', 'a.example/x'],
  ['http://A.example', 'a.example'],
  ['//a.example/x', 'a.example/x'],
  ['a.example:8080/x', 'a.example:8080/x'],
  ['https://a.example/x?b=1&amp;utm_source=y&c=%2f&&gclid=z#d', 'a.example/x?b=1&c=%2F'],
  ['https://a.example/x?utm_source=y', 'a.example/x'],
  ['https://a.example/x?msclkid=1&mc_cid=2&mc_eid=3&b=1&srsltid=4&gbraid=5', 'a.example/x?b=1'],
  ['https://a.example/x?mc_id=1&clid=2', 'a.example/x?mc_id=1&clid=2'],
  ['https://a.example/x?utm', 'a.example/x?utm'],
  ['https://me@a.example/', 'me:@a.example'],
  ['https://:key@a.example/', ':key@a.example'],
  ['http:a.example', 'a.example'],
  ['ftp://a.example/', undefined],
  ['mailto:a@b.example', undefined],
  ['https://', undefined],
])('the page at %s is %s', (address, key) => {
  expect(normaliseUrl(address)).toBe(key as string)
  expect(pageKey(address)).toBe(key ?? address)
})

test.each([
  [' HTTPS://www.A.example/x ', 'a.example'],
  ['*.a.example', 'a.example'],
  ['a.example/x/y\nz', 'a.example'],
  ['a.example.', 'a.example'],
  ['https://www.a.example./x.', 'a.example'],
])('the filter %j names the host %s', (domain, host) => expect(hostOf(domain)).toBe(host))
