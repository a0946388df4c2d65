import { sleep } from './sleep.ts'

export interface PacedStreamOptions {
  /** Between two pieces; 0 sends as fast as the reader reads. */
  readonly pauseMs: number
  /** `break`: it breaks off half way with an error. `hang`: it says nothing more from half way on. */
  readonly end: 'whole' | 'break' | 'hang'
  /** Aborts when the reader has gone. */
  readonly signal: AbortSignal
  /** Called when the last byte is out, or nobody wants it any more. May be called twice. */
  readonly onClose: () => void
}

/** Sends pieces of text. Stops at once when the signal aborts or the reader cancels. */
export function pacedStream(pieces: readonly string[], options: PacedStreamOptions): ReadableStream<Uint8Array> {
  const cancelled = new AbortController()
  const signal = AbortSignal.any([options.signal, cancelled.signal])
  const paced = pace(pieces, { ...options, signal })
  const encoder = new TextEncoder()
  // A reader that never comes never cancels either.
  signal.addEventListener('abort', options.onClose, { once: true })
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await paced.next()
        if (!done) return controller.enqueue(encoder.encode(value))
        controller.close()
      } catch {
        // Without a reason: a server would print it, and breaking off is what was asked for.
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
  pieces: readonly string[],
  { pauseMs, end, signal }: PacedStreamOptions,
): AsyncGenerator<string, void, undefined> {
  const sent = end === 'whole' ? pieces.length : Math.floor(pieces.length / 2)
  for (const [index, piece] of pieces.slice(0, sent).entries()) {
    await sleep(index === 0 ? 0 : pauseMs, signal)
    yield piece
  }
  if (end === 'whole') return
  if (end === 'hang') return sleep(maxTimerMs, signal)
  // What was sent so far has to be read before the connection breaks: a reset discards what the reader has not read.
  await sleep(breakDelayMs, signal)
  throw new Error('The sandbox cut the connection, as it was told to.')
}

const maxTimerMs = 2 ** 31 - 1
/** Long enough for a CLI on a loaded machine. */
const breakDelayMs = 150
