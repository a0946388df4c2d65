import { describe, expect, test } from 'bun:test'
import { hasServerTools, offerServerTools } from '../../src/server-tools/offered-tools.ts'

const search = { type: 'web_search_20250305', name: 'web_search' }
const fetch = { type: 'web_fetch_20250910', name: 'web_fetch' }

describe('the tools that csp offers to a model', () => {
  const offered = (...tools: readonly object[]) => {
    const { tools: own, request } = offerServerTools({ model: 'm', messages: [], tools: tools as never })
    return { own: [...own.values()], names: request.tools?.map(({ name, type }) => [name, type]) }
  }

  test('stand in the place of the vendor’s, and all others stay', () => {
    const others = [
      { name: 'f' },
      { name: 'g', type: 'custom' },
      { name: 'h', type: null },
      { name: 'bash', type: 'bash_20250124' },
    ]
    const { own, names } = offered(search, ...others, fetch)
    expect(own.map(({ kind, name, maxUses }) => [kind, name, maxUses])).toEqual([
      ['search', 'web_search', 10],
      ['fetch', 'web_fetch', 10],
    ])
    const kept = [
      ['web_search', undefined],
      ['f', undefined],
      ['g', 'custom'],
      ['h', null],
      ['bash', 'bash_20250124'],
      ['web_fetch', undefined],
    ]
    expect<unknown>(names).toEqual(kept)
    for (const [tools, has] of [
      [others, false],
      [[...others, fetch], true],
      [undefined, false],
    ] as const)
      expect(hasServerTools({ model: 'm', messages: [], tools: tools as never })).toBe(has)
  })

  test.each([
    [
      { max_uses: 3, user_location: { country: 'DE' } },
      { maxUses: 3, location: { country: 'DE' } },
    ],
    [{ max_uses: 0, user_location: 'DE', max_content_tokens: -1 }, { maxUses: 10 }],
    [
      { allowed_domains: ['a.com'], blocked_domains: [] },
      { maxUses: 10, allowedDomains: ['a.com'] },
    ],
    [
      { blocked_domains: ['a.com'], allowed_domains: null },
      { maxUses: 10, blockedDomains: ['a.com'] },
    ],
    [{ max_content_tokens: 9 }, { maxUses: 10, maxContentTokens: 9 }],
  ])('have the options %j', (options, read) => {
    expect(offered({ ...search, ...options }).own as object[]).toEqual([
      { kind: 'search', name: 'web_search', ...read },
    ])
  })

  test.each([
    [{ allowed_domains: 'a.com' }, 'tools.1.allowed_domains: Input should be a list of domains'],
    [{ blocked_domains: [1] }, 'tools.1.blocked_domains: Input should be a list of domains'],
    [
      { allowed_domains: ['a'], blocked_domains: ['b'] },
      'tools.1: Give either allowed_domains or blocked_domains, not both',
    ],
  ])('are refused with %j', (options, message) => {
    expect(() => offered(search, { ...search, ...options })).toThrow(expect.objectContaining({ status: 400, message }))
  })
})
