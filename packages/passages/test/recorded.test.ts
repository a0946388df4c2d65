import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { record } from './recorded.ts'

test('of each page the passages are shown that were recorded', () => {
  // `bun packages/passages/test/recorded.ts > packages/passages/test/recorded.txt` records them again.
  const recorded = readFileSync(new URL('recorded.txt', import.meta.url), 'utf8').match(/.*\n {2}.*\n/g)
  expect([...record()]).toEqual(recorded ?? [])
})
