import { expect, test } from 'bun:test'
import { PageError } from '../../../../src/domain/page-error.ts'
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

test('a site that did not answer twice in a row is left alone, one whose page is gone is not', async () => {
  let now = 0
  const broken = new PageError('unreachable', 'No such host.')
  const gone = new PageError('not-found', 'Gone.')
  const pages = { 'https://dead.example/1': broken, 'https://dead.example/2': broken, 'https://up.example/1': gone }
  const reader = fakePageReader({ ...pages, 'https://up.example/2': gone, 'https://up.example/3': 'Bees' })
  const reads = new PageReads(reader, { now: () => now })
  const start = (url: string, caller = 'ann') => reads.start(url, context(caller))
  for (const site of ['dead', 'up']) {
    await start(`https://${site}.example/1`)?.settled
    const second = start(`https://${site}.example/2`)
    expect(second).toBeDefined()
    await second?.settled
  }
  expect(start('https://dead.example/3')).toBeUndefined()
  expect(start('https://dead.example/3', 'bob')).toBeDefined()
  expect(start('https://up.example/3')).toBeDefined()
  now += 600_000
  expect(start('https://dead.example/3')).toBeDefined()
  await reads.close()
})
