import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import memory from 'unstorage/drivers/memory'
import { files } from '../../src/storage/files.ts'
import { storeContract } from '../contract/store.ts'

storeContract('memory', async () => {
  const driver = memory()
  return { open: () => driver, dispose: async () => {} }
})

storeContract('files', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'csp-store-'))
  return { open: () => files({ directory }), dispose: () => rm(directory, { recursive: true, force: true }) }
})
