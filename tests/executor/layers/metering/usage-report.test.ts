import { expect, test } from 'bun:test'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import { Budget, hasLimit, warningOf } from '../../../../src/executor/layers/metering/budget.ts'
import {
  type DaySpending,
  dayOf,
  endOfDay,
  nothing,
  sumOf,
  Tally,
} from '../../../../src/executor/layers/metering/ledger.ts'
import { reportUsage } from '../../../../src/executor/layers/metering/usage-report.ts'
import { memoryLedger } from '../../../support/memory-ledger.ts'

const now = Date.parse('2026-11-20T10:00:00Z')
const entry = fc.record<DaySpending>({
  day: fc.integer({ min: 0, max: 5 }).map((earlier) => dayOf(now, earlier)),
  caller: fc.constantFrom('phone', 'desk'),
  backend: fc.constantFrom('claude', 'brave'),
  requests: fc.nat(5),
  failures: fc.nat(5),
  searches: fc.nat(5),
  inputTokens: fc.nat(500),
  outputTokens: fc.nat(500),
})

test('a report has each day, the sums of one caller or of all, and nothing of anybody else', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(entry), fc.integer({ min: 1, max: 5 }), fc.boolean(), async (rows, days, isOne) => {
      const caller = isOne ? 'phone' : undefined
      const ledger = memoryLedger()
      for (const row of rows) await ledger.add(row)
      const report = await reportUsage(new Budget({ ledger, now: () => now }), now, days, caller)
      expect(report.days.map(({ day }) => day)).toEqual(Array.from({ length: days }, (_, at) => dayOf(now, at)))
      for (const { day, total, byCaller, byBackend } of report.days) {
        const own = rows.filter((row) => row.day === day && (!isOne || row.caller === caller))
        expect(total).toEqual(sumOf(own))
        expect(sumOf(Object.values(byCaller))).toEqual(total)
        expect(Object.keys(byCaller).toSorted()).toEqual([...new Set(own.map((row) => row.caller))].toSorted())
        expect(byBackend['brave'] ?? nothing).toEqual(sumOf(own.filter(({ backend }) => backend === 'brave')))
      }
    }),
    { numRuns: runs(50) },
  )
})

test('a report reads the ledger from its first day on', async () => {
  const read: string[] = []
  const ledger = { ...memoryLedger(), refresh: async (day: string) => void read.push(day) }
  await reportUsage(new Budget({ ledger, now: () => now }), now, 3)
  expect(read).toEqual(['2026-11-18'])
})

test('a tally has a row for each day, caller and backend, and keeps the last 31 days', () => {
  const tally = new Tally()
  for (let earlier = 40; earlier >= 0; earlier--)
    for (const caller of ['phone', 'desk', 'phone'])
      tally.add({ ...nothing, day: dayOf(now, earlier), caller, backend: 'claude', searches: 1, pages: 2 })
  expect(tally.since('').map(({ day }) => day)).toHaveLength(62)
  expect(tally.since(dayOf(now, 30))).toHaveLength(62)
  expect(tally.since(dayOf(now))).toEqual([
    { ...nothing, day: dayOf(now), caller: 'phone', backend: 'claude', searches: 2, pages: 4 },
    { ...nothing, day: dayOf(now), caller: 'desk', backend: 'claude', searches: 1, pages: 2 },
  ])
})

test('a day is one of UTC, and ends with it', () => {
  expect([dayOf(now), dayOf(now, 20)]).toEqual(['2026-11-20', '2026-10-31'])
  const midnight = Date.parse('2026-11-21T00:00:00Z')
  expect([now, midnight - 1, midnight].map(endOfDay)).toEqual([midnight, midnight, midnight + 86_400_000])
})

test('limits of which some are not set are limits', async () => {
  expect(hasLimit({ searchesPerMinute: undefined, searchesPerDay: 2 })).toBe(true)
  expect([hasLimit({}), hasLimit({ tokensPerDay: undefined })]).toEqual([false, false])
  const limits = { searchesPerMinute: undefined, searchesPerDay: 1, tokensPerDay: undefined }
  const budget = new Budget({
    ledger: memoryLedger(),
    limits,
    limitsOf: () => ({ searchesPerMinute: 1 }),
    now: () => now,
  })
  expect(await budget.limits()).toMatchObject([{ kind: 'searches', window: 'day', limit: 1, used: 0, left: 1 }])
  await (await budget.reserve('phone', true)).settle([{ ...nothing, backend: 'claude', searches: 1 }])
  // The server's limit names the setting that changes it, once; that of a key names none.
  await expect(budget.reserve('desk', true)).rejects.toThrow(/--daily-searches/)
  const keyed = new Budget({ ledger: memoryLedger(), limitsOf: () => ({ searchesPerDay: 0 }), now: () => now })
  await expect(keyed.reserve('phone', true)).rejects.toThrow(/ of the key .* is reached\.$/)
  const tokens = new Budget({ ledger: memoryLedger(), limits: { tokensPerDay: 0 }, now: () => now })
  await expect(tokens.reserve('phone', false)).rejects.toThrow(/is reached\.$/)
  const [zero] = await tokens.limits()
  expect(warningOf(zero ? [zero] : [], now)).toContain('100 %')
})
