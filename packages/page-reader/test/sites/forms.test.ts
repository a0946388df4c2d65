import { describe, expect, test } from 'bun:test'
import { anyText } from '@csp/testing/any-text'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import { siteForms } from '../../src/sites/sites.ts'

const addressesOf = (url: string) => siteForms(url).map(({ addresses }) => addresses[0])

test.each([
  ['https://github.com/a-b/c.d_e/blob/main/src/x.ts', ['https://raw.githubusercontent.com/a-b/c.d_e/main/src/x.ts']],
  [
    'http://www.github.com/a/b/blob/v1/x%20y/%23.md?plain=1#L10-L20',
    ['https://raw.githubusercontent.com/a/b/v1/x%20y/%23.md'],
  ],
  ['https://github.com/a/b/blob/fix%2Fone/x.ts', ['https://raw.githubusercontent.com/a/b/fix%2Fone/x.ts']],
  ['https://github.com/a/b/raw/main/x.ts', ['https://raw.githubusercontent.com/a/b/main/x.ts']],
  ['https://github.com/a_corp/b/issues/7#issuecomment-1', ['https://api.github.com/repos/a_corp/b/issues/7']],
  ['https://github.com/a/b/pull/8', ['https://api.github.com/repos/a/b/issues/8']],
  [
    'https://stackoverflow.com/q/5/6',
    ['https://api.stackexchange.com/2.3/questions/5?site=stackoverflow.com&filter=withbody'],
  ],
  [
    'https://es.stackoverflow.com/questions/5',
    ['https://api.stackexchange.com/2.3/questions/5?site=es.stackoverflow.com&filter=withbody'],
  ],
  [
    'https://math.meta.stackexchange.com/questions/5/x',
    ['https://api.stackexchange.com/2.3/questions/5?site=math.meta.stackexchange.com&filter=withbody'],
  ],
  [
    'https://www.superuser.com/questions/5/x',
    ['https://api.stackexchange.com/2.3/questions/5?site=superuser.com&filter=withbody'],
  ],
  [
    'https://mathoverflow.net/questions/5/x',
    ['https://api.stackexchange.com/2.3/questions/5?site=mathoverflow.net&filter=withbody'],
  ],
  ['https://news.ycombinator.com/item?id=1&p=2', ['https://hn.algolia.com/api/v1/items/1']],
  [
    'https://npmjs.com/package/left-pad?activeTab=readme',
    ['https://registry.npmjs.org/left-pad', 'https://registry.npmjs.org/left-pad/latest'],
  ],
  [
    'https://www.npmjs.com/package/@a%2Fb/v/1.0.0-rc.1+x',
    ['https://registry.npmjs.org/@a%2fb', 'https://registry.npmjs.org/@a%2fb/1.0.0-rc.1+x'],
  ],
])('what is fetched for %s', (url, expected) => expect(addressesOf(url)).toEqual(expected))

test.each([
  ...['https://x@github.com/a/b/pull/8', 'https://:x@github.com/a/b/pull/8', 'https://github.com:8443/a/b/pull/8'],
  ...['https://github.com.evil.test/a/b/pull/8', 'https://evilgithub.com/a/b/pull/8'],
  ...['https://github.com/a/b', 'https://github.com/a/b/tree/main/src', 'https://github.com/a/b/blob/main'],
  ...['https://github.com/a/b/issues', 'https://github.com/a/b/issues/new', 'https://github.com/a/b/pull/8/files'],
  ...[
    'https://gist.github.com/a/b/blob/main/x',
    'https://stackoverflow.com/questions/tagged/c',
    'https://stackoverflow.com/a/5',
  ],
  ...[
    'https://news.ycombinator.com/',
    'https://news.ycombinator.com/item?id=1e3',
    'https://news.ycombinator.com/user?id=1',
  ],
  ...['https://www.npmjs.com/search?q=a', 'https://www.npmjs.com/package/a/b', 'https://www.npmjs.com/~a'],
  ...['https://en.wikipedia.org/wiki/Lamp', 'https://arxiv.org/abs/1706.03762', 'https://pypi.org/project/lamp/'],
  ...[
    'https://www.reddit.com/r/lamps/comments/1abc/x/',
    'ftp://github.com/a/b/issues/7',
    'github.com/a/b/issues/7',
    '',
  ],
])('%s is read itself', (url) => expect(siteForms(url)).toEqual([]))

const good = [
  'https://github.com/a/b/blob/main/x.ts',
  'https://github.com/a/b/issues/7',
  'https://stackoverflow.com/questions/5/x',
  'https://news.ycombinator.com/item?id=1',
  'https://www.npmjs.com/package/left-pad',
]
const apis: readonly (string | undefined)[] = [
  ...['raw.githubusercontent.com', 'api.github.com', 'api.stackexchange.com', 'hn.algolia.com', 'registry.npmjs.org'],
]

describe('whatever an address is', () => {
  const look = fc.constantFrom(
    ...[
      '.evil.test',
      '.evil.test:443',
      ':8443',
      '@evil.test',
      '%2eevil.test',
      '.',
      'x',
      '\u3002evil.test',
      ':80@evil.test',
    ],
  )
  const lead = fc.constantFrom('evil-', 'x@', 'a:b@', 'evil.test/', 'evil.test?', 'evil.test#', 'raw.', '\\')

  test('a host that only looks like a site has no form', () => {
    fc.assert(
      fc.property(fc.constantFrom(...good), fc.oneof(look, lead), (url, part) => {
        const { hostname } = new URL(url)
        for (const host of [hostname + part, part + hostname]) {
          const other = url.replace(hostname, host)
          const parsed = URL.canParse(other) ? new URL(other) : undefined
          const isSame = parsed?.host === hostname && !parsed.username
          if (!isSame) expect(siteForms(other)).toEqual([])
        }
      }),
      { numRuns: runs(200) },
    )
  })

  test('what is fetched is below the place of its page at the host of its site, over https', () => {
    const segment = fc.oneof(
      anyText({ maxLength: 12 }),
      fc.constantFrom(
        '..',
        '.',
        '%2e%2e',
        '%2F',
        '%5c',
        '@',
        ':',
        'blob',
        'issues',
        'pull',
        '7',
        '@s',
        '?x',
        '#L1',
        '%00',
        '\\',
      ),
    )
    const places = fc.array(segment, { maxLength: 7 })
    const hosts = fc.constantFrom(...good.map((url) => new URL(url).origin))
    fc.assert(
      fc.property(
        hosts,
        fc.constantFrom('/', '/a/b/blob/', '/a/b/', '/questions/', '/package/', '/item?id='),
        places,
        (origin, start, parts) => {
          for (const { addresses, accept } of siteForms(origin + start + parts.join('/'))) {
            expect(accept).not.toBe('')
            for (const address of addresses) {
              const { protocol, host, username, hash, href } = new URL(address)
              expect([protocol, apis.includes(host), username, hash, href]).toEqual(['https:', true, '', '', address])
              expect(address).toMatch(
                /^https:\/\/[a-z.]+\/(?:repos\/[\w-]+\/[\w.-]+\/(?:issues|pulls)\/|2\.3\/questions\/\d|api\/v1\/items\/\d|[\w@.~-]+)/,
              )
            }
          }
        },
      ),
      { numRuns: runs(500) },
    )
  })
})
