import type { z } from 'zod'
import type { Answer, SearchRequest, SearchResult } from '../../../domain/search.ts'
import { oneLine } from '../../../lib/text.ts'

/** A tool that agents call over MCP: its description, and its translation to and from the domain. */
export interface McpTool<Input> {
  readonly offer: ToolOffer
  /** Tolerant of models: `null` means absent, a number may be text. Agrees with `offer.inputSchema`. */
  readonly schema: z.ZodType<Input>
  parse(input: Input): SearchRequest
  format(answer: Answer, input: Input): ToolReply
}

/** A tool as clients see it. The schemas are JSON Schema of objects, without unions, which some models misread. */
export interface ToolOffer {
  readonly name: string
  readonly title: string
  /** Agents choose tools by their description, and often see only its first words. */
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

/** A page as text for a model: the title on one line, the URL on the next, then the excerpt. */
export function sourceText({ title, url, snippet, publishedAt }: SearchResult, number: number): string {
  const head = `[${number}] ${oneLine(title)}${publishedAt ? ` (${publishedAt})` : ''}`
  // A line break in a page's text could look like the next entry of the list.
  return [head, url, ...(snippet ? [oneLine(snippet)] : [])].join('\n')
}
