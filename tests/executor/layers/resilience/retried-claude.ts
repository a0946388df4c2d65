import { expect, test } from 'bun:test'
import { collect } from '../../../../src/domain/answer.ts'
import type { Executor } from '../../../../src/executor/executor.ts'
import { retried } from '../../../../src/executor/layers/resilience/retried.ts'
import { type StrategyName, strategies, strategyNames } from '../../../support/claude-executor.ts'
import { failureOf } from '../../../support/failure-of.ts'
import { requestFor } from '../../../support/fake-executor.ts'
import { killListed, runningClaudes } from '../../../support/processes.ts'
import { claude } from '../../backends/claude/crashes/claude.ts'

// A part of tests/executor/backends/claude/crashes.test.ts: each start of a CLI that it saves is half a second of a core.

const ask = (executor: Executor, strategy: StrategyName) =>
  collect(executor.search(requestFor('harbour seals', strategies[strategy]), { signal: new AbortController().signal }))

/** Kills every warm process, and asks before anybody has noticed. */
function askOfTheDead(executor: Executor, strategy: StrategyName) {
  const pids = Object.values(runningClaudes()).flat()
  expect(pids).not.toEqual([])
  for (const pid of pids) killListed(pid)
  return ask(executor, strategy)
}

test('the CLI survives one failure of the API by itself, and one more try survives two', async () => {
  const twice = [{ scenario: 'error-529', times: 2 }] as const
  claude.sandbox.configure({ scenario: twice })
  expect((await failureOf(ask(claude.executor, 'results'))).code).toBe('unavailable')
  expect(claude.sandbox.stats().calls).toBe(2)
  claude.sandbox.configure({ scenario: twice })
  expect((await ask(retried({ retries: 1 })(claude.executor), 'results')).searches[0]?.results).toHaveLength(8)
  expect(claude.sandbox.stats().calls).toBe(5)
})

test.each(strategyNames)(
  'the strategy %s survives the death of its process just before the search',
  async (strategy) => {
    const executor = retried({ retries: 1 })(claude.executor)
    await ask(executor, strategy)
    const answer = await askOfTheDead(executor, strategy)
    expect(answer.reason).toBe('stop')
    if (strategy !== 'text') expect(answer.searches[0]?.results).toHaveLength(8)
  },
)
