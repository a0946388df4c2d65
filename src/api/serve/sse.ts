import { Alarm } from '@csp/lib/alarm'
import { eventText } from '@csp/lib/event-stream'
import { TurnClock } from '@csp/lib/turn-clock'
import type { Frame, Framing } from '../dialect.ts'

export interface EventStreamOptions {
  readonly frames: AsyncIterator<Frame>
  /** The first step of `frames`, which was already requested. */
  readonly first: Promise<IteratorResult<Frame>>
  readonly framing: Framing
  readonly heartbeatMs: number
  /** Whether the client has waited long: then a heartbeat goes out at once, and the headers with it. */
  readonly isLate: boolean
  /** A reader that takes nothing for this long is cut off; a minute by default. */
  readonly maxUnreadMs?: number | undefined
  /** Formats a failure. */
  readonly onError: (error: unknown) => readonly Frame[]
  /** Called when the reader has gone or is cut off, to stop the work. */
  readonly onCancel: () => void
  /** Called once, after the last byte. */
  readonly onEnd: () => void
}

/**
 * Frames for a response body. They are pulled as the body is read; while none comes, a heartbeat is sent every
 * `heartbeatMs`, so that no proxy closes a silent connection.
 */
export function eventStream(options: EventStreamOptions): ReadableStream<Uint8Array> {
  const { frames, framing, heartbeatMs, maxUnreadMs = defaultMaxUnreadMs } = options
  const { onError, onCancel, onEnd } = options
  const encoder = new TextEncoder()
  let next: Promise<IteratorResult<Frame>> | undefined = options.first
  let isLate = options.isLate
  let cancelled = false
  const alarm = new Alarm()
  const turns = new TurnClock()

  async function nextText(): Promise<string | undefined> {
    if (isLate) {
      isLate = false
      return framing.heartbeat()
    }
    next ??= frames.next()
    const step = await inTime(next)
    if (!step) return framing.heartbeat()
    next = undefined
    return step.done ? undefined : framing.write(step.value)
  }

  /** `undefined` when nothing comes until the next heartbeat. */
  function inTime(step: Promise<IteratorResult<Frame>>): Promise<IteratorResult<Frame> | undefined> {
    return new Promise((resolve, reject) => {
      alarm.set(heartbeatMs, () => resolve(undefined))
      step.then(resolve, reject)
    })
  }

  async function stop(): Promise<void> {
    alarm.stop()
    cancelled = true
    onCancel()
    // The pending frame rejects on the abort; nothing reads that error any more.
    await next?.catch(() => {})
    await frames.return?.()
    onEnd()
  }

  return new ReadableStream({
    async pull(controller) {
      let text: string | undefined
      let rest = ''
      // What others have asked for before may be here already.
      await turns.rest()
      if (cancelled) return
      try {
        text = await nextText()
      } catch (error) {
        rest = onError(error)
          .map((frame) => framing.write(frame))
          .join('')
      }
      if (cancelled) return
      const written = text ?? rest + framing.end()
      if (written) controller.enqueue(encoder.encode(written))
      if (text !== undefined) {
        alarm.set(maxUnreadMs, () => {
          controller.error(new Error('The client does not read.'))
          void stop().catch(() => {})
        })
        return
      }
      alarm.stop()
      onEnd()
      controller.close()
    },
    cancel: stop,
  })
}

/** Server-sent events, with comments as heartbeats. */
export const serverSentEvents: Framing = {
  contentType: 'text/event-stream; charset=utf-8',
  write: eventText,
  heartbeat: () => ': ping\n\n',
  end: () => '',
}
const defaultMaxUnreadMs = 60_000

/** An event without a name, whose data is JSON. */
export function jsonFrame(body: unknown): Frame {
  return { data: JSON.stringify(body) }
}

export interface StreamWatch {
  /** A reader that takes nothing for this long is cut off; a minute by default. */
  readonly maxUnreadMs?: number | undefined
  /** Called when the reader has gone or is cut off, to stop the work. */
  readonly onCancel: () => void
  /** Called where the bytes break off. */
  readonly onError?: (error: unknown) => void
  /** Called once, after the last byte or one of the others. */
  readonly onEnd: () => void
}

const neverMs = 86_400_000

/** Passes the bytes through, and reports how they ended. */
export function watchedStream(body: ReadableStream<Uint8Array>, watch: StreamWatch): ReadableStream<Uint8Array> {
  const { maxUnreadMs = defaultMaxUnreadMs, onCancel, onError, onEnd } = watch
  const reader = body.getReader()
  const alarm = new Alarm()
  let cancelled = false

  async function stop(reason?: unknown): Promise<void> {
    alarm.stop()
    cancelled = true
    onCancel()
    // Rejects where the work, which is stopped, was what it reads from.
    await reader.cancel(reason).catch(() => {})
    onEnd()
  }

  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      // Not stopped: a timer for each piece costs more than passing the piece on.
      alarm.set(neverMs, () => {})
      try {
        const { done, value } = await reader.read()
        if (cancelled) return
        if (!done) {
          alarm.set(maxUnreadMs, () => {
            controller.error(new Error('The client does not read.'))
            void stop()
          })
          return controller.enqueue(value)
        }
        controller.close()
      } catch (error) {
        // A pending read rejects on the cancellation, too.
        if (cancelled) return
        onError?.(error)
        controller.error(error)
      }
      alarm.stop()
      onEnd()
    },
    cancel: stop,
  })
}
