import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { record } from './recorded.ts'

test('of each hostile text, and of each at the end of a rule, there leaves what was recorded', () => {
  // `bun packages/grounding/test/recorded.ts > packages/grounding/test/recorded.txt` records it again.
  const recorded = readFileSync(new URL('recorded.txt', import.meta.url), 'utf8').match(/\S.*\n(?: {2}.*\n)+/g)
  expect([...record()]).toEqual(recorded ?? [])
})
