import { failedTool, type ServerToolRunner } from '@csp/gateway/server-tools/server-tools'
import { mayVisit } from '@csp/lib/domain-lists'
import { parseUrl } from '@csp/lib/url'
import { abortedCall } from '@csp/messages-api/upstream-error'
import { PageError } from '@csp/page-reader/page-error'
import type { Exchange } from '../../../exchange/exchange.ts'
import type { RouteOptions } from '../../../serve/serve-search.ts'
import { searchRunner } from '../../shared/gateway/run-search.ts'
import { fetchedText } from '../../shared/named-pages.ts'
import { charactersPerToken, fetchErrorCode, formatFetched } from '../web-fetch.ts'

/** Runs searches on csp's executor and reads pages with its reader, for one request of the gateway. */
export function createToolRunner(options: RouteOptions, exchange: Exchange, headers: Headers): ServerToolRunner {
  const { pages } = options
  return {
    search: searchRunner(options, exchange, headers),
    async fetch(url, tool, signal) {
      if (!pages) return failedTool(tool, 'unavailable', 'This server reads no pages.')
      const lists = { allowed: tool.allowedDomains, blocked: tool.blockedDomains }
      const allows = (address: URL) => mayVisit(address, lists)
      const target = parseUrl(url)
      if (target && !allows(target)) return failedTool(tool, 'url_not_allowed')
      const maxCharacters = tool.maxContentTokens === undefined ? undefined : tool.maxContentTokens * charactersPerToken
      try {
        const page = await pages.read({ url, maxCharacters }, { signal, caller: exchange.caller, mayVisit: allows })
        const content = formatFetched({ url, page }, new Date())
        return { content, text: () => fetchedText(url, page.content), pages: [] }
      } catch (error) {
        if (signal.aborted) throw abortedCall(signal)
        if (!(error instanceof PageError)) throw error
        return failedTool(tool, fetchErrorCode(error.code), error.message)
      }
    },
  }
}
