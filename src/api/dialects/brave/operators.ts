import type { SearchFilters } from '../../../domain/search.ts'
import { readDomain } from '../../fields/place-field.ts'

export interface SiteOperators {
  /** Absent when the query names no site. */
  readonly sites?: Pick<SearchFilters, 'includeDomains' | 'excludeDomains'> | undefined
  /** The query without its site operators. */
  readonly rest: string
}

/**
 * Reads `site:host`, `-site:host` and `NOT site:host` in a query. Only a bare host is one: a path would have to narrow
 * a filter that knows hosts alone. What stands in quotes is text.
 */
export function readSiteOperators(query: string): SiteOperators {
  const allowed = new Set<string>()
  const denied = new Set<string>()
  const rest: string[] = []
  for (const word of query.match(/"[^"]*"|\S+/g) ?? []) {
    const [, sign, host = ''] = /^(-?)site:([^/:?#]+)$/i.exec(word) ?? []
    const domain = host && readDomain(host)
    if (typeof domain !== 'string' || !domain) {
      rest.push(word)
      continue
    }
    const before = connectives.has(rest.at(-1) ?? '') ? rest.pop() : undefined
    const isDenied = sign !== '' || before === 'NOT'
    if (isDenied) denied.add(domain)
    else allowed.add(domain)
  }
  if (allowed.size + denied.size === 0) return { rest: query }
  return {
    sites: {
      includeDomains: allowed.size > 0 ? [...allowed] : undefined,
      excludeDomains: denied.size > 0 ? [...denied] : undefined,
    },
    rest: rest.join(' '),
  }
}

const connectives = new Set(['AND', 'NOT', 'OR'])
