import type { StorageInterface } from 'ocache'

/** How long the near store serves a copy from the far one, in seconds. */
const nearSeconds = 60

/**
 * A fast store in front of a remote one: recently read and written entries come from the fast one. Changes by other
 * writers of the remote store are seen up to a minute late.
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
