import { toSearchError } from '../domain/error.ts'
import type { MonitorDelivery } from '../domain/watches.ts'
import { pause } from '../lib/abort.ts'
import { messageOf } from '../lib/errors.ts'

/** What an address is sent. */
export interface Notification {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface DeliveriesOptions {
  /** Sends it and returns the status of the reply. Throws if nothing may be sent there, or no reply comes. */
  readonly post: (notification: Notification, signal: AbortSignal) => Promise<number>
  readonly signal: AbortSignal
  /** Before each further attempt. */
  readonly waitsMs?: readonly number[] | undefined
}

/**
 * Tells addresses of what has happened, a few times where they do not answer. `write` makes what one attempt sends. The
 * outcome is `pending` where csp ends meanwhile. One owner cannot keep the others from theirs. Never rejects.
 */
export function deliveries({ post, signal, waitsMs = usualWaitsMs }: DeliveriesOptions) {
  const counts = new Map<string, number>()
  let all = 0

  async function attempt(write: () => Promise<Notification>): Promise<{ problem?: string; mayPass?: boolean }> {
    try {
      const status = await post(await write(), signal)
      if (status >= 200 && status < 300) return {}
      const mayPass = status >= 500 || status === 408 || status === 429
      const isRedirect = status >= 300 && status < 400
      return { problem: `It replied with ${status}${isRedirect ? '; redirects are not followed' : ''}.`, mayPass }
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      return { problem: messageOf(error), mayPass: code !== 'not-allowed' && code !== 'invalid-url' }
    }
  }

  return async (owner: string, write: () => Promise<Notification>): Promise<MonitorDelivery> => {
    const own = counts.get(owner) ?? 0
    if (all >= maxAtOnce.all || own >= maxAtOnce.each) {
      return { status: 'failed', attempts: 0, problem: 'Too much is being delivered.' }
    }
    counts.set(owner, own + 1)
    all++
    try {
      for (let attempts = 1; ; attempts++) {
        const { problem, mayPass } = await attempt(write)
        if (signal.aborted) return { status: 'pending', attempts }
        if (problem === undefined) return { status: 'delivered', attempts }
        const waitMs = waitsMs[attempts - 1]
        if (!mayPass || waitMs === undefined) return { status: 'failed', attempts, problem }
        await pause(waitMs, signal)
        if (signal.aborted) return { status: 'pending', attempts }
      }
    } catch (error) {
      return { status: 'failed', attempts: 0, problem: toSearchError(error).message }
    } finally {
      const left = (counts.get(owner) ?? 1) - 1
      if (left > 0) counts.set(owner, left)
      else counts.delete(owner)
      all--
    }
  }
}

const usualWaitsMs = [5_000, 60_000, 600_000]
/** Of one process. */
const maxAtOnce = { each: 40, all: 200 }
