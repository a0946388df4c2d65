import { expect, test } from 'bun:test'
import { searcherPrompt } from '../../../../../src/executor/backends/claude/prompts.ts'
import { requestFor } from '../../../../support/fake-executor.ts'

const promptFor = (maxSearches: number | undefined) =>
  searcherPrompt(requestFor('seals', { want: 'answer', maxSearches }), new Date(), false)

test('the prompt of the searcher has the number of allowed searches, if there is a limit', () => {
  expect(promptFor(3)).toContain('at most 3 times')
  expect(promptFor(1)).toContain('at most 1 time.')
  expect(promptFor(undefined)).not.toContain('at most')
})
