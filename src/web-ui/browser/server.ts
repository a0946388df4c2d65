// What this csp says of itself, asked for every few seconds while the page can be seen.

import { type CallError, call, failureOf, storedKey, storeKey } from './api.ts'
import { createStore } from './store.ts'

export type Level = 'ok' | 'warning' | 'bad'

/** One part of csp, as `/health` describes it. */
export interface HealthRow {
  readonly name: string
  readonly level: Level
  readonly text: string
  readonly details?: readonly string[]
  /** 0 to 1: of a limit. */
  readonly used?: number
  readonly action?: 'sign-in'
  readonly when?: { readonly label: string; readonly at: string }
}

export interface Health {
  readonly status: 'ok' | 'degraded' | 'down'
  readonly version?: string
  readonly problem?: string
  readonly sandbox?: boolean
  readonly searches?: {
    readonly status: string
    readonly text: string
    readonly until?: string
    readonly from_memory?: boolean
  }
  /** Absent without a key. */
  readonly rows?: readonly HealthRow[]
  readonly backends?: readonly {
    readonly name: string
    readonly signed_in?: boolean
    readonly plan?: { readonly reserve?: number }
  }[]
  readonly receipts?: object
  readonly memory?: { readonly pages?: number }
}

export interface Limit {
  readonly key: string | null
  readonly kind: string
  readonly window: string
  readonly limit: number
  readonly used: number
  readonly left: number
  readonly resets_at: string
}

export interface Usage {
  readonly limits?: readonly Limit[]
  /** `last_used`: a time, or a day where csp has begun since. */
  readonly keys?: readonly { readonly name: string; readonly last_used: string | null }[]
  readonly days?: readonly { readonly requests: number; readonly searches: number; readonly failures: number }[]
}

export interface Server {
  readonly health: Health | undefined
  /** Absent without a key. */
  readonly usage: Usage | undefined
  /** Since when csp does not answer. */
  readonly goneSince: Date | undefined
  /** A key is asked for; what is wrong with the last one. */
  readonly wantsKey: { readonly problem?: string } | undefined
  /** Counts the answers and the keys: what a view shows of csp may have changed. */
  readonly turn: number
}

export const server = createStore<Server>({
  health: undefined,
  usage: undefined,
  goneSince: undefined,
  wantsKey: document.body.dataset['needsKey'] === 'true' && storedKey() === null ? {} : undefined,
  turn: 0,
})

function change(part: Partial<Server>): void {
  server.set({ ...server.get(), ...part })
}

/** An answer has come, or another key is used: lists of what csp keeps are asked for again. */
export function nextTurn(): void {
  change({ turn: server.get().turn + 1 })
  void refresh(true)
}

export function askForKey(): void {
  change({ wantsKey: {} })
}

export function keepKey(): void {
  change({ wantsKey: undefined })
}

export function takeKey(key: string, isRemembered: boolean): void {
  storeKey(key, isRemembered)
  changing = false
  nextTurn()
}

/** The key that was sent is no longer right, or none was sent. */
export function onUnauthorized({ message }: CallError): void {
  const isWrong = storedKey() !== null
  storeKey(null)
  const { turn, wantsKey } = server.get()
  // What the key before it could see goes.
  change({ wantsKey: isWrong ? { problem: message } : (wantsKey ?? {}), turn: isWrong ? turn + 1 : turn })
}

let isRefreshing = false
let isOutdated = false

/** Another key is being typed, though the present one works. */
let changing = false

/** `isNew`: what is being asked for is out of date already. */
export async function refresh(isNew = false): Promise<void> {
  isOutdated ||= isNew && isRefreshing
  if (isRefreshing) return
  isRefreshing = true
  const key = storedKey()
  try {
    const signal = AbortSignal.timeout(20_000)
    const [healthReply, usageReply] = await Promise.all([call('health', { signal }), call('v1/usage', { signal })])
    const health: Health = await healthReply.json()
    const failure = usageReply.ok ? undefined : await failureOf(usageReply)
    const usage: Usage | undefined = failure ? undefined : await usageReply.json()
    // The key has changed since.
    if (key !== storedKey()) return
    change({ health, usage, goneSince: undefined })
    if (failure?.status === 401) onUnauthorized(failure)
    else if (usage && server.get().wantsKey && !changing) change({ wantsKey: undefined })
  } catch {
    change({ goneSince: server.get().goneSince ?? new Date() })
  } finally {
    isRefreshing = false
    if (isOutdated) {
      isOutdated = false
      void refresh()
    }
  }
}

export function startChangingKey(): void {
  changing = true
  askForKey()
}

export function stopChangingKey(): void {
  changing = false
}

/** Asks now and every few seconds. */
export function followServer(): void {
  const refreshMs = Number(document.body.dataset['refresh']) * 1000
  const look = () => {
    if (document.visibilityState === 'visible') void refresh()
  }
  look()
  setInterval(look, refreshMs)
  document.addEventListener('visibilitychange', look)
}
