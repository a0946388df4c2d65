import '../../executor/layers.contract.test.ts'
import { type KvNamespace, kv } from '../../../src/storage/kv.ts'
import { storeContract } from '../../contract/store.ts'
import { expect, runTest, test, testNames } from './test-stand-in.ts'

// The contracts of executors and of stores, inside workerd. `GET` lists their tests, `POST` runs the one named.

let namespace: KvNamespace | undefined

storeContract('KV', async () => {
  const driver = kv({ namespace: namespace ?? fail() })
  return { open: () => driver, dispose: async () => driver.clear?.('', {}) }
})

test('this harness tells of a failure', () => {
  expect({ found: [1, 2] }).toEqual({ found: [1, 3] })
})

export default {
  async fetch(request: Request, { CACHE }: { readonly CACHE: KvNamespace }): Promise<Response> {
    namespace = CACHE
    if (request.method === 'GET') return Response.json(testNames())
    try {
      await runTest(await request.text())
      return new Response()
    } catch (error) {
      return new Response(error instanceof Error ? (error.stack ?? error.message) : String(error), { status: 500 })
    }
  },
}

function fail(): never {
  throw new Error('No request has come yet.')
}
