import { abortError } from '../domain/abort-error.ts'

/** Settles as the promise does, or throws the signal's `abortError` as soon as it aborts. The promise runs on. */
export async function interruptible<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) {
    promise.catch(() => {})
    throw abortError(signal)
  }
  const interrupted = Promise.withResolvers<never>()
  const onAbort = (): void => interrupted.reject(abortError(signal))
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([promise, interrupted.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
