import type { Verdict } from '@csp/evidence/evidence'
import { languages } from '../../packages/evidence/test/languages.ts'
import type { SearchEvent } from '../../src/domain/search.ts'

/** The address of the page in a language; the one of no language cannot be read. */
export function pageUrl(language: string): string {
  return `https://${language}.example/`
}

/**
 * Four sentences, each with the number of the page that it cites: a right one, one with a wrong figure, an invented
 * quotation, and one that cites a page which cannot be read.
 */
export function knownSentences(language: string): readonly (readonly [sentence: string, page: number])[] {
  const { right, wrong, invented } = languages[language] ?? { right: [], wrong: [], invented: '' }
  return [
    [right[0] ?? '', 1],
    [wrong[0]?.[0] ?? '', 1],
    [invented, 1],
    [right[1] ?? '', 2],
  ]
}

/** An answer of them. */
export function citedAnswer(language: string): readonly SearchEvent[] {
  const rows = [language, 'walled'].map((name) => ({ title: name, url: pageUrl(name), source: 'scripted' }))
  const events = [
    { type: 'search-start', id: 's1', query: 'what was asked' },
    { type: 'search-results', id: 's1', results: rows },
  ] as const
  return [...events, ...textOver(rows, knownSentences(language))]
}

/** Sentences with the number of the source that each cites, and what follows an answer. */
export function textOver(
  rows: readonly { readonly url: string; readonly title: string }[],
  sentences: readonly (readonly [sentence: string, number: number])[],
): readonly SearchEvent[] {
  const events: SearchEvent[] = []
  let length = 0
  for (const [sentence, number] of sentences) {
    const text = `${length > 0 ? ' ' : ''}${sentence} [${number}]`
    const end = length + text.length
    const start = end - `[${number}]`.length
    const { url = '', title = '' } = rows[number - 1] ?? {}
    events.push({ type: 'text-delta', text }, { type: 'citation', citation: { number, url, title, start, end } })
    length = end
  }
  const usage = { searches: 1, inputTokens: 100, outputTokens: 20 }
  return [...events, { type: 'done', reason: 'stop', usage, model: 'claude-x' }]
}

/** What the check says of them. */
export const expectedVerdicts: Verdict[] = ['found', 'partly', 'not-found', 'not-read']
