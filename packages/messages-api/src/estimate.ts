import type { MessagesRequest } from './request.ts'

/**
 * Estimates the tokens of a prompt by its length, for progress bars and limits, where no provider gives a better number.
 * An image or a PDF counts 1,600 tokens: as base64, however long that is, and by its URL or the id of its file.
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
  if (isImage(value)) return charactersPerImage
  return Object.entries(value).reduce((sum, [name, item]) => sum + name.length + lengthOf(item), 0)
}

/** Whether it is the source of an image or a PDF. With another field it may be anything, such as arguments of a tool. */
function isImage(value: object): boolean {
  if (!('type' in value)) return false
  if (value.type === 'base64') return true
  const other = value.type === 'url' ? 'url' : value.type === 'file' ? 'file_id' : undefined
  return other !== undefined && other in value && Object.keys(value).length === 2
}
