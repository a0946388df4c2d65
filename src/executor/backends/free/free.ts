import { parseJson } from '@csp/lib/json'
import { z } from 'zod'
import type { Executor } from '../../executor.ts'
import { type ListOptions, listApi, listRows, looseText, shortQuery, withDomains } from '../http/list-api.ts'
import { explainFree, rpcCall, rpcHeaders, rpcMessage, toolText } from './rpc.ts'

// Searches that their vendors give away, without an account, at the MCP servers that they run for agents.

/** The address of each, without the path. */
export const freeUrls = { 'parallel-free': 'https://search.parallel.ai', 'exa-free': 'https://mcp.exa.ai' } as const

/** Result lists of Parallel's search for agents. */
export function parallelFree({ url = freeUrls['parallel-free'], ...options }: ListOptions): Executor {
  return freeList('parallel-free', 'Parallel', { ...options, url }, parallelReply, (query) => {
    // The words alone, and a session that names no one: no two searches are one user's.
    const session_id = crypto.randomUUID().replaceAll('-', '')
    return rpcCall('web_search', { objective: query, search_queries: [query], session_id })
  })
}

/** Result lists of Exa's search for agents. */
export function exaFree({ url = freeUrls['exa-free'], ...options }: ListOptions): Executor {
  return freeList('exa-free', 'Exa', { ...options, url }, exaReply, (query) =>
    rpcCall('web_search_exa', { query, objective: query, numResults: 20 }),
  )
}

function freeList(
  name: string,
  vendor: string,
  options: ListOptions,
  reply: typeof parallelReply | typeof exaReply,
  call: (query: string) => ReturnType<typeof rpcCall>,
): Executor {
  return listApi(
    {
      name,
      vendor,
      headers: rpcHeaders,
      rowsPerBatch: 20,
      maxBatches: 1,
      read: rpcMessage,
      reply,
      call: ({ query, filters }) => call(withDomains(shortQuery(query, 1000), filters)),
      explain: explainFree(vendor),
    },
    options,
  )
}

const parallelRow = z
  .object({
    url: z.string(),
    title: z.string().nullish(),
    publish_date: looseText,
    excerpts: z.array(z.string()).nullish().catch(undefined),
  })
  .transform(({ url, title, excerpts, publish_date }) => ({
    url,
    title,
    text: excerpts?.join(' … '),
    dates: [publish_date],
  }))

/** JSON in a text. */
const parallelReply = toolText
  .transform((text) => parseJson(text))
  .pipe(z.object({ results: listRows(parallelRow) }).transform(({ results: rows }) => ({ rows })))

/** Blocks of lines: `Title:`, `URL:`, `Published:`, `Author:`, then the words of the page. */
const exaReply = toolText
  .refine((text) => text.startsWith('Title: ') || text.startsWith('No search results'))
  .transform((text) => ({ rows: text.split(/\n\n(?:---\n\n)?(?=Title: )/).flatMap(exaRow) }))

function exaRow(block: string) {
  const [title, url, published, author, ...words] = block.split('\n')
  const value = (line: string | undefined, name: string) => {
    const said = line?.startsWith(`${name}: `) ? line.slice(name.length + 2).trim() : undefined
    return said === 'N/A' ? undefined : said
  }
  const address = value(url, 'URL')
  if (!address) return []
  const isAuthor = author?.startsWith('Author: ') === true
  const text = [...(isAuthor ? [] : [author ?? '']), ...words].join('\n').replace(/^(?:Highlights:\n|Text: )/, '')
  return [{ url: address, title: value(title, 'Title'), text, dates: [value(published, 'Published')] }]
}
