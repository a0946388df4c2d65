import { PageError } from '../../domain/page.ts'
import { deferred } from '../../lib/deferred.ts'
import { toPageError } from '../page-failure.ts'
import type { PageContext } from '../page-reader.ts'
import type { PageLayer, WholePageReader, WholePageRequest } from '../whole-page.ts'
import type { HostPace } from './host-pace.ts'

export interface PageQueueOptions {
  /** Pages that are read at once; 100 by default: ten lists of ten. They wait for their sites nearly all of the time. */
  readonly concurrency?: number | undefined
  /** Pages that may wait; 200 by default. More are rejected. */
  readonly capacity?: number | undefined
  /** How often one host is asked. */
  readonly pace: HostPace
  /** Whether a page need not be fetched. It waits for nothing then. */
  readonly isAtHand?: ((request: WholePageRequest, context: PageContext) => Promise<boolean>) | undefined
}

/** Reads so many pages at once, and waits for the turn of their hosts before it takes a place for them. */
export function queued({ concurrency = 100, capacity = 200, pace, isAtHand }: PageQueueOptions): PageLayer {
  return (inner): WholePageReader => {
    const places: (() => void)[] = []
    let running = 0
    let waiting = 0

    async function enter(signal: AbortSignal): Promise<void> {
      while (running >= concurrency) {
        const { promise, resolve } = deferred<void>()
        places.push(resolve)
        const leave = (): void => {
          const place = places.indexOf(resolve)
          if (place >= 0) places.splice(place, 1)
          resolve()
        }
        signal.addEventListener('abort', leave, { once: true })
        if (signal.aborted) leave()
        await promise
        signal.removeEventListener('abort', leave)
        if (signal.aborted) {
          // Its turn, if it was one, is the next one's.
          places.shift()?.()
          signal.throwIfAborted()
        }
      }
      running++
    }

    return {
      async read(request, context) {
        if (await isAtHand?.(request, context)) return inner.read(request, context)
        if (waiting >= capacity) throw new PageError('busy', `${running} pages are being read and ${waiting} wait.`)
        waiting++
        try {
          await pace.turn(request.url, context.signal)
          await enter(context.signal)
        } catch (error) {
          throw toPageError(error, context.signal)
        } finally {
          waiting--
        }
        try {
          return await inner.read(request, context)
        } finally {
          running--
          places.shift()?.()
        }
      },
      close: () => inner.close(),
    }
  }
}
