import { z } from 'zod'
import { cleanText } from '../../lib/text.ts'
import { Rejection, textField } from './field.ts'

export interface QueryLimits {
  /** 2, since the CLI's search tool refuses a single character: said here, it costs nothing. */
  readonly minCharacters?: number | undefined
  readonly maxCharacters: number
  readonly maxWords?: number | undefined
  /** Whether line breaks mean something: in a chat they do. */
  readonly keepLines?: boolean | undefined
}

/** The limits of a search that no vendor has set others for. */
export const ordinaryQuery: QueryLimits = { maxCharacters: 4_000 }

/** What a caller asks, ready to be searched for. */
export function queryField(limits: QueryLimits) {
  return textField((text) => readQuery(text, limits))
}

/** An ordinary query, also as a list of one. Several at once are refused. */
export const oneQueryField = z.preprocess((value, context) => {
  if (!Array.isArray(value)) return value
  if (value.length === 1) return value[0]
  context.addIssue({ code: 'custom', message: 'Send one query at a time', params: { type: 'value_error' } })
  return z.NEVER
}, queryField(ordinaryQuery))

/**
 * Cleans a query and measures it. Control characters and halves of surrogate pairs are dropped rather than refused:
 * they come with pasted text, and the search behind them is an ordinary one.
 */
export function readQuery(text: string, limits: QueryLimits): string | Rejection {
  const query = cleanText(text, limits.keepLines).trim()
  const { minCharacters = 2 } = limits
  if (query.length < minCharacters) {
    const least = minCharacters === 1 ? '1 character' : `${minCharacters} characters`
    return new Rejection('string_too_short', `String should have at least ${least}`, { min_length: minCharacters })
  }
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

/** Counted as people do and vendors measure: an emoji is one, not two. */
function characterCount(text: string): number {
  return Array.from(text).length
}
