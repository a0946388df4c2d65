import type { ServerTool } from '@csp/gateway/server-tools/offered-tools'
import { resultText, sealExcerpt } from '@csp/gateway/server-tools/replay'
import { failedTool, type ServerToolRunner, type ToolOutcome } from '@csp/gateway/server-tools/server-tools'
import { hostOfEntry } from '@csp/lib/domain-lists'
import { abortedCall } from '@csp/messages-api/upstream-error'
import { collect, sourcesOf } from '../../../../domain/answer.ts'
import { toSearchError } from '../../../../domain/error.ts'
import { resultsRequest, type SearchFilters, type SearchResult } from '../../../../domain/search.ts'
import type { SearchContext } from '../../../../executor/executor.ts'
import type { Exchange } from '../../../exchange/exchange.ts'
import { readLenientLocation } from '../../../fields/location.ts'
import { cacheWish } from '../../../serve/cache-wish.ts'
import type { RouteOptions } from '../../../serve/serve-search.ts'

/** Runs the searches of one request of the gateway on csp's executor. */
export function searchRunner(
  { executor }: RouteOptions,
  exchange: Exchange,
  headers: Headers,
): ServerToolRunner['search'] {
  const context = (signal: AbortSignal): SearchContext => ({
    signal,
    cache: cacheWish(headers),
    caller: exchange.caller,
    isWhole: true,
  })
  return async (query, tool, signal) => {
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
  }
}

function filtersOf({ allowedDomains, blockedDomains, location }: ServerTool): SearchFilters {
  return {
    includeDomains: allowedDomains?.map(hostOfEntry),
    excludeDomains: blockedDomains?.map(hostOfEntry),
    ...readLenientLocation(location),
  }
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
