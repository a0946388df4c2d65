import { z } from 'zod'
import type { SearchEvent } from '../../domain/search.ts'
import { citationSchema, finishReasonSchema, resultSchema, usageSchema } from './answer-schema.ts'

const id = z.string().max(1000)

/** An event that comes from outside the process. */
const eventSchema: z.ZodType<SearchEvent> = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('cache'),
    status: z.enum(['hit', 'stale', 'miss']),
    ageSeconds: z.number().nonnegative(),
    reason: z.string().max(100).optional(),
  }),
  z.object({ type: z.literal('backend'), name: z.string().max(200) }),
  z.object({ type: z.literal('search-start'), id, query: z.string() }),
  z.object({ type: z.literal('search-results'), id, results: z.array(resultSchema) }),
  z.object({ type: z.literal('text-delta'), text: z.string() }),
  z.object({ type: z.literal('citation'), citation: citationSchema }),
  z.object({ type: z.literal('tool-call-start'), id, name: z.string() }),
  z.object({ type: z.literal('tool-call-delta'), id, arguments: z.string() }),
  z.object({
    type: z.literal('done'),
    reason: finishReasonSchema,
    usage: usageSchema,
    model: z.string(),
    isMakeshift: z.boolean().optional(),
  }),
])

const eventTypes: ReadonlySet<string> = new Set([
  'cache',
  'backend',
  'search-start',
  'search-results',
  'text-delta',
  'citation',
  'tool-call-start',
  'tool-call-delta',
  'done',
] satisfies readonly SearchEvent['type'][])

/**
 * Reads an event that was made elsewhere. `unknown`: of a type that is not known here, as a newer version may send.
 * `undefined`: it is none.
 */
export function readEvent(value: unknown): SearchEvent | 'unknown' | undefined {
  const typed = z.object({ type: z.string() }).safeParse(value)
  if (!typed.success) return undefined
  return eventTypes.has(typed.data.type) ? eventSchema.safeParse(value).data : 'unknown'
}
