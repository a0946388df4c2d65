import { maxTimerMs, timedOut, withTimeout } from '@csp/lib/abort'
import type { SearchEvent, SearchEvents, SearchRequest } from '../../../domain/search.ts'
import type { Executor, Layer, SearchContext } from '../../executor.ts'
import { layer } from '../layer.ts'

export interface BatchedTextOptions {
  /** The shortest time between two pieces of text. */
  readonly intervalMs: number
  /** It grows with the time that the text has taken, up to this. Absent: it stays. */
  readonly maxIntervalMs?: number | undefined
  /** Monotonic time, ms. */
  readonly now?: (() => number) | undefined
}

/**
 * Joins pieces of text, and of a tool call's arguments, that come soon after one another. The first goes out at once,
 * and nothing waits longer than the interval, unless the caller waits for the whole answer anyway.
 */
export function batchedText(options: BatchedTextOptions): Layer {
  return (inner) =>
    layer(inner, {
      search: (request, context) => search(inner, options, request, context),
    })
}

type Piece = Extract<SearchEvent, { type: 'text-delta' | 'tool-call-delta' }>

async function* search(
  inner: Executor,
  options: BatchedTextOptions,
  request: SearchRequest,
  context: SearchContext,
): SearchEvents {
  const stop = new AbortController()
  const signal = AbortSignal.any([context.signal, stop.signal])
  const events = inner.search(request, { ...context, signal })[Symbol.asyncIterator]()
  let next: Promise<IteratorResult<SearchEvent>> | undefined
  const { now = () => performance.now() } = options
  let held: Piece | undefined
  let firstAt: number | undefined
  let dueAt = 0
  try {
    for (;;) {
      next ??= events.next()
      const step = held ? await withTimeout(next, Math.max(0, dueAt - now())) : await next
      const event = step === timedOut || step.done ? undefined : step.value
      if (step !== timedOut) next = undefined
      const joined = event && join(held, event)
      if (joined && now() < dueAt && lengthOf(joined) < maxHeldLength) {
        held = joined
        continue
      }
      const piece = joined ?? held
      if (piece) {
        held = undefined
        firstAt ??= now()
        dueAt = now() + (context.isWhole ? maxTimerMs : intervalAfter(now() - firstAt, options))
        yield piece
      }
      if (event && !joined) yield event
      if (step !== timedOut && step.done) return
    }
  } catch (error) {
    if (held && !signal.aborted) yield held
    throw error
  } finally {
    // A consumer that leaves early leaves a step behind, which ends when the search stops.
    stop.abort()
    await next?.catch(() => {})
    await events.return?.()
  }
}

/** A reader has much before it by then, and notices a longer pause less than a machine does many pieces. */
function intervalAfter(elapsedMs: number, { intervalMs, maxIntervalMs = intervalMs }: BatchedTextOptions): number {
  return Math.min(maxIntervalMs, Math.max(intervalMs, elapsedMs / 3))
}

/** In characters. The other end takes events of a bounded length only, and memory has bounds as well. */
const maxHeldLength = 64 * 1024

function lengthOf(piece: Piece): number {
  return piece.type === 'text-delta' ? piece.text.length : piece.arguments.length
}

/** The piece that both make. `undefined`: the event is no piece, or not of the one that is held. */
function join(held: Piece | undefined, event: SearchEvent): Piece | undefined {
  if (event.type === 'text-delta') {
    if (!held) return event
    return held.type === 'text-delta' ? { ...event, text: held.text + event.text } : undefined
  }
  if (event.type !== 'tool-call-delta') return undefined
  if (!held) return event
  if (held.type !== 'tool-call-delta' || held.id !== event.id) return undefined
  return { ...event, arguments: held.arguments + event.arguments }
}
