/** How often those who wait look whether the value is there, and after how long one of them makes it after all. */
const lookEveryMs = 20
const maxWaitMs = 15_000

/**
 * A value that is made when it is first needed, once however many ask at the same time. Only the finished value is shared:
 * on the edge a request can end in the middle of its work, and then its promise never settles. So those who come meanwhile
 * look for the value by their own clock, and one of them makes it where its maker failed or has gone.
 */
export function shared<Value extends object | string>(make: () => Promise<Value>): () => Promise<Value> {
  let value: Value | undefined
  let begunAt: number | undefined
  return async () => {
    while (value === undefined && begunAt !== undefined && Date.now() - begunAt < maxWaitMs)
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
    if (value !== undefined) return value
    begunAt = Date.now()
    try {
      const made = await make()
      value ??= made
      return value
    } finally {
      begunAt = undefined
    }
  }
}
