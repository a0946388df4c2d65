import { z } from 'zod'
import type { Answer } from '../../domain/search.ts'

const url = z.string().regex(/^https?:\/\//)
const count = z.number().nonnegative()

/** A row. */
export const resultSchema = z.object({
  title: z.string(),
  url,
  snippet: z.string().optional(),
  publishedAt: z.string().optional(),
  source: z.string(),
})

/** A marker and its page. */
export const citationSchema = z.object({
  number: z.int().positive(),
  url,
  title: z.string(),
  start: z.int().nonnegative(),
  end: z.int().nonnegative(),
})

/** Why a text ended. */
export const finishReasonSchema = z.enum(['stop', 'length', 'refusal', 'tool-calls'])

/** What an answer cost. */
export const usageSchema = z.object({ searches: count, inputTokens: count, outputTokens: count })

/** An answer as it was written down, for whoever reads one back from outside the process. */
export const answerSchema: z.ZodType<Answer> = z.object({
  text: z.string(),
  searches: z.array(z.object({ id: z.string(), query: z.string(), results: z.array(resultSchema) })),
  citations: z.array(citationSchema),
  toolCalls: z.array(z.object({ id: z.string(), name: z.string(), arguments: z.string() })),
  reason: finishReasonSchema,
  usage: usageSchema,
  model: z.string(),
  backend: z.string().optional(),
})
