/** The chunks of a body until it ends or the signal aborts. Settles when whoever makes the body has let go of it. */
export async function* chunks(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body.getReader()
  let released: Promise<void> | undefined
  const release = () => {
    released ??= reader.cancel(signal.reason).catch(() => {})
  }
  signal.addEventListener('abort', release, { once: true })
  if (signal.aborted) release()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    signal.removeEventListener('abort', release)
    release()
    await released
  }
}
