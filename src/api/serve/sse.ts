import { late, withTimeout } from '../../lib/abort.ts'
import type { Frame } from '../dialect.ts'

export interface EventStreamOptions {
  readonly frames: AsyncIterator<Frame>
  /** The first step of `frames`, already asked for. */
  readonly first: Promise<IteratorResult<Frame>>
  readonly heartbeatMs: number
  /** The frames that tell of a failure. */
  readonly onError: (error: unknown) => readonly Frame[]
  /** The reader has gone: stop the work. */
  readonly onCancel: () => void
  /** Nothing more will be sent. Called once. */
  readonly onEnd: () => void
}

/**
 * Server-sent events for a response body. Frames are asked for as they are read; while none comes, a comment goes out
 * every `heartbeatMs`, so that no proxy takes the silence for an end.
 */
export function eventStream(options: EventStreamOptions): ReadableStream<Uint8Array> {
  const { frames, heartbeatMs, onError, onCancel, onEnd } = options
  const encoder = new TextEncoder()
  let next: Promise<IteratorResult<Frame>> | undefined = options.first
  let cancelled = false

  async function nextText(): Promise<string | undefined> {
    next ??= frames.next()
    const step = await withTimeout(next, heartbeatMs)
    if (step === late) return ': ping\n\n'
    next = undefined
    return step.done ? undefined : writeFrame(step.value)
  }

  return new ReadableStream({
    async pull(controller) {
      let text: string | undefined
      let failure = ''
      try {
        text = await nextText()
      } catch (error) {
        failure = onError(error).map(writeFrame).join('')
      }
      if (cancelled) return
      if (text ?? failure) controller.enqueue(encoder.encode(text ?? failure))
      if (text !== undefined) return
      onEnd()
      controller.close()
    },
    async cancel() {
      cancelled = true
      onCancel()
      // What is being waited for ends with the abort; its error concerns nobody any more.
      await next?.catch(() => {})
      await frames.return?.()
      onEnd()
    },
  })
}

/** A server-sent event as it goes over the wire. */
export function writeFrame({ event, data }: Frame): string {
  const lines = data.split('\n').map((line) => `data: ${line}\n`)
  return `${event === undefined ? '' : `event: ${event}\n`}${lines.join('')}\n`
}

/** An event without a name, whose data is JSON. */
export function jsonFrame(body: unknown): Frame {
  return { data: JSON.stringify(body) }
}

export interface StreamWatch {
  /** The reader has gone: stop the work. */
  readonly onCancel: () => void
  /** Nothing more will be sent. Called once. */
  readonly onEnd: () => void
}

/** The same bytes, and word of how they ended. */
export function watchedStream(body: ReadableStream<Uint8Array>, { onCancel, onEnd }: StreamWatch) {
  const reader = body.getReader()
  let cancelled = false
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read()
      // A read that was waiting ends with the cancellation, which tells of the end itself.
      if (cancelled) return
      if (!done) return controller.enqueue(value)
      onEnd()
      controller.close()
    },
    async cancel(reason) {
      cancelled = true
      onCancel()
      await reader.cancel(reason)
      onEnd()
    },
  })
}
