import type { Answer } from '../../../domain/search.ts'

/** The text without its `[n]` markers, for vendors whose answers have none. */
export function withoutMarkers({ text, citations }: Pick<Answer, 'text' | 'citations'>): string {
  return citations
    .toSorted((a, b) => b.start - a.start)
    .reduce((rest, { start, end }) => rest.slice(0, start).replace(/[ \t]+$/, '') + rest.slice(end), text)
}
