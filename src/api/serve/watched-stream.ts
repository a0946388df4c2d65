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
