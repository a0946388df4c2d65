import type { z } from 'zod'
import type { Answer, SearchRequest } from '../../../domain/search.ts'

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
