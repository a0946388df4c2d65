import type { ContentBlock } from '@csp/messages-api/request'
import { UpstreamError } from '@csp/messages-api/upstream-error'
import { z } from 'zod'

/** The blocks that the conversion understands. Fields that it does not need are not checked. */
const schemas = {
  text: z.looseObject({ text: z.string() }),
  image: z.looseObject({
    source: z.looseObject({
      type: z.string().nullish(),
      media_type: z.string().nullish(),
      data: z.string().nullish(),
      url: z.string().nullish(),
    }),
  }),
  document: z.looseObject({
    title: z.string().nullish(),
    source: z.looseObject({
      type: z.string(),
      media_type: z.string().nullish(),
      data: z.string().nullish(),
      url: z.string().nullish(),
      content: z.unknown().optional(),
    }),
  }),
  tool_use: z.looseObject({ id: z.string().min(1), name: z.string().min(1), input: z.unknown().optional() }),
  tool_result: z.looseObject({
    tool_use_id: z.string().min(1),
    content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]).nullish(),
    is_error: z.boolean().nullish(),
  }),
  thinking: z.looseObject({ thinking: z.string(), signature: z.string().nullish() }),
}

type Known = typeof schemas

/** A block of a known type, checked. Otherwise an error that names the field by its path, as the Messages API does. */
export function readBlock<Type extends keyof Known>(
  type: Type,
  block: ContentBlock,
  path: string,
): z.infer<Known[Type]> {
  const read = schemas[type].safeParse(block)
  // The trust boundary: the compiler does not see that the schema of a type gives the type's block.
  if (read.success) return read.data as z.infer<Known[Type]>
  const [issue] = read.error.issues
  throw new UpstreamError(400, `${[path, ...(issue?.path ?? [])].join('.')}: ${issue?.message ?? 'invalid'}`)
}
