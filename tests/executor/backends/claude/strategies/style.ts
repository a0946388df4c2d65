import { expect, test } from 'bun:test'
import { answerStyle } from '../../../../../src/executor/answer/prompt/prompt.ts'
import { strategies } from '../../../../support/claude-executor.ts'
import { claude } from './stand-in.ts'

const { sandbox } = claude

test.each(['fast', 'standard', 'deep', 'follow-up'] as const)(
  'a %s answer is written for an agent: data first, recent sources, plain text without headings',
  async (strategy) => {
    await claude.search('seals', strategies[strategy])
    expect(JSON.stringify(sandbox.requests())).toContain(answerStyle)
  },
)

test('the rules of style are short, since they go out with every answer', () => {
  for (const word of ['agent', 'begin with the data', 'recent sources', 'without headings']) {
    expect(answerStyle).toContain(word)
  }
  expect(answerStyle.length).toBeLessThan(180)
})

test('a list of results goes out without rules of style', async () => {
  await claude.search('seals')
  expect(JSON.stringify(sandbox.requests())).not.toContain(answerStyle)
})
