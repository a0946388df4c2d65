import { z } from 'zod'
import type { ClaudeProbe } from './cli/probe.ts'

/** What is known of a model that searches within its own call. */
export interface KnownModel {
  readonly hasSearched: boolean
  /** What the results of its last searches weigh, in tokens. */
  readonly weights: readonly number[]
  /** Answers without a search. */
  readonly vain: number
  readonly cites?: boolean | undefined
  /** In ms since 1970. */
  readonly offUntil: number
  readonly reason?: OffReason | undefined
  /** When a `standard` answer was last tried in one call, to find out what a search weighs. */
  readonly triedAt: number
}

/** Why nothing is made in one call for a while. */
export type OffReason = 'refused' | 'vain'

export type KnownModels = Readonly<Record<string, KnownModel>>

/** Whose models they are: another CLI, or another login, may do otherwise. */
export type KnownOf = Pick<ClaudeProbe, 'version' | 'authMethod' | 'subscription'>

/** Keeps what is known beyond a restart. Never throws. */
export interface NativeMemory {
  recall(of: KnownOf): KnownModels
  remember(of: KnownOf, models: KnownModels): Promise<void>
}

/** A caller may ask for a model by any name. */
export const maxModelName = 200

const count = z.number().min(0)

/** Of a file. */
export const knownModels: z.ZodType<KnownModels> = z.record(
  z.string().max(maxModelName),
  z.object({
    hasSearched: z.boolean(),
    weights: z.array(count).max(20),
    vain: count,
    cites: z.boolean().optional(),
    offUntil: count,
    reason: z.enum(['refused', 'vain']).optional(),
    triedAt: count,
  }),
)
