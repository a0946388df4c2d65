import type { BlockDelta } from '@csp/messages-api/events'
import { MessageFold } from '@csp/messages-api/fold'
import type { ContentBlock } from '@csp/messages-api/request'
import { z } from 'zod'
import { optional } from '../../fields/field.ts'
import type { PageCitation } from './page-citations.ts'

/** One step of a message’s content: the data of one server-sent event. */
export type BlockEvent =
  | { readonly type: 'content_block_start'; readonly index: number; readonly content_block: WrittenBlock }
  | { readonly type: 'content_block_delta'; readonly index: number; readonly delta: BlockDelta }
  | { readonly type: 'content_block_stop'; readonly index: number }

export type WrittenBlock =
  | { readonly type: 'text'; readonly text: string; readonly citations?: readonly CitationBlock[] }
  | (ToolUse & { readonly type: 'server_tool_use' | 'tool_use' })
  | {
      readonly type: 'web_search_tool_result'
      readonly tool_use_id: string
      readonly content: readonly ResultBlock[]
      readonly caller: Caller
    }
  | {
      readonly type: 'web_fetch_tool_result'
      readonly tool_use_id: string
      readonly content: FetchResultBlock
      readonly caller: Caller
    }

export type FetchResultBlock =
  | {
      readonly type: 'web_fetch_result'
      readonly url: string
      /** ISO 8601. */
      readonly retrieved_at: string
      readonly content: {
        readonly type: 'document'
        readonly source: { readonly type: 'text'; readonly media_type: 'text/plain'; readonly data: string }
        readonly title: string | null
        readonly citations: { readonly enabled: true } | null
      }
    }
  | { readonly type: 'web_fetch_tool_result_error'; readonly error_code: string }

type ToolUse = {
  readonly id: string
  readonly name: string
  readonly input: unknown
  readonly caller: Caller
}

interface Caller {
  readonly type: 'direct'
}

export interface ResultBlock {
  readonly type: 'web_search_result'
  readonly url: string
  readonly title: string
  /** The vendor documents no format; ours is `YYYY-MM-DD`. */
  readonly page_age: string | null
  /** Opaque to the caller: here the name of the row. */
  readonly encrypted_content: string
}

export type CitationBlock = SearchCitation | PageCitation

export type SearchCitation = {
  readonly type: 'web_search_result_location'
  readonly url: string
  readonly title: string
  /** `encrypted_content` of the row. */
  readonly encrypted_index: string
  /** At most 150 characters; empty when no excerpt is known. */
  readonly cited_text: string
}

/** Assembles a message’s content from its steps, as the vendor’s client does. */
export function foldContent(events: Iterable<BlockEvent>): readonly ContentBlock[] {
  const fold = new MessageFold()
  for (const event of events) fold.read(event)
  return fold.content
}

/** A content block as a client sends it, without the fields that have no effect here (`cache_control`, `citations`, `caller`). */
export type InputBlock = z.output<(typeof schemas)[keyof typeof schemas]> | z.output<typeof otherBlock>

/** A type of block that csp cannot pass on: `image`, `document`, … */
const otherBlock = z.object({ type: z.string() }).transform(({ type }) => ({ type: 'other' as const, name: type }))

const textBlock = z.object({ type: z.literal('text'), text: z.string() })

/** A document of plain text, or of blocks of text; csp cannot read other documents. */
const documentBlock = z
  .object({
    type: z.literal('document'),
    title: optional(z.string()),
    context: optional(z.string()),
    source: z.looseObject({ type: z.string() }),
  })
  .transform(({ title, context, source }) => {
    const text = textOfSource(source)
    if (text === undefined) return { type: 'other' as const, name: `document (${source.type})` }
    return {
      type: 'text' as const,
      text: [title, context, text].filter(Boolean).join('\n\n'),
      isDocument: true as const,
    }
  })

const textSource = z.object({ type: z.literal('text'), data: z.string() })
const blocksSource = z.object({ type: z.literal('content'), content: z.union([z.string(), z.array(textBlock)]) })

/** The text of a document's source, where it has one. */
export function textOfSource(source: unknown): string | undefined {
  const text = textSource.safeParse(source).data?.data
  if (text !== undefined) return text
  const content = blocksSource.safeParse(source).data?.content
  return typeof content === 'string' ? content : content?.map((block) => block.text).join('\n')
}

const schemas = {
  text: textBlock,
  document: documentBlock,
  tool_use: z.object({
    type: z.literal('tool_use'),
    id: z.string(),
    name: z.string(),
    input: z.record(z.string(), z.unknown()),
  }),
  tool_result: z.object({
    type: z.literal('tool_result'),
    tool_use_id: z.string(),
    content: optional(
      contentOf(
        variantField((type) => (type === 'text' ? textBlock : type === 'document' ? documentBlock : otherBlock)),
      ),
    ),
    is_error: optional(z.boolean()),
  }),
  server_tool_use: z.object({
    type: z.literal('server_tool_use'),
    input: optional(z.looseObject({ query: optional(z.string()) })),
  }),
  web_search_tool_result: z.object({
    type: z.literal('web_search_tool_result'),
    // Rows, or an object with the error.
    content: z.union([z.array(z.looseObject({ url: z.string(), title: optional(z.string()) })), z.looseObject({})]),
  }),
  web_fetch_tool_result: z.object({
    type: z.literal('web_fetch_tool_result'),
    // A page, or an object with the error.
    content: z.looseObject({
      url: optional(z.string()),
      content: optional(z.looseObject({ source: z.looseObject({ type: z.string() }) })),
    }),
  }),
  thinking: z.object({ type: z.literal('thinking') }),
  redacted_thinking: z.object({ type: z.literal('redacted_thinking') }),
}

const byType = new Map<string | undefined, z.ZodType<InputBlock>>(Object.entries(schemas))

/** The content of a message: a text, or a list of blocks. */
export const contentField = contentOf(variantField((type) => byType.get(type) ?? otherBlock))

function contentOf<Block extends z.ZodType>(block: Block) {
  return z.union([z.string(), z.array(block)])
}

/**
 * A field whose shape depends on its `type`. `choose` returns the schema of that type, so that errors are those of the
 * intended shape; a union can only guess it.
 */
export function variantField<Schema extends z.ZodType>(choose: (type: string | undefined) => Schema) {
  return z.looseObject({ type: z.string().nullish() }).transform((value, context): z.output<Schema> => {
    const read = choose(value.type ?? undefined).safeParse(value)
    if (read.success) return read.data
    for (const issue of read.error.issues) context.addIssue({ ...issue })
    return z.NEVER
  })
}
