import type { SearchFilters } from '../../domain/search.ts'
import { readDomain } from './places.ts'

export interface SiteOperators {
  /** Absent when the query names no site. */
  readonly sites?: Pick<SearchFilters, 'includeDomains' | 'excludeDomains'> | undefined
  /** The query without its site operators. */
  readonly rest: string
}

/**
 * Reads `site:host`, `-site:host` and `NOT site:host` in a query, also in parentheses: `(site:a.com OR site:b.com)`.
 * Only a bare host counts, since filters have no paths. Quoted text is not an operator.
 */
export function readSiteOperators(query: string): SiteOperators {
  const allowed = new Set<string>()
  const denied = new Set<string>()
  const rest: string[] = []
  let isDeniedGroup = false
  for (const word of query.match(/"[^"]*"|\S+/g) ?? []) {
    const [, outer = '', opening = '', sign = '', host = '', closing = ''] = operator.exec(word) ?? []
    const domain = host && readDomain(host)
    if (typeof domain !== 'string' || !domain) {
      rest.push(word)
      continue
    }
    const before = connectives.has(rest.at(-1) ?? '') ? rest.pop() : undefined
    const isNegated = outer !== '' || before === 'NOT'
    if (opening) isDeniedGroup = isNegated
    if (isNegated || sign !== '' || isDeniedGroup) denied.add(domain)
    else allowed.add(domain)
    if (closing) isDeniedGroup = false
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

const operator = /^(-?)(\(*)(-?)site:([^/:?#()]+)(\)*)$/i
const connectives = new Set(['AND', 'NOT', 'OR'])
