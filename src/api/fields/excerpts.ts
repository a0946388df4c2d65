import { z } from 'zod'
import type { EvidenceMode, ExcerptSource, SearchRequest } from '../../domain/search.ts'
import { invalid } from '../exchange/refusal.ts'
import { integerField, nameField } from './field.ts'

const sources = ['lines', 'pages', 'none'] as const satisfies readonly ExcerptSource[]
/** csp chooses among the others by itself. */
const backends = ['memory'] as const
const evidenceModes = ['report', 'judge', 'off'] as const satisfies readonly EvidenceMode[]

export const excerptSourceField = z.enum(sources)
export const evidenceModeField = z.enum(evidenceModes)
/** More than there are backends is all of them. */
const maxMerged = 100
export const mergeField = integerField(1, maxMerged)

/**
 * A search with what its headers ask for; any dialect takes them. `x-csp-excerpts`: where excerpts, and the words that an
 * answer rests on, come from; for a list otherwise what the body asks for. `x-csp-evidence`: whether an answer is compared
 * with its pages. `x-csp-merge`: how many backends list at once. `x-csp-backend`: answered from memory alone. Throws a
 * `Refusal` for another word.
 */
export function withHeaderWishes(request: SearchRequest, headers: Headers, wantsPassages = false): SearchRequest {
  const excerpts = wordIn(headers, 'x-csp-excerpts', sources)
  const evidence = wordIn(headers, 'x-csp-evidence', evidenceModes)
  const merge = countIn(headers, 'x-csp-merge')
  const isOfMemory = wordIn(headers, 'x-csp-backend', backends) !== undefined
  const wanted = excerpts ?? (wantsPassages && request.want === 'results' ? 'pages' : undefined)
  const asked = { ...request, ...(isOfMemory && { memory: typeof request.memory === 'object' ? request.memory : {} }) }
  if (asked.want === 'text') return asked
  const searched = { ...(wanted && { excerpts: wanted }), ...(merge !== undefined && { merge }) }
  if (asked.want === 'results') return { ...asked, ...searched }
  return { ...asked, ...searched, ...(evidence && { evidence }) }
}

function wordIn<Word extends string>(headers: Headers, name: string, words: readonly Word[]): Word | undefined {
  const wish = headers.get(name)
  if (wish === null) return undefined
  const { data } = nameField(words).safeParse(wish)
  if (data !== undefined) return data
  const message = words.length === 1 ? `Input should be ${words[0]}` : `Input should be one of ${words.join(', ')}`
  throw invalid({ path: [name], type: 'value_error', message, input: wish.slice(0, 100) })
}

function countIn(headers: Headers, name: string): number | undefined {
  const wish = headers.get(name)
  if (wish === null) return undefined
  const { data } = mergeField.safeParse(wish)
  if (data !== undefined) return data
  const message = `Input should be a whole number from 1 to ${maxMerged}`
  throw invalid({ path: [name], type: 'value_error', message, input: wish.slice(0, 100) })
}
