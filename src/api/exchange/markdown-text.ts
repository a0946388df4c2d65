import { guardedText } from '@csp/grounding/answer-guard'
import { plainLine } from '@csp/lib/text'
import { parseUrl } from '@csp/lib/url'

/** Words of a page, which may not act in the Markdown around them. Not every reader heeds a backslash before `<`. */
export function escapedMarkdown(text: string): string {
  return guardedText(plainLine(text).replace(/[\\`*_[\]<>&#~$]/g, '\\$&'))
}

/** The address of a page, which nothing in it ends early in Markdown. */
export function markdownAddress(url: string): string {
  const address = plainLine(parseUrl(url)?.href ?? url)
  return address.replace(/[()<>`\\]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`)
}
