import { PageError } from '../../domain/page.ts'
import { oneLine, plainText } from '../../lib/text.ts'

/** Text of a page without what acts, trailing spaces and empty lines. */
export function tidy(text: string): string {
  return plainText(text)
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** Pages that show nothing without a browser say so, in a few words. */
export function asksForBrowser(text: string): boolean {
  return /(?:enable|turn on|requires?|activate) (?:your browser's )?java ?script|java ?script (?:is )?(?:required|disabled)/i.test(
    oneLine(text).slice(0, 10_000),
  )
}

/** Throws a `PageError` where there is nothing to read. */
export function checkText(text: string, needsBrowser: () => boolean): void {
  if (text && !(text.length < maxNoticeLength && needsBrowser())) return
  throw new PageError('no-content', 'There is no text in the page. It may need a browser to show it.')
}

/** Such a notice is shorter than this; a page with more text has something to read. */
const maxNoticeLength = 500
