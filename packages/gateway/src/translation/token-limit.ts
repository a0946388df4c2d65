import { type ProviderFailure, readProviderError } from './provider-error.ts'

/** How many tokens a model may write at most. */
export interface TokenLimit {
  readonly tokens: number
  /** Whether the limit is the model's, for every request; otherwise it is what this prompt leaves of the context. */
  readonly isOfModel: boolean
}

/**
 * The limit that a provider tells when it finds the one in a request too large. Claude Code asks for the same number of every
 * model, and would fail at each turn.
 */
export function toldTokenLimit({ status, body }: ProviderFailure, asked: number | undefined): TokenLimit | undefined {
  if ((status !== 400 && status !== 422) || asked === undefined) return undefined
  const { message, param } = readProviderError(body)
  if (!about.test(`${param ?? ''} ${message}`)) return undefined
  const left = contextLeft(message)
  const ofModel = left === undefined ? numberIn(ofModelPatterns, message) : undefined
  const tokens = left ?? ofModel
  if (tokens === undefined || tokens < minUsefulTokens || tokens >= asked) return undefined
  return { tokens, isOfModel: left === undefined }
}

const about = /max_(?:completion_|output_)?tokens|(?:completion|output) tokens|in the completion/i

const ofModelPatterns = [
  /at most [`']?([\d,]+)[`']? ?(?:completion|output)? ?tokens/i,
  /(?:less than or equal to|<=|at most) [`']?([\d,]+)/i,
  /range of max_(?:completion_)?tokens is \[\d+, ?([\d,]+)\]/i,
  />\s*([\d,]+), which is the maximum/i,
]

/** What the prompt leaves: an answer that fits is better than none, until hardly anything is left. */
function contextLeft(message: string): number | undefined {
  const context = numberIn([/maximum context length is ([\d,]+)/i], message)
  const prompt = numberIn([/([\d,]{1,20}) (?:input tokens|in the messages|of text input)/i], message)
  return context === undefined || prompt === undefined ? undefined : context - prompt
}

const minUsefulTokens = 256

function numberIn(patterns: readonly RegExp[], message: string): number | undefined {
  for (const pattern of patterns) {
    const digits = pattern.exec(message)?.[1]?.replaceAll(',', '')
    if (digits) return Number(digits)
  }
  return undefined
}
