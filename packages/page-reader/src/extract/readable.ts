import { plainText } from '@csp/lib/text'

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
