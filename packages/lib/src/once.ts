/** A value that is made once, when it is first needed. A failure is not kept: the next call tries again. */
export interface Once<Value> {
  (): Promise<Value>
  /** The value if it has been made; makes nothing. */
  readonly made: () => Promise<Value | undefined>
}

/**
 * Makes a value at the first call and gives the same promise to later calls. After a failure the next call tries again.
 */
export function once<Value>(make: () => Promise<Value>): Once<Value> {
  let making: Promise<Value> | undefined
  const get = (): Promise<Value> => {
    making ??= make().catch((error: unknown) => {
      making = undefined
      throw error
    })
    return making
  }
  return Object.assign(get, { made: async () => making?.catch(() => undefined) })
}
