/** Stands where words were taken out. */
export const cutMark = '[…]'

const words = /[\p{L}\p{N}]+/gu

/** The message without what it quotes of these texts: three words in a row that stand in one, or all of a shorter text. */
export function withoutWordsOf(texts: readonly string[], message: string): string {
  // As an address has them.
  const readable = message.replaceAll(/%20|\+/g, ' ')
  const found = [...readable.matchAll(words)]
  const known = new Set(texts.flatMap((text) => runsOf(text.slice(0, maxQuoted))))
  const quoted = new Set<number>()
  for (const [start] of found.entries()) {
    for (const length of [1, 2, 3]) {
      const run = found.slice(start, start + length).map(([word]) => word.toLowerCase())
      if (run.length === length && known.has(run.join(' '))) for (const at of run.keys()) quoted.add(start + at)
    }
  }
  if (quoted.size === 0) return message
  let end = 0
  let kept = ''
  for (const [at, { 0: word, index }] of found.entries()) {
    if (!quoted.has(at)) continue
    kept += quoted.has(at - 1) ? '' : readable.slice(end, index) + cutMark
    end = index + word.length
  }
  return kept + readable.slice(end)
}

const maxQuoted = 20_000

function runsOf(text: string): readonly string[] {
  const all = (text.match(words) ?? []).map((word) => word.toLowerCase())
  const length = Math.min(3, all.length)
  return length === 0 ? [] : all.slice(length - 1).map((_, start) => all.slice(start, start + length).join(' '))
}
