import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import type { ModelCallKind } from '@csp/sandbox/sandbox'
import { eventually } from '@csp/testing/eventually'
import { startSandbox } from '../../packages/sandbox/test/support/sandbox.ts'
import { type StrategyName, startClaude, strategies } from '../support/claude-executor.ts'
import { failureOf } from '../support/failure-of.ts'
import { requestFor } from '../support/fake-executor.ts'
import { oddClaude } from '../support/odd-claude.ts'
import { killListed, processesNaming, runningClaudes, untilGone } from '../support/processes.ts'
import { scratchHome } from '../support/real-claude.ts'
import { isFull } from './full.ts'

// The CLI killed or frozen at every stage of a search. What is killed while it writes is in tests/executor/backends/claude/crashes/killed.ts.

// A frozen process is noticed after three pulses; 2,500 ms each in csp.
const on = startSandbox()
const claude = await startClaude({ on, livenessMs: 700 })
const { sandbox } = on
beforeEach(() => sandbox.reset())
afterAll(async () => {
  await claude[Symbol.asyncDispose]()
  await on.stop()
})

interface Stage {
  readonly name: string
  readonly strategy: StrategyName
  readonly victim: 'direct' | 'writer' | 'searcher'
  /** The model call that is under way. Absent: the process stands by, and the request comes at that very moment. */
  readonly at?: ModelCallKind
  /** Absent: the search succeeds all the same. */
  readonly fails?: true
}

const stages: readonly Stage[] = [
  { name: 'a search server that stands by', strategy: 'results', victim: 'direct' },
  { name: 'a writer that stands by', strategy: 'standard', victim: 'writer' },
  { name: 'a writer that stands by, for plain text', strategy: 'text', victim: 'writer' },
  { name: 'a searcher that stands by', strategy: 'deep', victim: 'searcher' },
  { name: 'a search server at its model call', strategy: 'fast', victim: 'direct', at: 'search' },
  { name: 'a writer that waits for the search', strategy: 'standard', victim: 'writer', at: 'search' },
  { name: 'a writer at its model call', strategy: 'standard', victim: 'writer', at: 'write' },
  { name: 'a searcher that decides what to search', strategy: 'deep', victim: 'searcher', at: 'decide' },
  { name: 'a searcher whose search is under way', strategy: 'deep', victim: 'searcher', at: 'search' },
  {
    name: 'a searcher between its results and its text',
    strategy: 'deep',
    victim: 'searcher',
    at: 'write',
    fails: true,
  },
]

/** What runs in `npm test`. What is killed while it stands by is in crashes.test.ts too. */
const quick: Readonly<Record<string, readonly string[]>> = {
  SIGKILL: [
    'a writer that stands by',
    'a writer at its model call',
    'a searcher whose search is under way',
    'a searcher between its results and its text',
  ],
  SIGSTOP: ['a search server that stands by'],
  SIGSEGV: [],
}

const search = (strategy: StrategyName) => claude.search('harbour seals', strategies[strategy])

/** Sends the signal to every process of this kind, at least one, and returns them. */
function hit(victim: Stage['victim'], signal: NodeJS.Signals): readonly number[] {
  const pids = runningClaudes()[victim]
  expect(pids).not.toEqual([])
  return hitAll(pids, signal)
}

function hitAll(pids: readonly number[], signal: NodeJS.Signals): readonly number[] {
  for (const pid of pids) process.kill(pid, signal)
  return pids
}

for (const [signal, names] of Object.entries(quick)) {
  describe(`${signal} to`, () => {
    const chosen = stages.filter(({ name }) => isFull || names.includes(name))
    test.each(chosen.map((stage) => [stage.name, stage] as const))(
      '%s costs at most that search, and the next one works',
      async (_, { strategy, victim, at, fails }) => {
        // The workers of written answers and of plain text look alike, and one that is frozen while it has nothing to do
        // stays: only the one that the search uses may run. One that is killed is gone either way.
        if (signal === 'SIGSTOP' && victim === 'writer') await untilGone(hitAll(runningClaudes().writer, 'SIGKILL'))
        await search(strategy) // so that all it needs is up
        await search('results') // meanwhile the session of the answer is cleared
        sandbox.reset()
        if (at) sandbox.configure({ scenario: [{ scenario: 'hang', kind: at, times: 1 }] })
        const early = at ? search(strategy) : undefined
        early?.catch(() => {})
        if (at) await sandbox.until(({ callsByKind }) => callsByKind[at] === 1)
        const pids = hit(victim, signal as NodeJS.Signals)
        // A hung call of another process goes on once its victim is gone.
        if (at === 'search' && victim === 'writer') for (const pid of runningClaudes().direct) killListed(pid)
        const asked = early ?? search(strategy)
        if (fails) {
          const { code } = await failureOf(asked)
          expect(code).toBe('unavailable')
        } else {
          const { text, searches } = await asked
          expect(strategy === 'text' ? text : JSON.stringify(searches)).toContain('harbour seals')
        }
        await untilGone(pids)
        expect((await search(strategy)).reason).toBe('stop')
      },
    )
  })
}

describe('a CLI that is killed', () => {
  test.each(['standard', 'deep'] as const)(
    'while its session is cleared does not fail the next search: %s',
    async (strategy) => {
      await search(strategy)
      hit(strategy === 'deep' ? 'searcher' : 'writer', 'SIGKILL')
      expect((await search(strategy)).citations).not.toEqual([])
    },
  )

  test('before its answer is told apart from one whose answer has begun, so no text is sent twice', async () => {
    sandbox.configure({ scenario: [{ scenario: 'slow', kind: 'write' }], deltaPauseMs: 400 })
    const texts: string[] = []
    const events = claude.executor.search(requestFor('harbour seals', strategies.standard), { signal: live() })
    const failure = failureOf(
      (async () => {
        for await (const event of events) {
          if (event.type !== 'text-delta') continue
          texts.push(event.text)
          if (texts.length === 1) hit('writer', 'SIGSTOP')
        }
      })(),
    )
    expect((await failure).message).toBe('The Claude worker does not answer.')
    expect(texts.join('')).toStartWith('Sandbox')
    expect(texts.join('').split('Sandbox')).toHaveLength(2)
  })

  test('twice in a row fails its answer, and the next search works', async () => {
    await search('text')
    sandbox.reset()
    sandbox.configure({ scenario: [{ scenario: 'hang', kind: 'write', times: 2 }] })
    const failure = failureOf(search('text'))
    for (const count of [1, 2]) {
      await sandbox.until(({ open, callsByKind }) => callsByKind.write >= count && open === 1)
      const pids = hit('writer', 'SIGKILL')
      await untilGone(pids)
    }
    expect((await failure).code).toBe('unavailable')
    expect((await search('text')).reason).toBe('stop')
  })
})

test('a model that thinks longer than the wait for a frozen CLI is not stopped, also with tools of the caller', async () => {
  const tool = { name: 'get_weather', description: 'Tells the weather.', parameters: { type: 'object' } }
  const requests = [strategies.results, strategies.deep, strategies.text, { ...strategies.text, tools: [tool] }]
  await Promise.all(requests.map((request) => claude.search('warm up', request)))
  sandbox.reset()
  sandbox.configure({ scenario: 'hang' })
  const deadline = new AbortController()
  const asked = requests.map((request) => failureOf(claude.search('harbour seals', request, deadline.signal)))
  await sandbox.until(({ calls }) => calls === requests.length)
  const pids = Object.values(runningClaudes()).flat()
  await Bun.sleep(700 * 5) // that nothing happens in this time is the point
  expect(Object.values(runningClaudes()).flat()).toEqual(pids)
  deadline.abort()
  expect((await Promise.all(asked)).map(({ code }) => code)).toEqual(requests.map(() => 'cancelled'))
})

describe('at the start', () => {
  const others = () => Object.values(runningClaudes()).flat()

  test.each(['results', 'deep'] as const)(
    'a CLI that is killed is started once more, with the strategy %s',
    async (strategy) => {
      await using fresh = await startClaude({ on })
      const before = others()
      const asked = fresh.search('grey whales', strategies[strategy])
      const victim = strategy === 'deep' ? 'searcher' : 'direct'
      const born = () => runningClaudes()[victim].filter((pid) => !before.includes(pid))
      await eventually(() => born().length > 0)
      for (const pid of born()) killListed(pid)
      expect((await asked).searches[0]?.results).toHaveLength(8)
    },
  )

  test('closing does not wait for a CLI that says nothing', async () => {
    await using folder = await scratchHome()
    const binary = oddClaude(folder.path, 'exec sleep 4321')
    await using odd = await startClaude({ findBinary: () => binary })
    const failure = failureOf(odd.search('seals', strategies.results))
    const running = () => processesNaming(odd.home).filter(({ command }) => command === 'sleep 4321')
    await eventually(() => running().length > 0)
    await odd.executor.close()
    expect((await failure).code).toBe('unavailable')
    expect(running()).toEqual([])
  }, 9000) // the CLI may take 10 s to say who it is, and 15 to start
})

const live = () => new AbortController().signal
