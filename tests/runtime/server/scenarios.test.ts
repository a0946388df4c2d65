import { describe, expect, test } from 'bun:test'
import { collect } from '../../../src/domain/answer.ts'
import type { Executor } from '../../../src/executor/executor.ts'
import { deferred } from '../../../src/lib/deferred.ts'
import { ScenarioExecutors } from '../../../src/runtime/server/scenarios.ts'
import { failureOf } from '../../support/failure-of.ts'
import { requestFor } from '../../support/fake-executor.ts'
import { answered, scriptedExecutor } from '../../support/scripted-executor.ts'

/** Executors that note when they are made, asked and closed. `held`: their searches wait for it. */
function noting(events: string[], held?: Promise<void>) {
  return (name: string): Executor => {
    events.push(`+${name}`)
    const scripted = scriptedExecutor(() => answered)
    return {
      ...scripted,
      async *search(...asked) {
        await held
        yield* scripted.search(...asked)
      },
      async close() {
        await Bun.sleep(5)
        events.push(`-${name}`)
      },
    }
  }
}

const search = (executor: Executor, scenario?: string) =>
  collect(executor.search(requestFor('seals'), { signal: new AbortController().signal, scenario }))

describe('a request that asks for a scenario', () => {
  test('is served by an executor of that scenario, which serves the next one too', async () => {
    const events: string[] = []
    const create = noting(events)
    const executor = new ScenarioExecutors(create, 2).around(create('ordinary'))
    for (const scenario of ['hang', undefined, 'ok', 'hang', 'cut']) await search(executor, scenario)
    expect(events).toEqual(['+ordinary', '+hang', '+cut'])
    await executor.close()
    expect(events.slice(3).toSorted()).toEqual(['-cut', '-hang', '-ordinary'])
  })

  test('takes the place of the scenario that was used least recently', async () => {
    const events: string[] = []
    const executor = new ScenarioExecutors(noting(events), 2).around(scriptedExecutor(() => answered))
    for (const scenario of ['hang', 'cut', 'hang', 'slow']) await search(executor, scenario)
    expect(events).toEqual(['+hang', '+cut', '+slow', '-cut'])
    // One that was closed is made again.
    await search(executor, 'cut')
    expect(events.slice(4)).toEqual(['+cut', '-hang'])
  })

  test('is told to come again while as many other scenarios are running as there may be', async () => {
    const held = deferred<void>()
    const executor = new ScenarioExecutors(noting([], held.promise), 2).around(scriptedExecutor(() => answered))
    const running = ['hang', 'cut'].map((scenario) => search(executor, scenario))
    const { code, retryAfterSeconds } = await failureOf(search(executor, 'slow'))
    expect({ code, retryAfterSeconds }).toEqual({ code: 'busy', retryAfterSeconds: 5 })
    held.resolve()
    await Promise.all(running)
    expect((await search(executor, 'slow')).reason).toBe('stop')
  })
})
