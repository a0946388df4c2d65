/** A promise with the functions that settle it. */
export interface Deferred<Value> {
  readonly promise: Promise<Value>
  readonly resolve: (value: Value | PromiseLike<Value>) => void
  readonly reject: (reason?: unknown) => void
}

/** `Promise.withResolvers`, which Node.js 20 does not have. */
export function deferred<Value>(): Deferred<Value> {
  let settle: Omit<Deferred<Value>, 'promise'> | undefined
  const promise = new Promise<Value>((resolve, reject) => {
    settle = { resolve, reject }
  })
  // The function above has run: a promise calls it at once.
  return { promise, ...(settle as Omit<Deferred<Value>, 'promise'>) }
}
