import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Scenario } from '@csp/sandbox/scenario'
import { startSandbox } from '../../packages/sandbox/test/support/sandbox.ts'
import { collect } from '../../src/domain/answer.ts'
import type { SearchErrorCode } from '../../src/domain/error.ts'
import { deadline } from '../../src/executor/layers/resilience/deadline.ts'
import { type StrategyName, startClaude, strategies } from '../support/claude-executor.ts'
import { failureOf } from '../support/failure-of.ts'
import { requestFor } from '../support/fake-executor.ts'
import { quickClaude } from '../support/quick-claude.ts'
import { isFull } from './full.ts'
import { startTcpFront, type Wire } from './tcp-front.ts'

// What the API can do wrong, on every strategy. More of it is in tests/executor/backends/claude/strategies/faults.ts (refusals, limits, a model that
// misbehaves); how each code is reported to clients, in tests/end-to-end/faults.test.ts and tests/api/http/errors.test.ts.

const on = startSandbox()
const front = await startTcpFront(on.url)
const claude = await startClaude({ findBinary: quickClaude, on, variables: { ANTHROPIC_BASE_URL: front.url } })
const { sandbox } = on
beforeEach(() => sandbox.reset())
afterAll(async () => {
  await claude[Symbol.asyncDispose]()
  await front[Symbol.asyncDispose]()
  await on.stop()
})

const everyStrategy = ['results', 'fast', 'standard', 'deep', 'text'] as const
const oneOf = (strategy: StrategyName) => (isFull ? everyStrategy : [strategy])

function search(strategy: StrategyName, timeoutMs = 60_000) {
  const executor = deadline({ timeoutMs })(claude.executor)
  return collect(
    executor.search(requestFor('harbour seals', strategies[strategy]), { signal: new AbortController().signal }),
  )
}

async function expectWorks(strategy: StrategyName): Promise<void> {
  sandbox.configure({ scenario: 'ok' })
  front.set('pass')
  expect((await search(strategy)).reason).toBe('stop')
  await sandbox.until(({ open }) => open === 0)
}

const refusals: Readonly<Partial<Record<Scenario, { code: SearchErrorCode; wait?: number }>>> = {
  'error-404': { code: 'invalid-request' },
  'error-413': { code: 'invalid-request' },
  'error-429-bare': { code: 'rate-limited', wait: 30 },
  garbage: { code: 'unavailable' },
  ...(isFull && {
    'error-400': { code: 'invalid-request' },
    'error-401': { code: 'signed-out' },
    'error-403': { code: 'signed-out' },
    'error-500': { code: 'unavailable' },
    'error-529': { code: 'unavailable' },
  }),
}

describe.each(oneOf('results'))('when the API refuses, the strategy %s', (strategy) => {
  test.each(Object.entries(refusals))(
    'reports the right error code for %s and then works again',
    async (scenario, { code, wait }) => {
      sandbox.configure({ scenario: scenario as Scenario })
      const { code: found, retryAfterSeconds } = await failureOf(search(strategy))
      expect({ code: found, wait: retryAfterSeconds }).toEqual({ code, wait })
      await expectWorks(strategy)
    },
  )
})

describe.each(oneOf('deep'))('when the API is silent, the strategy %s', (strategy) => {
  test.each(['hang', 'hang-midway'] as const)('ends at its deadline (%s)', async (scenario) => {
    await search(strategy) // so that the deadline is not spent on a start
    sandbox.configure({ scenario })
    expect((await failureOf(search(strategy, 1500))).code).toBe('timeout')
    await sandbox.until(({ open }) => open === 0)
    await expectWorks(strategy)
  })

  test('ends at its deadline although the API reads nothing that is sent', async () => {
    await search(strategy)
    front.set('silent')
    expect((await failureOf(search(strategy, 1500))).code).toBe('timeout')
    await expectWorks(strategy)
  })
})

describe.each(oneOf('results'))('when the connection is reset, the strategy %s', (strategy) => {
  const stages: readonly (readonly [string, Wire])[] = [
    ['when something is asked', 'drop'],
    ['before the first byte', 0],
    ['within the headers', 10],
    ...(isFull ? ([['after the headers', 800] as const, ['within the reply', 1500] as const] as const) : []),
  ]
  test.each(stages)('reports the API as unavailable (%s)', async (_, wire) => {
    front.set(wire)
    expect((await failureOf(search(strategy))).code).toBe('unavailable')
    await expectWorks(strategy)
  })
})

describe.each(oneOf('deep'))('with an API that recovers, the strategy %s', (strategy) => {
  test('hides a single failure from the caller', async () => {
    sandbox.configure({ scenario: [{ scenario: 'error-529', times: 1 }] })
    expect((await search(strategy)).reason).toBe('stop')
  })

  test('works again within four tries after a few failures', async () => {
    sandbox.configure({ scenario: [{ scenario: 'error-500', times: 4 }] })
    const outcomes: string[] = []
    for (let attempt = 1; attempt <= 4 && !outcomes.includes('stop'); attempt++) {
      outcomes.push(
        await search(strategy).then(
          ({ reason }) => reason,
          ({ code }) => code,
        ),
      )
    }
    expect(outcomes).toEqual(['unavailable', 'unavailable', 'stop'])
  })
})

test('a search reports unavailable while the API cannot be reached at all', async () => {
  const gone = await startTcpFront(on.url)
  await gone[Symbol.asyncDispose]()
  await using lonely = await startClaude({ findBinary: quickClaude, on, variables: { ANTHROPIC_BASE_URL: gone.url } })
  for (const strategy of oneOf('results'))
    expect((await failureOf(lonely.search('seals', strategies[strategy]))).code).toBe('unavailable')
})
