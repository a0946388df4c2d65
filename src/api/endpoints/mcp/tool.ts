import { guardedText } from '@csp/grounding/answer-guard'
import { isObject } from '@csp/lib/json'
import { oneLine } from '@csp/lib/text'
import type { Page, PageRequest } from '@csp/page-reader/page'
import { z } from 'zod'
import type { Answer, SearchRequest, SearchResult } from '../../../domain/search.ts'
import { escapedMarkdown, markdownAddress } from '../../exchange/markdown-text.ts'
import { maxCount } from '../../fields/lenient.ts'

/** The tools that a client gets which names none. */
export const usualTools = ['web_search', 'ask_web', 'fetch_page', 'check_claim', 'recall'] as const
/** All tools that a client can ask for. */
export const toolNames = [...usualTools, 'search', 'fetch'] as const
export type ToolName = (typeof toolNames)[number]

/** A tool that agents call over MCP: its description, and its translation to and from the domain. */
export interface McpTool<Input> extends ToolOffer<Input> {
  parse(input: Input): SearchRequest
  format(answer: Answer, input: Input): ToolReply
}

/** A tool that reads one page. */
export interface McpPageTool<Input> extends ToolOffer<Input> {
  parse(input: Input): PageRequest
  format(page: Page): ToolReply
}

/** A tool as clients see it. */
export interface ToolOffer<Input = unknown> {
  readonly name: string
  readonly title: string
  /** Agents choose tools by their description, and often see only its first words. */
  readonly description: string
  /** Tolerant of models: `null` means absent, a number may be text. Each field has a description. */
  readonly schema: z.ZodType<Input>
  readonly output: z.ZodType
}

export interface ToolReply {
  /** Fits `output`. */
  readonly structured: Readonly<Record<string, unknown>>
  /** The same for a model to read. */
  readonly text: string
}

/** A page in a tool's reply. */
export const sourceSchema = z.object({
  number: z.int().describe('Its place in the list, counted from 1'),
  title: z.string(),
  url: z.string(),
  snippet: z.string().optional().describe('An excerpt of the page; left out when none is known'),
  published_date: z.string().optional().describe('YYYY-MM-DD; left out when it is not known'),
  seen_at: z.string().optional().describe('Of a page from memory: when it was seen, ISO 8601'),
})

/** A page as `sourceSchema` has it. */
export function toSource({ title, url, snippet, publishedAt, seenAt }: SearchResult, number: number) {
  return {
    number,
    title,
    url,
    ...(snippet && { snippet }),
    ...(publishedAt && { published_date: publishedAt }),
    ...(seenAt && { seen_at: seenAt }),
  }
}

/**
 * A page as text for a model: the title on one line, the URL on the next, then the excerpt. Hosts show these texts as
 * Markdown, where nothing of a page may act.
 */
export function sourceText({ title, url, snippet, publishedAt, seenAt }: SearchResult, number: number): string {
  const seen = seenAt ? ` [from memory, seen ${seenAt.slice(0, 10)}]` : ''
  const head = `[${number}] ${escapedMarkdown(title)}${publishedAt ? ` (${publishedAt})` : ''}${seen}`
  // A line break in a page's text could look like the next entry of the list.
  return [head, markdownAddress(url), ...(snippet ? [guardedText(oneLine(snippet))] : [])].join('\n')
}

/** What a model has to know that asked for more. */
export function countNote(count: number): string {
  return count > maxCount ? `\n\n(count: ${maxCount} is the most)` : ''
}

/**
 * JSON whose texts do nothing where a host shows it as Markdown: letters that could are written by their number, which
 * programs read as the letters. What stands under `plain` is sent as it is.
 */
export function inertJson(value: unknown, plain: readonly string[] = []): string {
  if (typeof value === 'string')
    return `"${value.replace(/[\0-\x1f!-$&()*/:<=>@[-`{-\x7f\u2028\u2029\p{Cs}]/gu, byNumber)}"`
  if (Array.isArray(value)) return `[${value.map((item) => inertJson(item, plain)).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const fields = Object.entries(value).map(
    ([name, field]) =>
      `${JSON.stringify(name)}:${plain.includes(name) ? JSON.stringify(field) : inertJson(field, plain)}`,
  )
  return `{${fields.join(',')}}`
}

function byNumber(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
}
