import { parseUrl } from './url.ts'

/** The addresses in a text, without the marks of the sentences around them. */
export function addressesIn(text: string): readonly string[] {
  // The text of a Markdown link may be an address itself.
  const found = text.replaceAll('](', ' ').match(/\bhttps?:\/\/[^\s<>"'`]+/gi) ?? []
  return [...new Set(found.map(withoutEnd))].filter((url) => parseUrl(url))
}

/** Without the marks of the sentence around an address, and without a bracket that it does not open itself. */
function withoutEnd(url: string): string {
  let end = url.length
  const counts = new Map<string, number>()
  for (const [letter] of url.matchAll(/[()[\]{}]/g)) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  for (; end > 0; end--) {
    const last = url.charAt(end - 1)
    const opening = brackets[last]
    const closing = counts.get(last) ?? 0
    const isOurs = opening !== undefined && (counts.get(opening) ?? 0) >= closing
    if (isOurs || !/[.,;:!?*_)\]}]/.test(last)) break
    counts.set(last, closing - 1)
  }
  return url.slice(0, end)
}

const brackets: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }
