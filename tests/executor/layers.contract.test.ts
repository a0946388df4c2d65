import { createMemoryStorage } from 'ocache'
import { Budget } from '../../src/executor/budget.ts'
import { cached } from '../../src/executor/cached.ts'
import type { Layer } from '../../src/executor/executor.ts'
import { memoryLedger } from '../../src/executor/ledger.ts'
import { metered } from '../../src/executor/metered.ts'
import { queued } from '../../src/executor/queued.ts'
import { sanitised } from '../../src/executor/sanitised.ts'
import { timed } from '../../src/executor/timed.ts'
import { type Behaviour, executorContract } from '../contract/executor.ts'
import { answers, fails, fakeExecutor, hangs, isSilent, type Script } from '../support/fake-executor.ts'

const cache = (): Layer => cached({ storage: createMemoryStorage(), ttlSeconds: 60 })
const queue = queued({ startsPerSecond: 0 })
const deadline = timed({ timeoutMs: 60_000 })

const layers: Readonly<Record<string, Layer>> = {
  'a fake': (inner) => inner,
  cached: (inner) => cache()(inner),
  queued: queue,
  timed: deadline,
  metered: metered(new Budget({ ledger: memoryLedger() })),
  sanitised,
  'cached(queued(timed))': (inner) => cache()(queue(deadline(inner))),
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
