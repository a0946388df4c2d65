import { createMemoryStorage } from 'ocache'
import type { Executor, Layer } from '../../../src/executor/executor.ts'
import { batchedText } from '../../../src/executor/layers/batching/batched-text.ts'
import { cached } from '../../../src/executor/layers/cache/cached.ts'
import { Budget } from '../../../src/executor/layers/metering/budget.ts'
import { metered } from '../../../src/executor/layers/metering/metered.ts'
import { Breaker } from '../../../src/executor/layers/resilience/breaker.ts'
import { gated, observed } from '../../../src/executor/layers/resilience/circuit-breaking.ts'
import { deadline } from '../../../src/executor/layers/resilience/deadline.ts'
import { fallback } from '../../../src/executor/layers/resilience/fallback.ts'
import { queued } from '../../../src/executor/layers/resilience/queued.ts'
import { retried } from '../../../src/executor/layers/resilience/retried.ts'
import { sanitised } from '../../../src/executor/layers/sanitising/sanitised.ts'
import { createBackendStack, createStack } from '../../../src/executor/layers/stack.ts'
import { type Behaviour, executorContract } from '../../contract/executor.ts'
import { answers, fails, fakeExecutor, hangs, isSilent, type Script } from '../../support/fake-executor.ts'
import { fakePageReader } from '../../support/fake-page-reader.ts'
import { memoryLedger } from '../../support/memory-ledger.ts'

const cache = (): Layer => cached({ storage: createMemoryStorage(), ttlSeconds: 60 })
const queue = queued({ startsPerSecond: 0 })
const inTime = deadline({ timeoutMs: 60_000 })

function inService(inner: Executor): Executor {
  const breaker = new Breaker({ name: 'fake' })
  return createBackendStack(inner, { breaker, queue: { startsPerSecond: 0 }, timeoutMs: 60_000, retries: 2 })
}

function gatedQueue(inner: Executor): Executor {
  const breaker = new Breaker({ name: 'fake' })
  return gated(breaker)(queue(observed(breaker)(inner)))
}

const layers: Readonly<Record<string, Layer>> = {
  'a fake': (inner) => inner,
  cached: (inner) => cache()(inner),
  queued: queue,
  deadline: inTime,
  metered: metered(new Budget({ ledger: memoryLedger() })),
  sanitised,
  'batched text': batchedText({ intervalMs: 20 }),
  retried: retried(),
  'gated(queued(observed))': gatedQueue,
  fallback: (inner) => fallback([inner]),
  'fallback, the second,': (inner) => fallback([fakeExecutor(fails('rate-limited')), inner]),
  'the layers of one backend,': inService,
  'cached(queued(deadline))': (inner) => cache()(queue(inTime(inner))),
  'the whole stack,': (inner) =>
    createStack([inService(inner)], {
      cache: { storage: createMemoryStorage(), ttlSeconds: 60 },
      keepAlive: (kept) => kept,
      excerpts: { reader: fakePageReader({}), source: 'pages' },
      paging: { ttlSeconds: 60 },
      meter: new Budget({ ledger: memoryLedger() }),
    }),
}

for (const [name, layer] of Object.entries(layers)) {
  for (const [manner, hanging] of Object.entries({ 'in the middle': hangs, 'in silence': isSilent })) {
    const scripts: Readonly<Record<Behaviour, Script>> = {
      succeed: answers,
      hang: hanging,
      fail: fails('rate-limited'),
    }
    executorContract(`${name}, hanging ${manner},`, {
      failure: 'rate-limited',
      factory: (behaviour) => {
        const fake = fakeExecutor(scripts[behaviour])
        return {
          executor: layer(fake),
          running: () => fake.running,
          begun: () => fake.begun(),
          started: () => fake.requests.length,
        }
      },
    })
  }
}
