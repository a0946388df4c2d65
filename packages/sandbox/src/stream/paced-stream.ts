import { maxTimerMs, pause } from '@csp/lib/abort'

/** A piece of text, and the time that passes before it is sent, in milliseconds. */
export interface Piece {
  readonly text: string
  readonly afterMs: number
}

export interface PacedStreamOptions {
  /** After the pieces. `break`: fails with an error. `hang`: sends nothing, and does not end. */
  readonly end: 'whole' | 'break' | 'hang'
  /** Aborts when the reader disconnects. */
  readonly signal: AbortSignal
  /** Called when the last byte was sent or the reader has gone. May be called twice. */
  readonly onClose: () => void
}

/** Sends pieces of text, as fast as the reader reads or slower. Stops at once when the signal aborts or the reader cancels. */
export function pacedStream(pieces: readonly Piece[], options: PacedStreamOptions): ReadableStream<Uint8Array> {
  const cancelled = new AbortController()
  const signal = AbortSignal.any([options.signal, cancelled.signal])
  const paced = pace(pieces, { ...options, signal })
  const encoder = new TextEncoder()
  // A stream that is never read is never cancelled either.
  signal.addEventListener('abort', options.onClose, { once: true })
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await paced.next()
        if (!done) return controller.enqueue(encoder.encode(value))
        controller.close()
      } catch {
        // Without a reason: the server would print it, although the failure is intended.
        controller.error()
      }
      options.onClose()
    },
    cancel() {
      cancelled.abort()
    },
  })
}

async function* pace(
  pieces: readonly Piece[],
  { end, signal }: PacedStreamOptions,
): AsyncGenerator<string, void, undefined> {
  // By the clock, so that late timers do not add up.
  let dueAt = performance.now()
  for (const { text, afterMs } of pieces) {
    dueAt += afterMs
    await sleep(dueAt - performance.now(), signal)
    yield text
  }
  if (end === 'whole') return
  if (end === 'hang') return sleep(maxTimerMs, signal)
  // Lets the reader read the sent data first: a reset discards unread data.
  await sleep(breakDelayMs, signal)
  throw new Error('The sandbox cut the connection as requested.')
}

/** Long enough for a CLI on a loaded machine. */
const breakDelayMs = 400

/** Waits. Rejects with the signal's reason when it aborts. */
export async function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (milliseconds > 0) await pause(milliseconds, signal)
  signal.throwIfAborted()
}
