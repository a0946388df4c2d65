import type { ContentBlock, MessagesRequest } from '@csp/messages-api/request'
import { z } from 'zod'
import { serverResultText } from '../translation/request/server-results.ts'

type Message = MessagesRequest['messages'][number]

/**
 * A conversation whose earlier searches and pages a model can read that never had such tools: each stands as a call of a
 * function with its result. A conversation without any is returned as it is.
 */
export function replayServerTools(request: MessagesRequest): MessagesRequest {
  if (!request.messages.some(holdsServerBlock)) return request
  return { ...request, messages: request.messages.flatMap(replayed) }
}

function holdsServerBlock({ role, content }: Message): boolean {
  return role === 'assistant' && typeof content !== 'string' && content.some(({ type }) => type === 'server_tool_use')
}

/** One message becomes several: what the model said, then each result as a user turn. */
function replayed(message: Message): readonly Message[] {
  if (!holdsServerBlock(message) || typeof message.content === 'string') return [message]
  const results = new Map(
    message.content.flatMap((block) => {
      const result = resultOf(block)
      return result ? [result] : []
    }),
  )
  const messages: Message[] = []
  let said: ContentBlock[] = []
  for (const block of message.content) {
    if (resultOf(block)) continue
    const id = block['id']
    if (block.type !== 'server_tool_use') said.push(withoutCitations(block))
    else if (typeof id === 'string') {
      const result = results.get(id)
      // A turn that was cut in the middle of a search has a call without a result.
      if (result === undefined) continue
      said.push({ type: 'tool_use', id, name: block['name'], input: block['input'] ?? {} })
      messages.push({ role: 'assistant', content: said })
      messages.push({ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: result }] })
      said = []
    }
  }
  if (said.length > 0) messages.push({ role: 'assistant', content: said })
  return messages
}

/** They name blocks that are no longer there. */
function withoutCitations(block: ContentBlock): ContentBlock {
  if (block['citations'] === undefined) return block
  const { citations: _, ...rest } = block
  return rest
}

function resultOf(block: ContentBlock): readonly [string, string] | undefined {
  const id = block['tool_use_id']
  if (!block.type.endsWith('_tool_result') || typeof id !== 'string') return undefined
  return [id, textOfResult(block['content'])]
}

/** What a search or a page brought, as text. */
function textOfResult(content: unknown): string {
  const rows = z.array(rowSchema).safeParse(content).data
  if (rows) return rows.map((row, index) => rowText(row, index + 1)).join('\n\n') || 'Nothing was found.'
  const page = pageSchema.safeParse(content).data
  if (page) return `${page.url}\n\n${page.content.source.data}`
  return serverResultText(content) || 'The result is no longer known.'
}

const rowSchema = z.looseObject({
  type: z.literal('web_search_result'),
  title: z.string(),
  url: z.string(),
  page_age: z.string().nullish(),
  encrypted_content: z.string().nullish(),
})

const pageSchema = z.looseObject({
  type: z.literal('web_fetch_result'),
  url: z.string(),
  content: z.looseObject({ source: z.looseObject({ type: z.literal('text').nullish(), data: z.string() }) }),
})

function rowText(row: z.infer<typeof rowSchema>, number: number): string {
  return resultText({ ...row, date: row.page_age, excerpt: openExcerpt(row.encrypted_content ?? '') }, number)
}

export interface ResultText {
  readonly title: string
  readonly url: string
  readonly date?: string | null | undefined
  readonly excerpt?: string | undefined
}

/** A result as the model reads it. */
export function resultText({ title, url, date, excerpt }: ResultText, number: number): string {
  return [`[${number}] ${title}${date ? ` (${date})` : ''}`, url, ...(excerpt ? [excerpt] : [])].join('\n')
}

/**
 * The excerpt of a result, for the field that clients send back unread in the next turn, as the vendor's own server does
 * with its encrypted content. It is no secret.
 */
export function sealExcerpt(excerpt: string): string {
  return seal + btoa(String.fromCharCode(...new TextEncoder().encode(excerpt.slice(0, maxExcerpt))))
}

function openExcerpt(sealed: string): string | undefined {
  if (!sealed.startsWith(seal)) return undefined
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(sealed.slice(seal.length)), (char) => char.charCodeAt(0)))
  } catch {
    return undefined
  }
}

const seal = 'csp1.'
const maxExcerpt = 2000
