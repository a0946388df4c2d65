import { counted, takeShare } from '../bags.ts'
/** How much of each block of a page is in the text that people took for its content, between 0 and 1. */
export function labelsOf(texts: readonly string[], body: string): readonly number[] {
  const wanted = wordsIn(body)
  const words = texts.map(wordsIn)
  const runs = counted(gramsOf(wanted, 4))
  const shares = words.map((own) => takeShare(gramsOf(own, 4), runs))
  const isFound = (index: number) => (shares[index] ?? 0) >= 0.5
  // Words of short blocks that stand in longer ones are used up by these.
  const short = [1, 2, 3].map((size) => counted(gramsOf(wanted, size)))
  const use = (own: readonly string[]) => {
    for (const [at, counts] of short.entries()) takeShare(gramsOf(own, at + 1), counts)
  }
  for (const [index, own] of words.entries()) if (isFound(index)) use(own)
  const lines = new Set(body.split('\n').map((line) => wordsIn(line).join(' ')))
  const near = distances(words.length, isFound)
  const labels = [...shares]
  const isShort = (index: number) => (words[index]?.length ?? 0) > 0 && (words[index]?.length ?? 0) < 4
  const shorts = [...words.keys()].filter(isShort).toSorted((a, b) => (near[a] ?? 0) - (near[b] ?? 0))
  for (const index of shorts) {
    const own = words[index] ?? []
    const text = own.join(' ')
    const isLeft = (short[own.length - 1]?.get(text) ?? 0) > 0
    if (!isLeft || ((near[index] ?? 0) > maxDistance && !lines.has(text))) continue
    labels[index] = 1
    use(own)
  }
  return labels.map((label) => (label >= 0.5 ? 1 : label < 0.2 ? 0 : label))
}

/** In blocks, from a longer block of the content. */
const maxDistance = 6

export function wordsIn(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []
}

function gramsOf(words: readonly string[], size: number): readonly string[] {
  return words.slice(0, Math.max(0, words.length - size + 1)).map((_, at) => words.slice(at, at + size).join(' '))
}

function distances(count: number, isFound: (index: number) => boolean): readonly number[] {
  const near = new Array<number>(count).fill(Number.POSITIVE_INFINITY)
  for (const order of [[...near.keys()], [...near.keys()].toReversed()]) {
    let last = Number.POSITIVE_INFINITY
    for (const index of order) {
      last = isFound(index) ? 0 : last + 1
      near[index] = Math.min(near[index] ?? last, last)
    }
  }
  return near
}
