import type { z } from 'zod'
import type { Answer, SearchRequest, SearchResult } from '../../../domain/search.ts'
import { oneLine } from '../../../lib/text.ts'

/** A tool that agents call over MCP: how it is offered, and its way into the domain and back. */
export interface McpTool<Input> {
  readonly offer: ToolOffer
  /** Tolerant where models are careless: `null` is absent, a number may come as text. Agrees with `offer.inputSchema`. */
  readonly schema: z.ZodType<Input>
  parse(input: Input): SearchRequest
  format(answer: Answer, input: Input): ToolReply
}

/** What a client learns of a tool. The schemas are JSON Schema of objects, without unions, which some models misread. */
export interface ToolOffer {
  readonly name: string
  readonly title: string
  /** Agents look for tools by their descriptions, and often see only the first words. */
  readonly description: string
  readonly inputSchema: ObjectSchema
  readonly outputSchema: ObjectSchema
}

export interface ObjectSchema {
  readonly [keyword: string]: unknown
  readonly type: 'object'
  readonly properties: Readonly<Record<string, object>>
  readonly required: readonly string[]
}

export interface ToolReply {
  /** Fits `offer.outputSchema`. */
  readonly structured: Readonly<Record<string, unknown>>
  /** The same for a model to read. */
  readonly text: string
}

/** The JSON Schema of a page in a tool's reply. */
export const sourceSchema = {
  type: 'object',
  properties: {
    number: { type: 'integer', description: 'Its place in the list, counted from 1' },
    title: { type: 'string' },
    url: { type: 'string' },
    snippet: { type: 'string', description: 'An excerpt of the page; left out when none is known' },
    published_date: { type: 'string', description: 'YYYY-MM-DD; left out when it is not known' },
  },
  required: ['number', 'title', 'url'],
} as const

/** A page as `sourceSchema` has it. */
export function toSource({ title, url, snippet, publishedAt }: SearchResult, number: number) {
  return {
    number,
    title,
    url,
    ...(snippet && { snippet }),
    ...(publishedAt && { published_date: publishedAt }),
  }
}

/** A page for a model to read: what it is on one line, where it is on the next, then its excerpt. */
export function sourceText({ title, url, snippet, publishedAt }: SearchResult, number: number): string {
  const head = `[${number}] ${oneLine(title)}${publishedAt ? ` (${publishedAt})` : ''}`
  // A page's own line breaks could pass for the next entry of the list.
  return [head, url, ...(snippet ? [oneLine(snippet)] : [])].join('\n')
}
