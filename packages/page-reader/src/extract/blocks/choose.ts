import type { PageBlock } from './blocks.ts'
import { parts } from './frame.ts'

/**
 * The blocks that are content: as many of the likeliest as make the expected F of the words best. `likely` has the
 * probability of each, `articleShare` that of an article. What a page hides is not chosen, unless it is much of the
 * page: then its scripts show it.
 */
export function chooseBlocks(
  blocks: readonly PageBlock[],
  likely: Float32Array,
  isArticle: boolean,
  articleShare: number,
): ReadonlySet<PageBlock> {
  const recall = isArticle ? 1 - (1 - articleRecall) * articleShare : 1
  const all = sum(blocks)
  const known = blocks.map((block, index) => ({ block, words: block.words, chance: likely[index] ?? 0 }))
  const possible = known.filter(({ block }) => mayBeContent(block, all))
  if (sum(possible) <= maxShortPage) return new Set(possible.map(({ block }) => block).filter(isPlain))
  const ranked = possible.toSorted((a, b) => b.chance - a.chance)
  const wanted = ranked.reduce((total, { words, chance }) => total + words * chance, 0)
  let [right, taken, best, count] = [0, 0, -1, 0]
  ranked.forEach(({ words, chance }, index) => {
    right += words * chance
    taken += words
    const value = right / (taken + recall * wanted)
    if (value > best) [best, count] = [value, index + 1]
  })
  const chosen = ranked.slice(0, count).map(({ block }) => block)
  return new Set(isArticle ? withoutLeads(chosen) : chosen)
}

/** Cost of a missed word relative to an extra one. Text around an article is often prose as well. */
const articleRecall = 0.42

/** Paragraphs that are nothing but a link lead to other articles. Where much of the page is such, they are its content. */
function withoutLeads(chosen: readonly PageBlock[]): readonly PageBlock[] {
  const left = chosen.filter((block) => !isLead(block))
  return sum(left) > sum(chosen) * (1 - maxLeads) ? left : chosen
}

function isLead({ frame, words, linkedWords }: PageBlock): boolean {
  return linkedWords >= words * 0.9 && !/^h[1-6]$/.test(frame.name) && (frame.parts & (parts.item | parts.table)) === 0
}

const maxLeads = 0.3

function mayBeContent({ frame, words, text }: PageBlock, all: number): boolean {
  if (frame.parts & parts.overlay) return false
  // Others are questions whose answers they unfold.
  if (frame.parts & parts.button && words < minButton && !text.endsWith('?')) return false
  return !frame.hiding || frame.hiding.words > all * minHiddenShare
}

const minButton = 6

function sum(blocks: readonly { readonly words: number }[]): number {
  return blocks.reduce((total, { words }) => total + words, 0)
}

/** A page of so few words is content as a whole, but for what its elements say is none. */
const maxShortPage = 60
const minHiddenShare = 0.3

function isPlain({ frame, words, linkedWords }: PageBlock): boolean {
  return (frame.parts & never) === 0 && linkedWords < words
}

const never =
  parts.nav | parts.header | parts.footer | parts.aside | parts.hidden | parts.noscript | parts.button | parts.overlay
