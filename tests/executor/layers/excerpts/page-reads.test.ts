import { expect, test } from 'bun:test'
import { PageReads } from '../../../../src/executor/layers/excerpts/page-reads.ts'
import { fakePageReader, silence } from '../../../support/fake-page-reader.ts'

const context = (caller?: string) => ({ caller, isRough: true })

test('no more pages are read at once than there is room for', async () => {
  const reader = fakePageReader({ 'https://a.example/': silence, 'https://b.example/': 'Bees' })
  const reads = new PageReads(reader, { capacity: 1 })
  reads.start('https://a.example/', context())
  expect(reads.start('https://b.example/', context())).toMatchObject({ page: undefined, isFinal: false })
  expect(reads.running).toBe(1)
  expect(reader.requests).toHaveLength(1)
  await reads.close()
})

test('a page that failed is left alone for ten minutes, by the caller for whom it did', async () => {
  let now = 0
  const reads = new PageReads(fakePageReader({}), { now: () => now })
  const start = (caller: string) => reads.start('https://gone.example/', context(caller))
  await start('ann')?.settled
  expect(start('ann')).toBeUndefined()
  const other = start('bob')
  expect(other).toBeDefined()
  await other?.settled
  now += 600_000
  expect(start('ann')).toBeDefined()
  await reads.close()
})
