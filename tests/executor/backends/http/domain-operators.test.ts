import { expect, test } from 'bun:test'
import { withDomains } from '../../../../src/executor/backends/http/list-api.ts'

const domains = Array.from({ length: 11 }, (_, at) => `d${at}.example`)
const ten = domains.slice(0, 10)

test.each([
  [{}, 'seals'],
  [{ includeDomains: ['https://www.a.example/path'] }, 'seals site:a.example'],
  [{ includeDomains: ['a.example', 'b.example'] }, 'seals (site:a.example OR site:b.example)'],
  [{ excludeDomains: ['a.example', 'b.example'] }, 'seals -site:a.example -site:b.example'],
  [{ includeDomains: ['a.example'], excludeDomains: ['b.a.example'] }, 'seals site:a.example -site:b.a.example'],
  [{ includeDomains: domains }, `seals (${ten.map((domain) => `site:${domain}`).join(' OR ')})`],
  [{ excludeDomains: domains }, `seals ${ten.map((domain) => `-site:${domain}`).join(' ')}`],
])('a query with %j names ten domains at most', (filters, query) => {
  expect(withDomains('seals', filters)).toBe(query)
})
