import { oneLine } from '@csp/lib/text'
import type { SearchRequest } from '../../../domain/search.ts'
import { section, sections } from './fence.ts'

/** Claims with their passages, for the prompt. */
export function claimsSection({ claims }: SearchRequest): string | undefined {
  const parts = claims?.flatMap(({ sentence, passages }, place) => {
    const number = String(place + 1)
    const lines = passages.map(({ text, source }) => `[${source}] ${oneLine(text)}`)
    return [section('claim', oneLine(sentence), { number }), section('passages', lines.join('\n'), { claim: number })]
  })
  return parts && sections('claims', parts)
}
