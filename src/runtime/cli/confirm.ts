import { UsageError } from '../config/usage-error.ts'
import type { Shell } from '../shell/shell.ts'

/**
 * Asks a yes or no question; `usual` is what a bare return means. Throws a `UsageError` where nobody can be asked, which
 * says what to do instead.
 */
export async function confirm(
  shell: Pick<Shell, 'ask'>,
  question: string,
  { usual, instead }: { readonly usual: 'yes' | 'no'; readonly instead: string },
): Promise<boolean> {
  const reply = await shell.ask(`${question} ${usual === 'yes' ? '[Y/n]' : '[y/N]'} `)
  if (reply === undefined) throw new UsageError(instead)
  const text = reply.trim()
  return text === '' ? usual === 'yes' : /^y(es)?$/i.test(text)
}
