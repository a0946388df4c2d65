import type { ContentBlock, MessagesRequest } from '@csp/messages-api/request'
import { z } from 'zod'
import { findInLibrary, type LibrarySearch, sentencesFor } from '../library/find.ts'
import { questionTurn, searchToolOf } from '../messages-request.ts'
import type { Scenario } from '../scenario.ts'
import type { SandboxBlock, WebSearchErrorCode, WebSearchResult } from '../stream/message.ts'
import type { ReplyContext } from './context.ts'
import { jsonText } from './json-reply.ts'
import { linked, writtenFrom } from './library-text.ts'
import { linkTo, recital, type SearchTextFormat, searchText, textBlock } from './model-text.ts'
import { type FoundPage, pagesAbout } from './pages.ts'
import { givenByTools, toolReply } from './tool-reply.ts'

/** The blocks of a search call: the use of the server tool, its results, and the model's text about them. */
export function searchReply(request: MessagesRequest, context: ReplyContext): readonly SandboxBlock[] {
  const { query, format, isClosed } = readPrompt(questionTurn(request).text)
  if (context.scenario === 'no-search') {
    return [{ type: 'text', text: `Sandbox answer: no search was made for “${query}”.` }]
  }
  const asked = toolReply(request, context)
  if (asked) return asked
  const { pages, blocks } = runSearch(request, query, context)
  const wanted = context.scenario === 'non-compliant' ? 'prose' : format
  // The CLI's search calls never contain a schema, but a direct API request may.
  const json = jsonText(request, `Sandbox answer: “${query.slice(0, 200)}”.`, pages[0]?.url, context)
  const given = givenByTools(request)
  const written = context.library && wanted === 'prose' ? writtenFrom(pages, request) : undefined
  return [
    ...blocks,
    ...(context.scenario === 'no-summary'
      ? []
      : json === undefined
        ? [
            ...(context.scenario === 'recite' && wanted === 'prose'
              ? [textBlock(recital(query, (number) => linkTo(pages[number - 1])))]
              : (written?.map(linked).map(textBlock) ?? searchText(pages, wanted, context.scenario))),
            ...(given === undefined ? [] : [textBlock(` And ${given}.`)]),
            ...(isClosed && context.scenario !== 'non-compliant' ? [textBlock(' ∎')] : []),
          ]
        : [textBlock(json)]),
  ]
}

/** What one search finds, and its two blocks. `failure`: what it returns instead. */
export function runSearch(
  request: MessagesRequest,
  query: string,
  context: ReplyContext,
  failure: WebSearchErrorCode | undefined = searchErrors[context.scenario],
): { readonly pages: readonly FoundPage[]; readonly blocks: readonly SandboxBlock[] } {
  const pages = failure || context.scenario === 'empty' ? [] : findPages(request, query, context)
  const id = context.newId('srvtoolu')
  const content = failure
    ? ({ type: 'web_search_tool_result_error', error_code: failure } as const)
    : pages.map(toResult)
  return {
    pages,
    blocks: [
      { type: 'server_tool_use', id, name: 'web_search', input: { query } },
      { type: 'web_search_tool_result', tool_use_id: id, content },
    ],
  }
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
  /** Whether the text is to end with the sign that says so. */
  readonly isClosed: boolean
}

/** The CLI adds a sentence before the query, and csp adds the requested reply format after it. */
function readPrompt(text: string): Prompt {
  const [query = '', ...wish] = text.replace(/^Perform a web search for the query:/, '').split(/^[ \t]*Reply format:/im)
  return { query: query.trim(), format: formatIn(wish.join('\n')), isClosed: wish.join('\n').includes('∎') }
}

function formatIn(wish: string): SearchTextFormat {
  if (/\|.*\|/.test(wish)) return /\bsite\b/i.test(wish) ? 'numbered' : 'lines'
  return /\bone word\b/i.test(wish) ? 'word' : 'prose'
}

function findPages(request: MessagesRequest, query: string, context: ReplyContext): readonly FoundPage[] {
  const tool = searchToolOf(request)
  const search = {
    query,
    count: context.resultCount,
    allowedDomains: domainsIn(tool?.['allowed_domains']),
    blockedDomains: domainsIn(tool?.['blocked_domains']),
  }
  const { excerptLength, sites, now } = context
  return context.library ? libraryPagesFor(search) : pagesAbout({ ...search, excerptLength, sites, now })
}

/** csp writes its preferences for pages on the lines below the query. */
function libraryPagesFor(search: LibrarySearch): readonly FoundPage[] {
  const query = search.query.split('\n')[0] ?? ''
  return findInLibrary({ ...search, query }).map((page) => ({
    title: page.title,
    url: page.url,
    publishedAt: page.publishedAt,
    excerpt: sentencesFor(page, query, 2).join(' '),
  }))
}

function domainsIn(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : undefined
}

function toResult({ title, url, publishedAt, excerpt }: FoundPage): WebSearchResult {
  return {
    type: 'web_search_result',
    title,
    url,
    encrypted_content: btoa(encodeURIComponent(excerpt)),
    page_age: publishedAt === undefined ? null : longDate(publishedAt),
  }
}

/** The pages of a result that has come back with the conversation. */
export function pagesOfResult(block: ContentBlock): readonly FoundPage[] {
  const { data } = resultBlock.safeParse(block)
  return (data?.content ?? []).map(({ title, url, encrypted_content }) => ({
    title,
    url,
    excerpt: decrypted(encrypted_content),
  }))
}

function decrypted(content: string): string {
  try {
    return decodeURIComponent(atob(content))
  } catch {
    return ''
  }
}

const resultBlock = z.object({
  type: z.literal('web_search_tool_result'),
  content: z.array(z.object({ title: z.string(), url: z.string(), encrypted_content: z.string() })),
})

function longDate(isoDate: string): string {
  return new Date(isoDate).toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' })
}
