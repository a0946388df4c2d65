import type { MessagesRequest } from './request.ts'

/**
 * Estimates the tokens of a prompt by its length, for progress bars and limits, where no provider gives a better number.
 * Base64 data counts 1,600 tokens, however long it is.
 */
export function estimateInputTokens({ system, messages, tools }: MessagesRequest): number {
  return Math.ceil(lengthOf([system, messages, tools]) / charactersPerToken)
}

/** The tokens of a text, by its length. */
export function estimateTokens(characters: number): number {
  return Math.ceil(characters / charactersPerToken)
}

const charactersPerToken = 4
const charactersPerImage = 1600 * charactersPerToken

/** Names of fields count too: they stand for the structure around the words. */
function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 1
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + lengthOf(item), 0)
  if ('type' in value && value.type === 'base64') return charactersPerImage
  return Object.entries(value).reduce((sum, [name, item]) => sum + name.length + lengthOf(item), 0)
}
