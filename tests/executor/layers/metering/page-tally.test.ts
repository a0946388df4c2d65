import { expect, jest, test } from 'bun:test'
import { dayOf } from '../../../../src/executor/layers/metering/ledger.ts'
import { PageTally } from '../../../../src/executor/layers/metering/page-tally.ts'
import { memoryLedger } from '../../../support/memory-ledger.ts'

test('the pages of each caller are entered together, under its account and no backend', async () => {
  const inner = memoryLedger()
  let entries = 0
  const add: typeof inner.add = (spending) => {
    entries++
    return inner.add(spending)
  }
  const ledger = { ...inner, add }
  const tally = new PageTally(ledger)
  for (const caller of ['phone', 'phone', 'anonymous:10.0.0.7', undefined, 'phone']) tally.add(caller)
  expect(entries).toBe(0)
  await tally.close()
  await tally.close()
  expect(entries).toBe(3)
  const rows = inner.since(dayOf(Date.now())).map(({ caller, backend, requests, searches, pages }) => ({
    caller,
    backend,
    requests,
    searches,
    pages,
  }))
  const none = { backend: 'pages', requests: 0, searches: 0 }
  expect(rows).toEqual([
    { caller: 'phone', ...none, pages: 3 },
    { caller: 'anonymous', ...none, pages: 1 },
    { caller: '(local)', ...none, pages: 1 },
  ])
})

test('the pages of a second are entered at its end, and closing waits for the entry', async () => {
  jest.useFakeTimers()
  try {
    const ledger = memoryLedger()
    const pages = () => ledger.since('2000-01-01').map((row) => row.pages)
    const tally = new PageTally(ledger)
    tally.add('phone')
    jest.advanceTimersByTime(999)
    tally.add('phone')
    expect(pages()).toEqual([])
    jest.advanceTimersByTime(1)
    expect(pages()).toEqual([2])
    tally.add('phone')
    jest.advanceTimersByTime(1000)
    expect(pages()).toEqual([3])
  } finally {
    jest.useRealTimers()
  }
  let isWritten = false
  const slow = new PageTally({
    ...memoryLedger(),
    async add() {
      await Bun.sleep(1)
      isWritten = true
    },
  })
  slow.add('phone')
  await slow.close()
  expect(isWritten).toBe(true)
})
