import { z } from 'zod'
import { isoDateField } from '../../fields/dates.ts'
import { integerField, optional } from '../../fields/field.ts'
import { domainListField } from '../../fields/places.ts'
import { ordinaryQuery, queryField } from '../../fields/query.ts'
import { withoutEffect } from '../../http/unread.ts'

const oneQuery = queryField(ordinaryQuery)
const charactersField = optional(integerField(1, 1_000_000))

/** What a request is about, in both of its forms. */
export const questionFields = {
  objective: optional(oneQuery),
  search_queries: optional(
    z
      .array(oneQuery)
      .max(5)
      .transform((queries) => [...new Set(queries)]),
  ),
  session_id: optional(z.string().max(1_000)),
  client_model: withoutEffect(optional(z.string())),
  max_chars_total: charactersField,
}

export const excerptFields = { max_chars_per_result: charactersField, max_chars_total: charactersField }

export const sourcePolicyField = optional(
  z.object({
    include_domains: domainListField(200),
    exclude_domains: domainListField(200),
    after_date: optional(isoDateField),
  }),
)

/** The session that groups calls: the one that was sent, otherwise one of its own. */
export function sessionOf({ session_id }: { readonly session_id?: string | undefined }, id: string): string {
  return session_id ?? `session_${id}`
}

/** Cuts texts to so many characters in all; those for which nothing is left are dropped. */
export function cutTo(characters: number, texts: readonly string[]): readonly string[] {
  let left = characters
  const kept = texts.map((text) => {
    const part = text.slice(0, left).toWellFormed()
    left -= part.length
    return part
  })
  return kept.filter(Boolean)
}
