import { guardingText } from '@csp/grounding/answer-guard'
import { inPieces } from '@csp/lib/pieces'
import { escapedMarkdown } from '../../exchange/markdown-text.ts'

/** Words of pages, and csp's own text behind them. */
export interface Part {
  readonly words: string
  readonly own: string
}

/**
 * The parts as one text in which nothing of a page is live: each part is guarded, in pieces, since it may be long. What
 * begins in one part and may end in the next, or around an address of csp's own, stands as plain text.
 */
export async function shownParts(parts: readonly Part[]): Promise<string> {
  const shown: string[] = []
  for (const { words } of parts) shown.push(await inPieces(guardingText(words)))
  const together = shown.join('\n')
  const isWhole = (await inPieces(guardingText(together))) === together
  const words = shown.map((text) => (isWhole && !mayGoOn(text) ? text : asPlain(text)))
  return parts.map(({ own }, at) => `${words[at] ?? ''}${own}`).join('')
}

/** Whether a formula begins that the text does not end: marks of one come in pairs. */
function mayGoOn(text: string): boolean {
  return [/\$/g, /\$+/g].some((mark) => (text.match(mark)?.length ?? 0) % 2 === 1)
}

function asPlain(words: string): string {
  return words.split('\n').map(escapedMarkdown).join('\n')
}
