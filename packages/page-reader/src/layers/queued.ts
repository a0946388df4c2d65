import { Semaphore } from '@csp/lib/semaphore'
import { PageError } from '../page-error.ts'
import { toPageError } from '../page-failure.ts'
import type { PageContext } from '../page-reader.ts'
import type { PageLayer, WholePageReader, WholePageRequest } from '../whole-page.ts'
import type { HostPace } from './host-pace.ts'

export interface PageQueueOptions {
  /** Pages that are read at once; 100 by default: ten lists of ten. They wait for their sites nearly all of the time. */
  readonly concurrency?: number | undefined
  /** Pages that may wait, of one caller alone; 200 by default. Several callers share it. */
  readonly capacity?: number | undefined
  /** How often one host is asked. */
  readonly pace: HostPace
  /** Whether a page need not be fetched. It waits for nothing then. */
  readonly isAtHand?: ((request: WholePageRequest, context: PageContext) => Promise<boolean>) | undefined
}

/**
 * Reads so many pages at once, and waits for the turn of their hosts before it takes a place for them. Callers take
 * turns; when many pages wait, a caller is rejected whose own are more than its share.
 */
export function queued({ concurrency = 100, capacity = 200, pace, isAtHand }: PageQueueOptions): PageLayer {
  return (inner): WholePageReader => {
    const places = new Semaphore(concurrency)
    /** How many pages of each caller wait; none is 0. */
    const waiting = new Map<string, number>()

    async function enter(url: string, { signal, caller = '', onWait }: PageContext): Promise<() => void> {
      const own = waiting.get(caller) ?? 0
      const share = capacity / new Set([...waiting.keys(), caller]).size
      if (own >= share) throw new PageError('busy', `${places.taken} pages are being read and ${own} of yours wait.`)
      waiting.set(caller, own + 1)
      onWait?.('turn')
      try {
        await pace.start(url, signal, caller)
        const place = await places.take(signal, caller)
        if (typeof place === 'function') return place
        throw signal.reason
      } catch (error) {
        throw toPageError(error, signal)
      } finally {
        const left = (waiting.get(caller) ?? 1) - 1
        if (left > 0) waiting.set(caller, left)
        else waiting.delete(caller)
      }
    }

    return {
      async read(request, context) {
        if (await isAtHand?.(request, context)) return inner.read(request, context)
        const leave = await enter(request.url, context)
        try {
          return await inner.read(request, context)
        } finally {
          leave()
        }
      },
      close: () => inner.close(),
    }
  }
}
