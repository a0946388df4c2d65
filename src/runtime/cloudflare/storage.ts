import { createMemoryStorage, type StorageInterface } from 'ocache'
import { messageOf } from '../../lib/errors.ts'
import { type KvNamespace, kv } from '../../storage/kv.ts'
import { openStore } from '../../storage/store.ts'
import { tiered } from '../../storage/tiered.ts'
import type { Log } from '../log/log.ts'

/** Where the edge keeps answers: KV, with what was used in the last minute in memory. A refused write is logged. */
export function edgeStorage(namespace: KvNamespace, log: Log): StorageInterface {
  const store = openStore(kv({ namespace }))
  const far: StorageInterface = {
    get: (key) => store.get(key),
    async set(key, value, options) {
      try {
        await store.set(key, value, options)
      } catch (error) {
        log('warning', `An answer was not kept: ${messageOf(error)}`)
        throw error
      }
    },
  }
  return tiered(createMemoryStorage({ maxBytes: memoryBytes }), far)
}

/** Of the 128 MB that a Worker has. */
const memoryBytes = 16 * 1024 * 1024
