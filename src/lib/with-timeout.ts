/** What `within` gives when the time is over. */
export const late = Symbol('late')

/** Waits for a promise, but not longer than this. The promise itself goes on. */
export async function within<Value>(promise: Promise<Value>, milliseconds: number): Promise<Value | typeof late> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeUp = new Promise<typeof late>((resolve) => {
    timer = setTimeout(resolve, milliseconds, late)
  })
  try {
    return await Promise.race([promise, timeUp])
  } finally {
    clearTimeout(timer)
  }
}
