import { z } from 'zod'

const block = z.looseObject({ type: z.string(), text: z.string().optional(), content: z.unknown().optional() })

const message = z.looseObject({ role: z.string(), content: z.union([z.string(), z.array(block)]) })

const tool = z.looseObject({
  type: z.string().optional(),
  name: z.string().optional(),
  input_schema: z.unknown().optional(),
  allowed_domains: z.array(z.string()).nullish(),
  blocked_domains: z.array(z.string()).nullish(),
})

/** The part of a Messages API request that the sandbox reads. Unknown fields pass. */
export const messagesRequest = z.looseObject({
  model: z.string(),
  messages: z.array(message).min(1),
  tools: z.array(tool).nullish(),
  stream: z.boolean().nullish(),
})

export type MessagesRequest = z.infer<typeof messagesRequest>
