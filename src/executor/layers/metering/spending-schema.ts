import { z } from 'zod'

const count = z.int().nonnegative()

/** What one caller spent at one backend, as it was written down, for whoever reads it back. */
export const spendingSchema = z.object({
  caller: z.string(),
  backend: z.string(),
  requests: count,
  failures: count,
  searches: count,
  inputTokens: count,
  outputTokens: count,
})
