import type { MessagesRequest } from '../messages-request.ts'
import type { Scenario } from '../scenario.ts'
import type { Block, WebSearchErrorCode, WebSearchResult } from '../stream/message.ts'
import { jsonReply } from './json-reply.ts'
import { type Page, pagesAbout } from './pages.ts'
import type { ReplyContext } from './reply-context.ts'
import { type SearchTextFormat, searchText } from './search-text.ts'
import { toolReply } from './tool-reply.ts'
import { lastUserTurn } from './user-turn.ts'

/** The blocks of a search call: the server tool's use, what it found, and the model's text about that. */
export function searchReply(request: MessagesRequest, context: ReplyContext): readonly Block[] {
  const { query, format } = readPrompt(lastUserTurn(request).text)
  if (context.scenario === 'no-search') {
    return [{ type: 'text', text: `Sandbox answer: no search was made for “${query}”.` }]
  }
  const asked = toolReply(request, context)
  if (asked) return asked
  const errorCode = searchErrors[context.scenario]
  const pages = errorCode || context.scenario === 'empty' ? [] : findPages(request, query, context)
  const wanted = context.scenario === 'non-compliant' ? 'prose' : format
  // The CLI's search calls never hold a schema; a caller of the API itself asks for all in one.
  const json = jsonReply(request, `Sandbox answer: “${query.slice(0, 200)}”.`, pages[0]?.url, context)
  const id = context.newId('srvtoolu')
  return [
    { type: 'server_tool_use', id, name: 'web_search', input: { query } },
    {
      type: 'web_search_tool_result',
      tool_use_id: id,
      content: errorCode ? { type: 'web_search_tool_result_error', error_code: errorCode } : pages.map(toResult),
    },
    ...(json === undefined ? searchText(pages, wanted, context.scenario) : [{ type: 'text', text: json } as const]),
  ]
}

const searchErrors: Readonly<Partial<Record<Scenario, WebSearchErrorCode>>> = {
  'search-too-many-requests': 'too_many_requests',
  'search-max-uses-exceeded': 'max_uses_exceeded',
  'search-unavailable': 'unavailable',
  'search-query-too-long': 'query_too_long',
}

interface Prompt {
  readonly query: string
  readonly format: SearchTextFormat
}

/** The CLI puts a sentence before the query; csp puts a wish for a format of the reply after it. */
function readPrompt(text: string): Prompt {
  const [query = '', ...wish] = text.replace(/^Perform a web search for the query:/, '').split(/^[ \t]*Reply format:/im)
  return { query: query.trim(), format: formatIn(wish.join('\n')) }
}

function formatIn(wish: string): SearchTextFormat {
  if (/\|.*\|/.test(wish)) return 'lines'
  return /\bone word\b/i.test(wish) ? 'word' : 'prose'
}

function findPages(request: MessagesRequest, query: string, context: ReplyContext): readonly Page[] {
  const tool = request.tools?.find(({ type }) => type?.startsWith('web_search_'))
  return pagesAbout({
    query,
    count: context.resultCount,
    now: context.now,
    allowedDomains: tool?.allowed_domains ?? undefined,
    blockedDomains: tool?.blocked_domains ?? undefined,
  })
}

function toResult({ title, url, publishedAt }: Page): WebSearchResult {
  return {
    type: 'web_search_result',
    title,
    url,
    encrypted_content: btoa(`sandbox ${encodeURIComponent(url)}`),
    page_age: publishedAt === undefined ? null : longDate(publishedAt),
  }
}

function longDate(isoDate: string): string {
  return new Date(isoDate).toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' })
}
