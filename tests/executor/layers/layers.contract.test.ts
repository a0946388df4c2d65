import { createMemoryStorage } from 'ocache'
import type { Layer } from '../../../src/executor/executor.ts'
import { cached } from '../../../src/executor/layers/cache/cached.ts'
import { Budget } from '../../../src/executor/layers/metering/budget.ts'
import { memoryLedger } from '../../../src/executor/layers/metering/ledger.ts'
import { metered } from '../../../src/executor/layers/metering/metered.ts'
import { paged } from '../../../src/executor/layers/paging/paged.ts'
import { Breaker } from '../../../src/executor/layers/resilience/breaker.ts'
import { guarded } from '../../../src/executor/layers/resilience/circuit-breaking.ts'
import { timed } from '../../../src/executor/layers/resilience/deadline.ts'
import { fallback } from '../../../src/executor/layers/resilience/fallback.ts'
import { queued } from '../../../src/executor/layers/resilience/queued.ts'
import { resilient } from '../../../src/executor/layers/resilience/resilient.ts'
import { retried } from '../../../src/executor/layers/resilience/retried.ts'
import { sanitised } from '../../../src/executor/layers/sanitising/sanitised.ts'
import { type Behaviour, executorContract } from '../../contract/executor.ts'
import { answers, fails, fakeExecutor, hangs, isSilent, type Script } from '../../support/fake-executor.ts'

const cache = (): Layer => cached({ storage: createMemoryStorage(), ttlSeconds: 60 })
const queue = queued({ startsPerSecond: 0 })
const inLine = resilient({ startsPerSecond: 0, timeoutMs: 60_000 })
const deadline = timed({ timeoutMs: 60_000 })

const layers: Readonly<Record<string, Layer>> = {
  'a fake': (inner) => inner,
  cached: (inner) => cache()(inner),
  queued: queue,
  timed: deadline,
  metered: metered(new Budget({ ledger: memoryLedger() })),
  sanitised,
  retried: retried(),
  guarded: (inner) => guarded(new Breaker({ name: 'fake' }), queue)(inner),
  fallback: (inner) => fallback([inner]),
  'fallback, the second,': (inner) => fallback([fakeExecutor(fails('rate-limited')), inner]),
  resilient: (inner) => inLine(inner),
  'cached(queued(timed))': (inner) => cache()(queue(deadline(inner))),
  'cached(paged(sanitised(fallback(resilient))))': (inner) =>
    cache()(paged({ ttlSeconds: 60 })(sanitised(fallback([inLine(inner)])))),
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
