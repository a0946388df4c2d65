import { timedOut, withTimeout } from '@csp/lib/abort'
import type { Context } from 'hono'
import type { Frame, Framing } from '../dialect.ts'
import type { AppEnvironment } from '../exchange/exchange.ts'
import { eventStream, serverSentEvents } from './sse.ts'

export interface StreamedReply {
  readonly frames: AsyncIterator<Frame>
  /** Server-sent events by default. */
  readonly framing?: Framing | undefined
  readonly heartbeatMs: number
  readonly maxUnreadMs?: number | undefined
  /** How long the status waits for the first frame: a failure before that is thrown. Absent: not at all. */
  readonly commitAfterMs?: number | undefined
  /** Formats a failure behind the status. */
  readonly onError: (error: unknown) => readonly Frame[]
  /** Stops the work: the reader has gone. */
  readonly stop: () => void
  /** Called once, after the last byte. */
  readonly onEnd?: (() => void) | undefined
}

/** Replies with frames as they come, for as long as that takes. */
export async function streamReply(
  context: Context<AppEnvironment>,
  { frames, framing = serverSentEvents, heartbeatMs, maxUnreadMs, commitAfterMs, onError, stop, onEnd }: StreamedReply,
): Promise<Response> {
  const exchange = context.get('exchange')
  exchange.keepOpen()
  const first = frames.next()
  const isLate = commitAfterMs !== undefined && (await withTimeout(first, commitAfterMs)) === timedOut
  exchange.isStreamed = true
  context.header('content-type', framing.contentType)
  return context.body(
    eventStream({
      frames,
      first,
      framing,
      isLate,
      heartbeatMs,
      maxUnreadMs,
      onError,
      onCancel() {
        exchange.left()
        stop()
      },
      onEnd() {
        onEnd?.()
        exchange.finish(200)
      },
    }),
  )
}
