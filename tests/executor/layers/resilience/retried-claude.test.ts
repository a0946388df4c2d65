import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { collect } from '../../../../src/domain/answer.ts'
import type { Executor } from '../../../../src/executor/executor.ts'
import { retried } from '../../../../src/executor/layers/resilience/retried.ts'
import { type RoadName, roadNames, roads, startClaude } from '../../../support/claude-executor.ts'
import { failureOf } from '../../../support/failure-of.ts'
import { requestFor } from '../../../support/fake-executor.ts'
import { runningClaudes } from '../../../support/processes.ts'

setDefaultTimeout(60_000)
const claude = await startClaude()
afterAll(() => claude[Symbol.asyncDispose]())

const ask = (executor: Executor, road: RoadName) =>
  collect(executor.search(requestFor('harbour seals', roads[road]), { signal: new AbortController().signal }))

/** Kills every warm process, and asks before anybody has noticed. */
function askOfTheDead(executor: Executor, road: RoadName) {
  const pids = Object.values(runningClaudes()).flat()
  expect(pids).not.toEqual([])
  for (const pid of pids) process.kill(pid, 'SIGKILL')
  return ask(executor, road)
}

test('the CLI bears one failure of the API itself; one more try bears two', async () => {
  const twice = [{ scenario: 'error-529', times: 2 }] as const
  claude.sandbox.reset()
  claude.sandbox.configure({ scenario: twice })
  expect((await failureOf(ask(claude.executor, 'results'))).code).toBe('unavailable')
  expect(claude.sandbox.stats().calls).toBe(2)
  claude.sandbox.configure({ scenario: twice })
  expect((await ask(retried({ retries: 1 })(claude.executor), 'results')).searches[0]?.results).toHaveLength(8)
  expect(claude.sandbox.stats().calls).toBe(5)
})

test.each(roadNames)('on the road %s nobody misses a process that died the moment before', async (road) => {
  const executor = retried({ retries: 1 })(claude.executor)
  await ask(executor, road)
  const answer = await askOfTheDead(executor, road)
  expect(answer.reason).toBe('stop')
  if (road !== 'text') expect(answer.searches[0]?.results).toHaveLength(8)
})
