import { cleanText } from '@csp/lib/text'
import { z } from 'zod'
import { Rejection, textField } from './field.ts'

export interface QueryLimits {
  readonly maxCharacters: number
  readonly maxWords?: number | undefined
  /** Whether line breaks are kept, as in a chat. */
  readonly keepLines?: boolean | undefined
}

/** The limits where the vendor sets no others. */
export const ordinaryQuery: QueryLimits = { maxCharacters: 4_000 }

/** A query, cleaned and checked. */
export function queryField(limits: QueryLimits) {
  return textField((text) => readQuery(text, limits), wordsOf(limits), Number.POSITIVE_INFINITY)
}

function wordsOf({ maxCharacters, maxWords }: QueryLimits): string {
  return `text of 1 to ${maxCharacters} characters${maxWords === undefined ? '' : ` and ${maxWords} words`}`
}

/** An ordinary query, also as a list of one. Longer lists are refused. */
export const oneQueryField = z.preprocess((value, context) => {
  if (!Array.isArray(value)) return value
  if (value.length === 1) return value[0]
  context.addIssue({ code: 'custom', message: 'Send one query at a time', params: { type: 'value_error' } })
  return z.NEVER
}, queryField(ordinaryQuery))

/**
 * Cleans a query and checks its length. Control characters and lone surrogates are dropped rather than refused, since
 * they come with pasted text.
 */
export function readQuery(text: string, limits: QueryLimits): string | Rejection {
  const query = cleanText(text, limits.keepLines).trim()
  // A single character is a query: the CLI's minimum of 2 holds for its whole input, in which more words stand.
  if (query === '')
    return new Rejection('string_too_short', 'String should have at least 1 character', { min_length: 1 })
  if (characterCount(query) > limits.maxCharacters) {
    const maximum = limits.maxCharacters
    return new Rejection('string_too_long', `String should have at most ${maximum} characters`, { max_length: maximum })
  }
  const { maxWords } = limits
  if (maxWords !== undefined && query.split(/\s+/).length > maxWords) {
    return new Rejection('too_many_words', `String should have at most ${maxWords} words`, {
      max_words: maxWords,
    })
  }
  return query
}

/** Counts code points, as vendors do: an emoji is one, not two. */
function characterCount(text: string): number {
  return Array.from(text).length
}
