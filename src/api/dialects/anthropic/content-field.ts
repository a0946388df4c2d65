import { z } from 'zod'
import { optional } from '../../fields/field.ts'
import { variantField } from './variant.ts'

/** A content block as a client sends it, less what means nothing here (`cache_control`, `citations`, `caller`). */
export type InputBlock = z.output<(typeof schemas)[keyof typeof schemas]> | z.output<typeof otherBlock>

/** A kind of block that csp cannot pass on: `image`, `document`, … */
const otherBlock = z.object({ type: z.string() }).transform(({ type }) => ({ type: 'other' as const, name: type }))

const textBlock = z.object({ type: z.literal('text'), text: z.string() })

const schemas = {
  text: textBlock,
  tool_use: z.object({
    type: z.literal('tool_use'),
    id: z.string(),
    name: z.string(),
    input: z.record(z.string(), z.unknown()),
  }),
  tool_result: z.object({
    type: z.literal('tool_result'),
    tool_use_id: z.string(),
    content: optional(contentOf(variantField((type) => (type === 'text' ? textBlock : otherBlock)))),
    is_error: optional(z.boolean()),
  }),
  server_tool_use: z.object({
    type: z.literal('server_tool_use'),
    input: optional(z.looseObject({ query: optional(z.string()) })),
  }),
  web_search_tool_result: z.object({
    type: z.literal('web_search_tool_result'),
    // Rows, or in their place an object that says what went wrong.
    content: z.union([z.array(z.looseObject({ url: z.string(), title: optional(z.string()) })), z.looseObject({})]),
  }),
  thinking: z.object({ type: z.literal('thinking') }),
  redacted_thinking: z.object({ type: z.literal('redacted_thinking') }),
}

const byType = new Map<string | undefined, z.ZodType<InputBlock>>(Object.entries(schemas))

/** What a message holds: a text, or a list of blocks. */
export const contentField = contentOf(variantField((type) => byType.get(type) ?? otherBlock))

function contentOf<Block extends z.ZodType>(block: Block) {
  return z.union([z.string(), z.array(block)])
}
