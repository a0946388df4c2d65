import { z } from 'zod'

/**
 * A block of a message, in a request or a reply. Only its type is sure: what reads a block checks the fields that it needs,
 * and what passes it on needs none.
 */
export interface ContentBlock {
  readonly type: string
  readonly [field: string]: unknown
}

/** Whether a field that no schema has checked holds blocks. */
export function isBlocks(value: unknown): value is ContentBlock[] {
  return Array.isArray(value) && value.every((item) => typeof item?.type === 'string')
}

const block = z.looseObject({ type: z.string() })
const content = z.union([z.string(), z.array(block)])

const tool = z.looseObject({
  /** Absent or `custom` for the client's own tool; anything else is one that Anthropic defined. */
  type: z.string().nullish(),
  /** A set of tools, as `mcp_toolset`, has none. */
  name: z.string().min(1).optional(),
  description: z.string().nullish(),
  input_schema: z.record(z.string(), z.unknown()).nullish(),
})

function isNamed({ type, name }: z.infer<typeof tool>): boolean {
  return name !== undefined || (type != null && type !== 'custom')
}

const message = z.looseObject({
  /** `system` also stands among the messages. */
  role: z.enum(['user', 'assistant', 'system']),
  content,
})

const toolChoice = z.looseObject({
  type: z.string(),
  name: z.string().nullish(),
  disable_parallel_tool_use: z.boolean().nullish(),
})

/** The body of `POST /v1/messages`. Tolerant: unknown fields pass, and so do blocks of any type. */
export const messagesRequest = z.looseObject({
  model: z.string().min(1),
  /** 0 only warms the cache of the prompt. */
  max_tokens: z.number().int().min(0).nullish(),
  system: content.nullish(),
  messages: z.array(message).min(1),
  tools: z.array(tool.refine(isNamed, { path: ['name'], message: 'Field required' })).nullish(),
  tool_choice: toolChoice.nullish(),
  stop_sequences: z.array(z.string()).nullish(),
  stream: z.boolean().nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  top_k: z.number().nullish(),
  thinking: z.looseObject({ type: z.string(), budget_tokens: z.number().nullish() }).nullish(),
  output_config: z.looseObject({ effort: z.string().nullish() }).nullish(),
  metadata: z.looseObject({ user_id: z.string().nullish() }).nullish(),
})

/** A request that `messagesRequest` accepted. */
export type MessagesRequest = z.infer<typeof messagesRequest>
