import { type PageBlock, wordsOf } from '../../../packages/page-reader/src/extract/blocks/blocks.ts'
import { nameWords } from '../../../packages/page-reader/src/extract/blocks/frame.ts'
import { maxShort } from '../../../packages/page-reader/src/extract/blocks/text-facts.ts'

/** Counts in how many pages a word stands in content, and in how many around it. */
export class WordCounts {
  readonly #names = new Map<string, Counts>()
  readonly #words = new Map<string, Counts>()

  add(blocks: readonly PageBlock[], labels: readonly number[]): void {
    const [names, words] = [new Map<string, Share>(), new Map<string, Share>()]
    blocks.forEach((block, index) => {
      const label = labels[index] ?? 0
      for (const name of namesAround(block)) note(names, name, label, Math.sqrt(block.words))
      if (block.words <= maxShort) for (const word of new Set(wordsOf(block.text))) note(words, word, label, 1)
    })
    for (const [pages, shares] of [
      [this.#names, names],
      [this.#words, words],
    ] as const)
      for (const [word, { inside, all }] of shares) {
        const counts = pages.get(word) ?? { pages: 0, inside: 0 }
        pages.set(word, { pages: counts.pages + 1, inside: counts.inside + inside / all })
      }
  }

  names(): string {
    return tableOf(this.#names)
  }

  words(): string {
    return tableOf(this.#words)
  }
}

interface Counts {
  readonly pages: number
  readonly inside: number
}

interface Share {
  readonly inside: number
  readonly all: number
}

function note(shares: Map<string, Share>, word: string, label: number, weight: number): void {
  const { inside, all } = shares.get(word) ?? { inside: 0, all: 0 }
  shares.set(word, { inside: inside + label * weight, all: all + weight })
}

function namesAround({ nodes }: PageBlock): ReadonlySet<string> {
  const names = new Set<string>()
  for (let around = nodes[0]?.parentElement; around && around.localName !== 'body'; around = around.parentElement)
    for (const name of nameWords(`${around.getAttribute('class') ?? ''} ${around.getAttribute('id') ?? ''}`))
      names.add(name)
  return names
}

/** The 400 words that say most: how the odds of content change where one stands. */
function tableOf(counts: ReadonlyMap<string, Counts>): string {
  const known = [...counts].filter(([word, { pages }]) => pages >= minPages && !/^\d+$/.test(word))
  const pages = known.reduce((sum, [, own]) => sum + own.pages, 0)
  const mean = known.reduce((sum, [, own]) => sum + own.inside, 0) / pages
  const scored = known.map(([word, own]) => {
    const odds = (own.inside + 2 * mean) / (own.pages - own.inside + 2 * (1 - mean))
    const score = Math.log(odds) - Math.log(mean / (1 - mean))
    return { word, score: Math.max(-3, Math.min(3, score)), weight: Math.abs(score) * Math.sqrt(own.pages) }
  })
  const best = scored.toSorted((a, b) => b.weight - a.weight).slice(0, maxWords)
  return best.map(({ word, score }) => `${word}:${Math.round(score * 10) / 10}`).join(' ')
}

const minPages = 10
const maxWords = 400
