import type { SourceIndex } from '../grounding/source-index.ts'
import { withoutJoiners } from '../prompt/fence.ts'

/** A JSON value as it may leave, and what is wrong with it, a line each. */
export interface GroundedJson {
  readonly value: unknown
  readonly problems: readonly string[]
}

/**
 * Holds every string of a JSON value to the sources: a URL of a source is spelled as the source spells it, any other is
 * a problem; markers such as `[2]` behind a statement go. Without sources the strings stay as they are.
 */
export function groundJson(value: unknown, sources: SourceIndex | undefined): GroundedJson {
  const problems: string[] = []
  const text = (raw: string): string => {
    const plain = withoutJoiners(raw)
    if (!sources) return plain
    return withoutMarkers(plain, sources).replace(anyUrl, (url) => {
      const known = sourceUrl(url, sources)
      if (known === undefined) problems.push(`No source has this URL: ${url.slice(0, 300)}`)
      return known ?? url
    })
  }
  const ground = (part: unknown): unknown => {
    if (typeof part === 'string') return text(part)
    if (Array.isArray(part)) return part.map(ground)
    if (typeof part !== 'object' || part === null) return part
    return Object.fromEntries(Object.entries(part).map(([key, inner]) => [text(key), ground(inner)]))
  }
  return { value: ground(value), problems }
}

const anyUrl = /(?:(?:https?|ftp):\/\/|\bwww\.)[^\s<>"`]+/gi

/** What the match has of its sentence's punctuation stands behind the URL. */
function sourceUrl(found: string, sources: SourceIndex): string | undefined {
  for (let end = found.length; end > 0; end--) {
    const source = sources.at(sources.numberOf(found.slice(0, end)) ?? 0)
    if (source) return source.url + found.slice(end)
    if (!/[.,;:!?)\]}'’”»*_]/.test(found.charAt(end - 1))) return undefined
  }
  return undefined
}

/** `word[1]` may be code: a marker stands behind a space, a full stop or another marker. */
function withoutMarkers(text: string, sources: SourceIndex): string {
  return text.replace(/(?:\s|(?<=[.!?。”"')\]]))\[(\d{1,3})\]/g, (marker, digits: string) =>
    sources.at(Number(digits)) ? '' : marker,
  )
}
