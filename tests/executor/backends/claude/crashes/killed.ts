import { describe, expect, test } from 'bun:test'
import { eventually } from '@csp/testing/eventually'
import { strategies } from '../../../../support/claude-executor.ts'
import { failureOf } from '../../../../support/failure-of.ts'
import { requestFor } from '../../../../support/fake-executor.ts'
import { killListed, runningClaudes } from '../../../../support/processes.ts'
import { claude } from './claude.ts'

const { sandbox } = claude

type Kind = keyof ReturnType<typeof runningClaudes>

function kill(kind: Kind): readonly number[] {
  const pids = runningClaudes()[kind]
  expect(pids).not.toEqual([])
  for (const pid of pids) killListed(pid)
  return pids
}

const strategyOf = { direct: strategies.results, writer: strategies.standard, searcher: strategies.deep } as const
/** What stands by, as csp sees it. */
const state = async () => JSON.stringify((await claude.executor.health()).backends[0]?.engines)

const search = (kind: Kind) => claude.search('harbour seals', strategyOf[kind])

test.each(['direct', 'writer', 'searcher'] as const)(
  'an idle %s process that is killed does not fail the next search',
  async (kind) => {
    await search(kind)
    const workers = await state()
    kill(kind)
    await eventually(async () => (await state()) !== workers)
    expect((await search(kind)).searches[0]?.results).toHaveLength(8)
  },
)

describe('a search server that is killed in the middle of a search', () => {
  test('once has the search tried again, which succeeds', async () => {
    sandbox.configure({ scenario: [{ scenario: 'hang', times: 2 }] })
    const searches = Promise.all([search('direct'), claude.search('grey whales', strategies.fast)])
    await sandbox.until(({ calls }) => calls === 2)
    kill('direct')
    const [seals, whales] = await searches
    expect(seals.searches[0]?.results).toHaveLength(8)
    expect(whales.text).toContain('grey whales')
    expect(sandbox.stats()).toMatchObject({ calls: 4, open: 0 })
  })

  test('twice fails the search, and the next search works', async () => {
    sandbox.configure({ scenario: [{ scenario: 'hang', times: 2 }] })
    const failure = failureOf(search('direct'))
    for (const count of [1, 2]) {
      await sandbox.until(({ calls }) => calls === count)
      kill('direct')
    }
    expect((await failure).code).toBe('unavailable')
    expect(sandbox.stats().calls).toBe(2)
    expect((await search('direct')).searches[0]?.results).toHaveLength(8)
  })
})

test.each(['writer', 'searcher'] as const)(
  'a %s that is killed while it writes fails its answer, and the next search works',
  async (kind) => {
    sandbox.configure({ scenario: [{ scenario: 'slow', kind: 'write' }], deltaPauseMs: 400 })
    const events = claude.executor
      .search(requestFor('harbour seals', strategyOf[kind]), { signal: live() })
      [Symbol.asyncIterator]()
    while ((await events.next()).value?.type !== 'text-delta');
    kill(kind)
    const failure = await failureOf(drain(events))
    expect(failure.code).toBe('unavailable')
    expect(failure.message).toContain('SIGKILL')
    sandbox.configure({ scenario: 'ok' })
    expect((await search(kind)).citations).not.toEqual([])
  },
)

async function drain(events: AsyncIterator<unknown>): Promise<void> {
  while (!(await events.next()).done);
}

const live = () => new AbortController().signal
