import { createMemoryStorage } from 'ocache'
import { Breaker } from '../../src/executor/breaker.ts'
import { Budget } from '../../src/executor/budget.ts'
import { cached } from '../../src/executor/cached.ts'
import type { Layer } from '../../src/executor/executor.ts'
import { fallback } from '../../src/executor/fallback.ts'
import { guarded } from '../../src/executor/guarded.ts'
import { memoryLedger } from '../../src/executor/ledger.ts'
import { metered } from '../../src/executor/metered.ts'
import { paged } from '../../src/executor/paged.ts'
import { queued } from '../../src/executor/queued.ts'
import { resilient } from '../../src/executor/resilient.ts'
import { retried } from '../../src/executor/retried.ts'
import { sanitised } from '../../src/executor/sanitised.ts'
import { timed } from '../../src/executor/timed.ts'
import { type Behaviour, executorContract } from '../contract/executor.ts'
import { answers, fails, fakeExecutor, hangs, isSilent, type Script } from '../support/fake-executor.ts'

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
