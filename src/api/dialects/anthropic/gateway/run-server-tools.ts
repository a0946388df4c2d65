import { collect, sourcesOf } from '../../../../domain/answer.ts'
import { toSearchError } from '../../../../domain/error.ts'
import { PageError, type PageErrorCode } from '../../../../domain/page.ts'
import { resultsRequest, type SearchFilters, type SearchResult } from '../../../../domain/search.ts'
import type { SearchContext } from '../../../../executor/executor.ts'
import type { ServerTool } from '../../../../gateway/server-tools/plan.ts'
import { resultText, sealExcerpt } from '../../../../gateway/server-tools/replay.ts'
import { failedTool, type ServerToolRunner, type ToolOutcome } from '../../../../gateway/server-tools/server-tools.ts'
import { abortedCall } from '../../../../gateway/upstream-error.ts'
import type { Exchange } from '../../../http/exchange.ts'
import { cacheWish } from '../../../serve/cache-wish.ts'
import type { RouteOptions } from '../../../serve/route.ts'

/** Runs searches on csp's executor and reads pages with its reader, for one request of the gateway. */
export function createToolRunner(
  { executor, pages }: RouteOptions,
  exchange: Exchange,
  headers: Headers,
): ServerToolRunner {
  const context = (signal: AbortSignal): SearchContext => ({
    signal,
    cache: cacheWish(headers),
    caller: exchange.caller,
    isWhole: true,
  })

  return {
    async search(query, tool, signal) {
      try {
        const request = resultsRequest({ query, filters: filtersOf(tool) })
        const answer = await collect(exchange.observe(() => executor.search(request, context(signal))))
        return found(sourcesOf(answer.searches))
      } catch (error) {
        if (signal.aborted) throw abortedCall(signal)
        const { code, message } = toSearchError(error)
        exchange.note('A search of the gateway failed', error)
        const isLimit = code === 'rate-limited' || code === 'busy'
        const isWrong = code === 'invalid-request'
        return failedTool(tool, isLimit ? 'too_many_requests' : isWrong ? 'invalid_tool_input' : 'unavailable', message)
      }
    },
    async fetch(url, tool, signal) {
      if (!pages) return failedTool(tool, 'unavailable', 'This server reads no pages.')
      if (!isAllowed(url, tool)) return failedTool(tool, 'url_not_allowed')
      const maxCharacters = tool.maxContentTokens === undefined ? undefined : tool.maxContentTokens * charactersPerToken
      try {
        const page = await pages.read({ url, maxCharacters }, { signal, caller: exchange.caller })
        const source = { type: 'text', media_type: 'text/plain', data: page.content }
        const document = { type: 'document', source, title: page.title ?? null, citations: { enabled: false } }
        const content = { type: 'web_fetch_result', url, content: document, retrieved_at: new Date().toISOString() }
        return { content, text: () => [page.title, url, '', page.content].join('\n'), pages: [] }
      } catch (error) {
        if (signal.aborted) throw abortedCall(signal)
        if (!(error instanceof PageError)) throw error
        return failedTool(tool, fetchCodes[error.code], error.message)
      }
    },
  }
}

const charactersPerToken = 4

function filtersOf({ allowedDomains, blockedDomains, country }: ServerTool): SearchFilters {
  return {
    includeDomains: allowedDomains?.map(hostOf),
    excludeDomains: blockedDomains?.map(hostOf),
    country: country?.toUpperCase(),
  }
}

/** `example.com/docs` stands for its host: a search knows no paths. */
function hostOf(domain: string): string {
  return domain.replace(/^[a-z]+:\/\//i, '').replace(/\/.*$/, '')
}

function found(rows: readonly SearchResult[]): ToolOutcome {
  const sealed = rows.map(({ snippet = '' }) => sealExcerpt(snippet))
  return {
    content: rows.map(({ url, title, publishedAt }, index) => ({
      type: 'web_search_result',
      url,
      title,
      page_age: publishedAt ?? null,
      encrypted_content: sealed[index],
    })),
    text(first) {
      const texts = rows.map(({ snippet: excerpt, publishedAt: date, ...row }, index) =>
        resultText({ ...row, date, excerpt }, first + index),
      )
      return texts.length > 0 ? texts.join('\n\n') : 'Nothing was found.'
    },
    pages: rows.map(({ url, title, snippet: excerpt = '' }, index) => ({
      url,
      title,
      excerpt,
      encryptedIndex: sealed[index] ?? '',
    })),
  }
}

function isAllowed(url: string, { allowedDomains, blockedDomains }: ServerTool): boolean {
  const host = URL.parse(url)?.hostname ?? ''
  const matches = (domain: string) => host === hostOf(domain) || host.endsWith(`.${hostOf(domain)}`)
  return !(blockedDomains ?? []).some(matches) && (allowedDomains === undefined || allowedDomains.some(matches))
}

const fetchCodes = {
  'invalid-url': 'invalid_input',
  'not-allowed': 'url_not_allowed',
  'refused-by-site': 'url_not_accessible',
  'not-found': 'url_not_accessible',
  'site-failed': 'url_not_accessible',
  unreachable: 'url_not_accessible',
  'bad-certificate': 'url_not_accessible',
  'too-large': 'unsupported_content_type',
  'unsupported-type': 'unsupported_content_type',
  'no-content': 'url_not_accessible',
  busy: 'too_many_requests',
  timeout: 'url_not_accessible',
  cancelled: 'unavailable',
  failed: 'unavailable',
} as const satisfies Record<PageErrorCode, string>
