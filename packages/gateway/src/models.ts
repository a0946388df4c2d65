/**
 * Patterns of asked names, first match wins, with the provider's name of the model. `*` stands for any text. Where several
 * names follow, each is asked when the one before has failed, and may begin with the name of another upstream.
 */
export type ModelPatterns = readonly (readonly [pattern: string, model: string, ...others: string[]])[]

/** The provider's names for Claude's three sizes, as in `ANTHROPIC_DEFAULT_{OPUS,SONNET,HAIKU}_MODEL`. */
export interface ModelNames {
  readonly haiku?: string | undefined
  readonly sonnet?: string | undefined
  readonly opus?: string | undefined
}

/** A model for each size, where at least one has one: the nearest that was named stands for the others. */
export function forAllSizes({ haiku, sonnet, opus }: ModelNames): ModelNames {
  return { haiku: haiku ?? sonnet ?? opus, sonnet: sonnet ?? opus ?? haiku, opus: opus ?? sonnet ?? haiku }
}

/** The patterns for Claude's own names: the size is a word in them. Names without a match are the provider's already. */
export function claudePatterns({ haiku, sonnet, opus }: ModelNames = {}): ModelPatterns {
  return [
    ['*haiku*', haiku ?? 'gpt-5-mini'],
    ['*sonnet-4*', sonnet ?? 'gpt-5'],
    ['*sonnet-5*', sonnet ?? 'gpt-5'],
    ['sonnet', sonnet ?? 'gpt-5'],
    ['*sonnet-3*', sonnet ?? 'gpt-4o'],
    ['*3-5-sonnet*', sonnet ?? 'gpt-4o'],
    ['*3-7-sonnet*', sonnet ?? 'gpt-4o'],
    ['*3-sonnet*', sonnet ?? 'gpt-4o'],
    ['*claude*sonnet*', sonnet ?? 'gpt-5'],
    ['*opus*', opus ?? 'gpt-5'],
    ['fable', opus ?? 'gpt-5'],
    ['*claude*fable*', opus ?? 'gpt-5'],
  ]
}

/** Whether a name has the form of a pattern, in any case. In linear time for each `*`. */
export function matchesPattern(name: string, pattern: string): boolean {
  const text = name.toLowerCase()
  const [head = '', ...rest] = pattern.toLowerCase().split('*')
  const tail = rest.pop()
  if (tail === undefined) return text === head
  if (!text.startsWith(head) || text.length < head.length + tail.length || !text.endsWith(tail)) return false
  const end = text.length - tail.length
  let place = head.length
  for (const part of rest) {
    const found = text.indexOf(part, place)
    if (found < 0 || found + part.length > end) return false
    place = found + part.length
  }
  return true
}
