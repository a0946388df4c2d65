import { z } from 'zod'
import type { ExcerptSource, SearchRequest } from '../../domain/search.ts'
import { invalid } from '../http/refusal.ts'
import { nameField } from './field.ts'

const sources = ['lines', 'pages', 'none'] as const satisfies readonly ExcerptSource[]

export const excerptSourceField = z.enum(sources)

/** The header that says where excerpts, and the words that an answer rests on, come from. Any dialect takes it. */
const excerptsHeader = 'x-csp-excerpts'

/** A search with what the header asks for; a list otherwise with what the body does. Throws a `Refusal` for another word. */
export function withExcerptsWish(request: SearchRequest, headers: Headers, wantsPassages = false): SearchRequest {
  const wish = headers.get(excerptsHeader) ?? (wantsPassages && request.want === 'results' ? 'pages' : null)
  if (wish === null) return request
  const { data: excerpts } = nameField(sources).safeParse(wish.trim())
  if (excerpts === undefined) {
    const message = `Input should be one of ${sources.join(', ')}`
    throw invalid({ path: [excerptsHeader], type: 'value_error', message, input: wish.slice(0, 100) })
  }
  return request.want === 'text' ? request : { ...request, excerpts }
}
