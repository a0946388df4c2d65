import { z } from 'zod'
import type { Answer } from '../domain/search.ts'

const url = z.string().regex(/^https?:\/\//)
const count = z.number().nonnegative()

const result = z.object({
  title: z.string(),
  url,
  snippet: z.string().optional(),
  publishedAt: z.string().optional(),
  source: z.string(),
})

/** An answer as it was written down, for whoever reads one back from outside the process. */
export const answerSchema: z.ZodType<Answer> = z.object({
  text: z.string(),
  searches: z.array(z.object({ id: z.string(), query: z.string(), results: z.array(result) })),
  citations: z.array(z.object({ number: z.int().positive(), url, title: z.string(), start: z.int(), end: z.int() })),
  toolCalls: z.array(z.object({ id: z.string(), name: z.string(), arguments: z.string() })),
  reason: z.enum(['stop', 'length', 'refusal', 'tool-calls']),
  usage: z.object({ searches: count, inputTokens: count, outputTokens: count }),
  model: z.string(),
  backend: z.string().optional(),
})
