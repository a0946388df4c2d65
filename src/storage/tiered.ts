import type { StorageInterface } from 'ocache'

/** For so long, in seconds, a near store answers for what it took over from the far one. */
const nearSeconds = 60

/**
 * A fast store before one that is far and costs something: what was read or written lately is found near. Another
 * writer of the far store is noticed a minute late.
 */
export function tiered(near: StorageInterface, far: StorageInterface): StorageInterface {
  return {
    async get<T>(key: string): Promise<T | null> {
      const known = await near.get<T>(key)
      if (known !== null) return known
      const found = await far.get<T>(key)
      if (found !== null) await near.set(key, found, { ttl: nearSeconds })
      return found
    },
    async set(key, value, options) {
      await near.set(key, value, { ttl: Math.min(options?.ttl ?? nearSeconds, nearSeconds) })
      await far.set(key, value, options)
    },
  }
}
