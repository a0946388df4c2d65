import { describe, expect, test } from 'bun:test'
import { isPublicAddress } from '../../src/local/addresses.ts'
import { checkPageUrl, openedHosts } from '../../src/local/page-url.ts'
import { PageError } from '../../src/page-error.ts'

describe('an address is not public when it is', () => {
  test.each([
    ...['127.0.0.1', '127.255.255.254', '0.0.0.0', '10.0.0.1', '172.16.0.1', '192.168.1.1', '169.254.169.254'],
    ...[
      '100.64.0.1',
      '192.0.0.1',
      '192.0.2.1',
      '198.18.0.1',
      '203.0.113.1',
      '224.0.0.1',
      '240.0.0.1',
      '255.255.255.255',
    ],
    ...[
      '::',
      '::1',
      'fe80::1',
      'fe80::1%eth0',
      'fc00::1',
      'fd00:ec2::254',
      'fec0::1',
      'ff02::1',
      '100::1',
      '2001:db8::1',
    ],
    ...[
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
      '::127.0.0.1',
      '::ffff:0:127.0.0.1',
      '64:ff9b::127.0.0.1',
      '64:ff9b::a00:1',
    ],
    // What clouds tell their own machines: Azure, Alibaba, Oracle, Amazon, Google.
    ...['168.63.129.16', '::ffff:168.63.129.16', '64:ff9b::168.63.129.16', '100.100.100.200', '192.0.0.192'],
    ...['169.254.170.2', 'fd20:ce::254', 'fd00:c1::a9fe:a9fe'],
    ...['64:ff9b:1::8.8.8.8', '2002:7f00:1::', '2001:0:1::', '2001:2::1', '3fff::1', '4000::1', 'no address', ''],
  ])('%j', (address) => expect(isPublicAddress(address)).toBe(false))

  test.each(['8.8.8.8', '1.1.1.1', '168.63.129.17', '2606:4700::1111', '::ffff:8.8.8.8', '64:ff9b::8.8.8.8'])(
    'not %j',
    (address) => expect(isPublicAddress(address)).toBe(true),
  )
})

describe('before anything is resolved or sent', () => {
  const codeOf = (url: string, opened: readonly string[] = []): string => {
    try {
      return checkPageUrl(url, openedHosts(opened)).url.href
    } catch (error) {
      if (error instanceof PageError) return error.code
      throw error
    }
  }

  test.each([
    ...[
      '',
      'bees',
      'example.org',
      '/etc/passwd',
      'file:///etc/passwd',
      'javascript:alert(1)',
      'data:text/html,x',
      'http://',
    ],
    ...['ftp://example.org/', 'http://user:word@example.org/', 'http://user@example.org/', 'gopher://127.0.0.1:6379/_'],
    ...[
      'http://example.org:22/',
      'https://example.org:8443/',
      `https://example.org/${'a'.repeat(9000)}`,
      'view-source:http://x',
    ],
  ])('%j is invalid-url', (url) => expect(codeOf(url)).toBe('invalid-url'))

  test.each([
    ...['http://localhost', 'http://LOCALHOST./', 'http://a.localhost/', 'http://printer.local/', 'http://x.internal/'],
    ...[
      'http://127.0.0.1',
      'http://127.1',
      'http://2130706433',
      'http://0x7f000001',
      'http://0x7f.1',
      'http://0177.0.0.1',
    ],
    ...[
      'http://0',
      'http://127.0.0.1./',
      'http://127%2e0.0.1',
      'http://１２７.0.0.1',
      'http://①②⑦.0.0.1',
      'http:\\\\127.0.0.1',
    ],
    ...[
      'http://[::1]',
      'http://[::ffff:127.0.0.1]',
      'http://[64:ff9b::7f00:1]',
      'http://[fd00:ec2::254]',
      'http://[::]',
    ],
    ...[
      'http://169.254.169.254/latest/meta-data/',
      'http://168.63.129.16/',
      'http://0xa83f8110/',
      'http://metadata.google.internal/',
      'http://metadata.google.internal./',
      'http://10.0.0.1',
      'https://192.168.1.1/',
    ],
  ])('%j is not-allowed', (url) => expect(codeOf(url)).toBe('not-allowed'))

  test('a public page is taken without its fragment', () => {
    expect(codeOf('https://Example.org/a?b=c#d')).toBe('https://example.org/a?b=c')
    expect(codeOf('http://8.8.8.8/')).toBe('http://8.8.8.8/')
    expect(codeOf('\u00a0https://example.org/\n')).toBe('https://example.org/')
  })

  test('an address has 8192 characters at most', () => {
    const longest = 'https://example.org/'.padEnd(8192, 'a')
    expect(codeOf(longest)).toBe(longest)
    expect(codeOf(`${longest}a`)).toBe('invalid-url')
  })

  test('a refused port is named, with those that are open', () => {
    expect(() => checkPageUrl('http://example.org:22/', new Map())).toThrow(
      'Only the ports 80 and 443 can be read, not 22.',
    )
  })

  test('the operator opens hosts by name, and ports with them', () => {
    const opened = ['wiki.intranet', 'build.local:8080', '10.0.0.7', '[fd00::7]:81']
    expect(codeOf('http://wiki.intranet/', opened)).toBe('http://wiki.intranet/')
    expect(codeOf('http://build.local:8080/a', opened)).toBe('http://build.local:8080/a')
    expect(codeOf('http://build.local/', opened)).toBe('not-allowed')
    expect(codeOf('http://10.0.0.7/', opened)).toBe('http://10.0.0.7/')
    expect(codeOf('http://167772167/', opened)).toBe('http://10.0.0.7/')
    expect(codeOf('http://10.0.0.8/', opened)).toBe('not-allowed')
    expect(codeOf('http://[fd00::7]:81/', opened)).toBe('http://[fd00::7]:81/')
    expect(codeOf('http://[fd00::7]/', opened)).toBe('not-allowed')
    expect(codeOf('http://wiki.intranet:22/', opened)).toBe('invalid-url')
    expect(codeOf('https://build.local/', ['build.local:443'])).toBe('https://build.local/')
    expect(codeOf('http://build.local/', ['build.local:443'])).toBe('not-allowed')
  })

  test('an entry that is no host opens nothing', () => {
    expect(openedHosts(['', 'two words', 'wiki.intranet/page', 'ann@wiki.intranet']).size).toBe(0)
  })
})
