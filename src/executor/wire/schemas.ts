import {
  doubtKinds,
  type Evidence,
  type Judgement,
  judgements,
  type Missing,
  missingKinds,
  unreadReasons,
  verdicts,
} from '@csp/evidence/evidence'
import { toldCount } from '@csp/lib/told-count'
import { pageErrorCodes } from '@csp/page-reader/page-error'
import { z } from 'zod'
import { isSearchErrorCode } from '../../domain/error.ts'
import type { Answer, SearchEvent } from '../../domain/search.ts'

const url = z.string().regex(/^https?:\/\//)
const count = toldCount

/** A backend's own relevance score. One that is no use is left out, and the row stays. */
export const scoreSchema = z.number().min(0).max(1_000_000).optional().catch(undefined)

/** One result. */
export const resultSchema = z.object({
  title: z.string(),
  url,
  snippet: z.string().optional(),
  passages: z.array(z.string()).min(1).max(100).optional(),
  publishedAt: z.string().optional(),
  seenAt: z.iso.datetime().optional().catch(undefined),
  score: scoreSchema,
  source: z.string(),
})

/** A marker and its page. */
export const citationSchema = z.object({
  number: z.int().positive(),
  url,
  title: z.string(),
  start: z.int().nonnegative(),
  end: z.int().nonnegative(),
  quote: z.string().max(1000).optional().catch(undefined),
})

/** Why a text ended. */
export const finishReasonSchema = z.enum(['stop', 'length', 'refusal', 'tool-calls'])

/** What an answer cost. */
export const usageSchema = z.object({ searches: count, inputTokens: count, outputTokens: count })

const missingSchema = z.object({ kind: z.enum(missingKinds), text: z.string() })

/** What a newer version names is left out here: the verdict stands. */
const missingList = z
  .array(z.unknown())
  .transform((list): readonly Missing[] => list.flatMap((one) => missingSchema.safeParse(one).data ?? []))

const doubtSchema = z.object({ kind: z.enum(doubtKinds), said: z.string(), page: z.string() })

const passageSchema = z.object({ text: z.string(), source: z.int().positive(), place: z.int().nonnegative() })
const judgeSchema: z.ZodType<Judgement> = z.object({
  model: z.string().max(200).optional(),
  says: z.enum(judgements).optional(),
  words: z.string().optional(),
  problem: z.union([z.literal('not-counted'), z.string().refine(isSearchErrorCode)]).optional(),
})

/** The evidence of an answer's sentences. */
export const evidenceSchema: z.ZodType<readonly Evidence[]> = z
  .array(
    z.object({
      sentence: z.string(),
      start: z.int().nonnegative(),
      end: z.int().nonnegative(),
      verdict: z.enum(verdicts),
      score: z.number().min(0).max(1),
      sources: z.array(z.int().positive()),
      passage: passageSchema.optional(),
      passages: z.array(passageSchema).optional(),
      missing: missingList.optional(),
      unseen: z.array(z.string()).optional().catch(undefined),
      doubt: doubtSchema.optional().catch(undefined),
      reason: z.enum(unreadReasons).optional().catch(undefined),
      judge: judgeSchema.optional().catch(undefined),
    }),
  )
  // No more than an answer has citations.
  .max(1000)

const modelName = z.string().max(200).optional()

const searchSchema = z.object({
  id: z.string(),
  query: z.string(),
  model: modelName,
  results: z.array(resultSchema),
})

/** A stored answer, to be validated when it is read from outside the process. */
export const answerSchema: z.ZodType<Answer> = z.object({
  text: z.string(),
  searches: z.array(searchSchema),
  citations: z.array(citationSchema),
  toolCalls: z.array(z.object({ id: z.string(), name: z.string(), arguments: z.string() })),
  reason: finishReasonSchema,
  usage: usageSchema,
  model: z.string(),
  stopSequence: z.string().optional(),
  backend: z.string().optional(),
  // Whatever another version says of it, the answer stands.
  evidence: evidenceSchema.optional().catch(undefined),
  receipt: z.object({ id: z.string(), owner: z.string() }).optional(),
})

const unreadSchema = z.object({ site: z.string().max(300), code: z.enum(pageErrorCodes) })

const id = z.string().max(1000)

const researchStepSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('outline'), questions: z.array(z.string()).max(100) }),
  z.object({ kind: z.literal('page'), url, title: z.string() }),
  z.object({ kind: z.literal('note'), text: z.string() }),
])

/** An event that comes from outside the process. */
const eventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('cache'),
    status: z.enum(['hit', 'stale', 'miss']),
    ageSeconds: z.number().nonnegative(),
    reason: z.string().max(100).optional(),
  }),
  z.object({ type: z.literal('backend'), name: z.string().max(200) }),
  z.object({ type: z.literal('search-start'), id, query: z.string(), model: modelName }),
  z.object({
    type: z.literal('reading'),
    pages: z.int().nonnegative(),
    maxMs: z.number().nonnegative().optional().catch(undefined),
    unread: z.array(unreadSchema).max(100).optional().catch(undefined),
    read: url.optional().catch(undefined),
  }),
  z.object({ type: z.literal('research'), step: researchStepSchema }),
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
    stopSequence: z.string().optional(),
    isDegraded: z.boolean().optional(),
    late: z.array(resultSchema).max(1000).optional().catch(undefined),
    evidence: evidenceSchema.optional().catch(undefined),
  }),
])

const eventTypes: ReadonlySet<string> = new Set(eventSchema.options.map(({ shape }) => shape.type.value))

/**
 * Reads an event that was made elsewhere. `unknown`: of a type that is not known here, as a newer version may send.
 * `undefined`: malformed.
 */
export function readWireEvent(value: unknown): SearchEvent | 'unknown' | undefined {
  if (typeof value !== 'object' || value === null || !('type' in value)) return undefined
  const { type } = value
  if (typeof type !== 'string') return undefined
  // Most events are pieces of text; on the edge a schema for each would cost more than all else.
  if (type === 'text-delta' && 'text' in value && typeof value.text === 'string') return { type, text: value.text }
  return eventTypes.has(type) ? eventSchema.safeParse(value).data : 'unknown'
}
