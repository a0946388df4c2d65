// Values that change, and components that follow them.

import { useEffect, useState } from 'preact/hooks'

export interface Store<T> {
  get(): T
  set(value: T): void
  /** Calls back at each change, until what it returns is called. */
  follow(hear: () => void): () => void
}

export function createStore<T>(value: T): Store<T> {
  const heard = new Set<() => void>()
  let current = value
  return {
    get: () => current,
    set(next) {
      if (next === current) return
      current = next
      for (const hear of [...heard]) hear()
    },
    follow(hear) {
      heard.add(hear)
      return () => heard.delete(hear)
    },
  }
}

/** The value of a store; its component is drawn again when it changes. */
export function useStore<T>(store: Store<T>): T {
  const [value, setValue] = useState(store.get)
  useEffect(() => {
    const renew = () => setValue(() => store.get())
    // It may have changed between the drawing and now.
    renew()
    return store.follow(renew)
  }, [store])
  return value
}
