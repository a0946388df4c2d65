import '../../executor/layers/layers.contract.test.ts'
import { waitUntil } from 'cloudflare:workers'
import { chatUpstream } from '@csp/gateway/chat-completions/chat-completions'
import { responsesUpstream } from '@csp/gateway/responses/responses'
import { type UpstreamBehaviour, upstreamContract } from '../../../packages/gateway/test/contract/upstream.ts'
import { eventsOf } from '../../../packages/gateway/test/support/responses-events.ts'
import {
  chunk,
  openAiError,
  type Piece,
  saying,
  streamed,
} from '../../../packages/gateway/test/support/strict-provider.ts'
import { createHomeApp } from '../../../src/app.ts'
import { remote } from '../../../src/executor/backends/remote/remote.ts'
import { Budget } from '../../../src/executor/layers/metering/budget.ts'
import { edgeExecutor } from '../../../src/runtime/cloudflare/edge-executor.ts'
import { type KvNamespace, kv } from '../../../src/storage/kv.ts'
import { openStore } from '../../../src/storage/store.ts'
import { executorContract } from '../../contract/executor.ts'
import { storeContract } from '../../contract/store.ts'
import { answers, type FakeExecutor, fails, fakeExecutor, hangs } from '../../support/fake-executor.ts'
import { memoryLedger } from '../../support/memory-ledger.ts'
import { expect, runTest, test, testNames } from './test-stand-in.ts'

// The contracts of executors, stores and upstreams, inside workerd. `GET` lists their tests, `POST` runs the one named.

let namespace: KvNamespace | undefined

storeContract('KV', async () => {
  const driver = kv({ namespace: namespace ?? fail() })
  return { open: () => driver, dispose: async () => driver.clear?.('', {}) }
})

const scripts = { succeed: answers, hang: hangs, fail: fails('rate-limited') }

executorContract('remote', {
  failure: 'rate-limited',
  factory: (behaviour) => {
    const far = fakeExecutor(scripts[behaviour])
    const app = createHomeApp({ executor: far, version: 'test' })
    const fetcher = { fetch: async (request: Request) => app.fetch(request) }
    const health = async () => ({ ready: true, backends: [{ name: 'remote', ready: true }] })
    return { executor: remote({ fetcher, health }), ...countsOf(far) }
  },
})

executorContract('the edge', {
  failure: 'rate-limited',
  factory: (behaviour) => {
    const far = fakeExecutor(scripts[behaviour])
    const storage = openStore(kv({ namespace: namespace ?? fail() }))
    const meter = new Budget({ ledger: memoryLedger() })
    const options = { ttlSeconds: 60, oldSeconds: 60, storage, meter, background: waitUntil }
    const executor = edgeExecutor({ ...options, backends: [() => ({ ...far, close: async () => {} })] })
    return { executor, ...countsOf(far), dispose: () => storage.clear() }
  },
})

type Replies = Readonly<Record<UpstreamBehaviour, (said: string) => readonly Piece[]>>

const chat: Replies = {
  succeed: (said) => [...saying(`You said: ${said}`)],
  hang: () => [chunk({ content: 'Well,' }), 'hang'],
  fail: () => [],
  break: () => [chunk({ content: 'Well,' })],
}

const begun = [...eventsOf({ text: 'Well, yes.' })].slice(0, 5)

const responses: Replies = {
  succeed: (said) => [...eventsOf({ text: `You said: ${said}` })],
  hang: () => [...begun, 'hang'],
  fail: () => [],
  break: () => begun,
}

for (const [name, create, replies] of [
  ['a compatible provider', chatUpstream, chat],
  ["OpenAI's Responses API", responsesUpstream, responses],
] as const) {
  upstreamContract(name, {
    failure: { status: 503, type: 'overloaded_error' },
    factory: (behaviour) => {
      let started = 0
      let running = 0
      const fetch = async (_url: string, { body, signal }: RequestInit): Promise<Response> => {
        started++
        if (behaviour === 'fail') return openAiError(503, 'Overloaded.')
        running++
        return streamed(replies[behaviour](String(body)), signal ?? fail(), () => running--)
      }
      const upstream = create({ name: 'x', baseUrl: 'https://provider.example', fetch })
      return { upstream, started: () => started, running: () => running }
    },
  })
}

function countsOf(far: FakeExecutor) {
  return { running: () => far.running, started: () => far.requests.length, begun: () => far.begun() }
}

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
