import { afterAll, beforeEach, expect, test } from 'bun:test'
import { eventually } from '@csp/testing/eventually'
import { NativeSearch } from '../../../../../src/executor/backends/claude/native.ts'
import { needsNoWorker } from '../../../../../src/executor/backends/claude/strategies.ts'
import { startClaude, strategies, strategyNames } from '../../../../support/claude-executor.ts'
import { failureOf } from '../../../../support/failure-of.ts'
import { requestFor } from '../../../../support/fake-executor.ts'
import { killListed, runningClaudes } from '../../../../support/processes.ts'

// What the lane for light searches relies on.

const claude = await startClaude()
const { sandbox, search } = claude
beforeEach(() => sandbox.reset())
afterAll(() => claude[Symbol.asyncDispose]())

const engines = async () => (await claude.executor.health()).backends[0]?.engines

test('ten lists run at once on one process, and each gets its own rows', async () => {
  sandbox.configure({ thinkMs: 3000 })
  const searches = Array.from({ length: 10 }, (_, index) => search(`subject ${index}`, strategies.results))
  await sandbox.until(({ callsByKind }) => callsByKind.search === 10)
  expect(sandbox.stats().open).toBe(10)
  expect((await engines())?.['direct']).toStartWith('ready, 10 running')
  const titles = (await Promise.all(searches)).map((answer) => answer.searches[0]?.results[0]?.title ?? '')
  expect(titles).toEqual(titles.map((_, index) => expect.stringContaining(`subject ${index}`)))
})

test('of ten lists at once, those whose callers leave are stopped at the API, and the others go on', async () => {
  sandbox.configure({ thinkMs: 3000 })
  const leave = new AbortController()
  const ask = (index: number) => search(`subject ${index}`, strategies.results, index < 4 ? leave.signal : undefined)
  const searches = Array.from({ length: 10 }, (_, index) => ask(index))
  const left = Promise.all(searches.slice(0, 4).map(failureOf))
  await sandbox.until(({ callsByKind }) => callsByKind.search === 10)
  leave.abort()
  expect((await left).map(({ code }) => code)).toEqual(Array.from({ length: 4 }, () => 'cancelled'))
  await sandbox.until(({ open }) => open === 6)
  const rows = (await Promise.all(searches.slice(4))).map((answer) => answer.searches[0]?.results.length)
  expect(rows).toEqual(Array.from({ length: 6 }, () => 8))
})

test.each(strategyNames)('the strategy %s is called light only if it starts no worker', async (strategy) => {
  const { writer, searcher } = runningClaudes()
  for (const pid of [...writer, ...searcher]) killListed(pid)
  const hasNoWorker = async () => (await engines())?.['agent'] === 'no worker yet'
  await eventually(hasNoWorker)
  const request = requestFor('seals', strategies[strategy])
  expect(claude.executor.isLight(request)).toBe(strategy === 'results' || strategy === 'fast')
  await search('seals', strategies[strategy])
  expect(await hasNoWorker()).toBe(claude.executor.isLight(request))
})

test('where the CLI offers no WebSearch over MCP, nothing is light', () => {
  const engines = { hasDirect: false, native: new NativeSearch('pages', () => new Date()), modelFor: () => 'sonnet' }
  for (const strategy of strategyNames)
    expect(needsNoWorker(engines, requestFor('q', strategies[strategy]))).toBe(false)
})
