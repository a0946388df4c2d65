import { PageError } from '../../domain/page.ts'
import { deferred } from '../../lib/deferred.ts'
import { toPageError } from '../page-failure.ts'
import type { PageLayer, WholePageReader } from '../whole-page.ts'
import type { HostPace } from './host-pace.ts'

export interface PageQueueOptions {
  /** Pages that are read at once; 8 by default. */
  readonly concurrency?: number | undefined
  /** Pages that may wait; 200 by default. More are rejected. */
  readonly capacity?: number | undefined
  /** How often one host is asked. */
  readonly pace: HostPace
}

/** Reads so many pages at once, and waits for the turn of their hosts before it takes a place for them. */
export function queued({ concurrency = 8, capacity = 200, pace }: PageQueueOptions): PageLayer {
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
