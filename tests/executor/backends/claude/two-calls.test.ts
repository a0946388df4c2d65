import { expect, test } from 'bun:test'
import type { SearchRequest } from '../../../../src/domain/search.ts'
import { isOfTwoCalls } from '../../../../src/executor/backends/claude/strategies.ts'
import { requestFor } from '../../../support/fake-executor.ts'

const tools = [{ name: 'look_up', parameters: { type: 'object' } }] as unknown as NonNullable<SearchRequest['tools']>
const schema = { type: 'object' } as unknown as NonNullable<SearchRequest['schema']>

test.each<readonly [string, Partial<SearchRequest>, boolean]>([
  ['a plain question', {}, true],
  ['no tool at all', { tools: [] }, true],
  ['one tool of the caller, which only an agent can call', { tools }, false],
  ['an answer in a hurry', { effort: 'fast' }, false],
  ['an answer in a hurry that must fit a schema', { effort: 'fast', schema }, true],
  ['one earlier turn, which the search has to know', { history: [{ role: 'user', text: 'Do they sing?' }] }, false],
  ['a deep answer', { effort: 'deep' }, false],
])('a list and a text over it: %s', (_, rest, isSo) => {
  const request = requestFor('seals', { want: 'answer', effort: 'standard', ...rest })
  expect(isOfTwoCalls(request, true)).toBe(isSo)
  expect(isOfTwoCalls(request, false)).toBe(false)
})
