import { expect, test } from 'bun:test'
import { createApp, createHomeApp } from '../../../src/app.ts'
import { remote } from '../../../src/executor/backends/remote/remote.ts'
import { found, scriptedExecutor } from '../../support/scripted-executor.ts'

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

test.each([
  [traceparent, traceparent],
  [undefined, null],
  ['00-nonsense', null],
  [traceparent.replace('0af7651916cd43dd8448eb211c80319c', '0'.repeat(32)), null],
])("another csp that works for a request gets its caller's traceparent, if it is one: %p", async (sent, passed) => {
  const seen: (string | null)[] = []
  const far = createHomeApp({ executor: scriptedExecutor(found(1)), version: '1' })
  const fetch = async (request: Request) => {
    seen.push(request.headers.get('traceparent'))
    return far.fetch(request)
  }
  const app = createApp({ executor: remote({ fetcher: { fetch } }), version: '1' })
  await app.request('/v1/search?q=bees', { ...(sent && { headers: { traceparent: sent } }) })
  expect(seen).toEqual([passed])
})
