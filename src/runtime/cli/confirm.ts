import { UsageError } from '../config/usage-error.ts'
import type { Shell } from '../shell/shell.ts'

interface Question {
  /** What a bare return means. */
  readonly usual: 'yes' | 'no'
}

/** Asks a yes or no question. `undefined` if nobody can be asked. */
export async function askYesOrNo(
  shell: Pick<Shell, 'ask'>,
  question: string,
  { usual }: Question,
): Promise<boolean | undefined> {
  const reply = await shell.ask(`${question} ${usual === 'yes' ? '[Y/n]' : '[y/N]'} `)
  const text = reply?.trim()
  if (text === undefined) return undefined
  return text === '' ? usual === 'yes' : /^y(es)?$/i.test(text)
}

/** The same where there has to be an answer: throws a `UsageError` without one, which says what to do instead. */
export async function confirm(
  shell: Pick<Shell, 'ask'>,
  question: string,
  { usual, instead }: Question & { readonly instead: string },
): Promise<boolean> {
  const isWanted = await askYesOrNo(shell, question, { usual })
  if (isWanted === undefined) throw new UsageError(instead)
  return isWanted
}
