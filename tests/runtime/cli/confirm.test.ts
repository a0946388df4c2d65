import { expect, test } from 'bun:test'
import { askYesOrNo, confirm } from '../../../src/runtime/cli/confirm.ts'
import { UsageError } from '../../../src/runtime/config/usage-error.ts'

const replying = (reply: string | undefined) => {
  const questions: string[] = []
  const ask = async (question: string) => {
    questions.push(question)
    return reply
  }
  return { ask, questions }
}

test.each([
  ['', true, false],
  ['  ', true, false],
  ['y', true, true],
  [' Yes ', true, true],
  ['n', false, false],
  ['yesterday', false, false],
  [undefined, undefined, undefined],
] as const)('the reply %j means %j where yes is usual, and %j where no is', async (reply, yes, no) => {
  for (const [usual, meaning, shown] of [
    ['yes', yes, '[Y/n]'],
    ['no', no, '[y/N]'],
  ] as const) {
    const shell = replying(reply)
    expect(await askYesOrNo(shell, 'Go on?', { usual })).toBe(meaning)
    expect(shell.questions).toEqual([`Go on? ${shown} `])
    const asked = confirm(replying(reply), 'Go on?', { usual, instead: 'Use --yes.' })
    if (meaning === undefined) await expect(asked).rejects.toThrow(new UsageError('Use --yes.'))
    else expect(await asked).toBe(meaning)
  }
})
