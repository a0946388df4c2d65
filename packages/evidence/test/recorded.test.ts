import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { record } from './recorded.ts'

test('of each of 593 sentences the same is said as was recorded', () => {
  const lines = [...record()]
  expect(lines).toHaveLength(593)
  // `bun packages/evidence/test/recorded.ts > packages/evidence/test/recorded.txt` records it again.
  const recorded = readFileSync(new URL('recorded.txt', import.meta.url), 'utf8').match(/.*\n {2}.*\n/g)
  expect(lines).toEqual(recorded ?? [])
})
