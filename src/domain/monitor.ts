import type { JsonSchema, SearchRequest } from './search.ts'

/** What a caller wants watched over the API, with an address that is told of each run. Plain data. */
export interface MonitorDraft {
  /** The account that it belongs to, and that is charged. */
  readonly owner: string
  /** Whose routes show it. */
  readonly vendor: string
  readonly request: SearchRequest
  /** 0: it runs only when it is triggered. */
  readonly everyMs: number
  /** `paused` and `disabled` run only when triggered. csp disables what belongs to a key that was removed. */
  readonly status: 'active' | 'paused' | 'disabled'
  /** What each run writes of what is new: JSON that fits, or text. */
  readonly schema?: JsonSchema | undefined
  readonly webhook: {
    readonly url: string
    /** Absent: all of them. */
    readonly events?: readonly MonitorEvent[] | undefined
  }
  /** What the caller sent, from which its vendor's replies are written. JSON. */
  readonly input: unknown
}

/** What an address is told of. */
export type MonitorEvent = (typeof monitorEvents)[number]

export const monitorEvents = ['created', 'updated', 'deleted', 'run.created', 'run.completed'] as const

/** What a watch has that a caller made. */
export interface MonitorSettings extends Omit<MonitorDraft, 'request' | 'everyMs'> {
  /** Signs what its address is sent. */
  readonly secret: string
  readonly updatedAt: number
}
