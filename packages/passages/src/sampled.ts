/**
 * A long page as the parts of it where the words are, in its order; a page of ordinary length as it is. `words`: in
 * lower case.
 */
export function sampled(text: string, words: readonly string[]): string {
  if (text.length <= maxLength) return text
  const looked = text.slice(0, maxLookedAt)
  const lower = looked.toLowerCase()
  const scores = new Float64Array(Math.ceil(looked.length / partLength))
  for (const word of words) {
    const places = partsWith(lower, word)
    // A word that is everywhere says nothing about where to look.
    for (const part of places) scores[part] = (scores[part] ?? 0) + 1 / places.size
  }
  const best = Array.from(scores, (score, part) => ({ part, score: part === 0 ? Number.POSITIVE_INFINITY : score }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, Math.floor(maxLength / partLength))
  const parts = best.map(({ part }) => part).toSorted((a, b) => a - b)
  return parts.map((part, place) => partOf(looked, part, part === 0 || parts[place - 1] === part - 1)).join('')
}

const maxLength = 50_000
const maxLookedAt = 1_000_000
const partLength = 2000
/** Places of one word: enough to know where it is. */
const maxPlaces = 2000

function partsWith(text: string, word: string): ReadonlySet<number> {
  const parts = new Set<number>()
  let from = 0
  for (let count = 0; count < maxPlaces; count++) {
    const index = text.indexOf(word, from)
    if (index < 0) break
    parts.add(Math.floor(index / partLength))
    from = index + word.length
  }
  return parts
}

/** A part that does not follow another begins behind its first line or sentence, since that is cut. */
function partOf(text: string, part: number, isConnected: boolean): string {
  const piece = text.slice(part * partLength, (part + 1) * partLength)
  return isConnected ? piece : `\n\n${piece.replace(/^[^\n]{0,400}?(?:\n|[.!?。！？]\s*)/, '')}`
}
