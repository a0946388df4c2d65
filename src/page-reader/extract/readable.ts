import { PageError } from '../../domain/page.ts'
import { oneLine, plainText } from '../../lib/text.ts'

/** Text of a page without what acts, trailing spaces and empty lines. */
export function tidy(text: string): string {
  // By line, since an expression would start again at each of many spaces.
  const lines = plainText(text).split('\n')
  return lines
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** Pages that show nothing without a browser say so, in a few words. */
export function asksForBrowser(text: string): boolean {
  return /(?:enable|turn on|requires?|activate) (?:your browser's )?java ?script|java ?script (?:is )?(?:required|disabled)/i.test(
    oneLine(text.slice(0, 20_000)),
  )
}

/** Throws a `PageError` if there is nothing to read. */
export function checkText(text: string, needsBrowser: () => boolean): void {
  if (text && !(text.length < maxNoticeLength && needsBrowser())) return
  throw new PageError('no-content', 'There is no text in the page. It may need a browser to show it.')
}

/** Such a notice is shorter than this; a page with more text has something to read. */
const maxNoticeLength = 500
