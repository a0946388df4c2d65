import { isIn, type PageBlock } from './blocks.ts'
import type { BlockParent } from './frame.ts'

/** Where an article would be in a page, as Readability tells it: by the paragraphs in each element and their commas. */
export interface ArticlePart {
  /** What each element scores that has paragraphs. */
  readonly scores: ReadonlyMap<BlockParent, number>
  readonly best: BlockParent | undefined
  /** The best and what it stands in. */
  readonly around: ReadonlySet<BlockParent>
}

export function articlePartOf(blocks: readonly PageBlock[]): ArticlePart {
  const sums = new Map<BlockParent, number>()
  for (const { frame, text, words, linkedWords } of blocks) {
    if (text.length < minParagraph || isIn(frame, 'overlay')) continue
    const commas = text.slice(0, maxCounted).match(/[,،、，]/g)?.length ?? 0
    const own = (1 + commas + Math.min(3, Math.floor(text.length / 100))) * (1 - linkedWords / (words || 1))
    const holder = isParagraph.has(frame.name) ? frame.parent : frame
    let level = 0
    for (let at: BlockParent | undefined = holder; at && level < maxLevels; at = at.parent, level++)
      sums.set(at, (sums.get(at) ?? 0) + own / (level === 0 ? 1 : level === 1 ? 2 : level * 3))
  }
  let [best, most] = [undefined as BlockParent | undefined, 0]
  const scores = new Map<BlockParent, number>()
  for (const [frame, sum] of sums) {
    const score = sum * (1 - frame.linkedWords / (frame.words || 1))
    scores.set(frame, score)
    if (score > most) [best, most] = [frame, score]
  }
  const around = new Set<BlockParent>()
  for (let at = best; at; at = at.parent) around.add(at)
  return { scores, best, around }
}

/** What a block is to the article: how much its elements score beside the best, and how far it stands from that. */
export function besideArticle({ frame }: PageBlock, part: ArticlePart, pageWords: number): readonly number[] {
  const { best, scores, around } = part
  const top = best && scores.get(best)
  if (!best || !top) return [-1, -1, -1, -1, 0]
  let [level, own] = [0, 0]
  let shared: BlockParent | undefined = frame
  while (shared && !around.has(shared)) {
    own = Math.max(own, scores.get(shared) ?? 0)
    shared = shared.parent
    level++
  }
  const up = shared ? best.depth - shared.depth : 99
  return [up <= 0 ? 1 : 0, Math.max(0, up), level, own / top, best.words / (pageWords || 1)]
}

const minParagraph = 25
const maxCounted = 2000
const maxLevels = 5
const isParagraph: ReadonlySet<string> = new Set(['p', 'h2', 'h3', 'h4', 'h5', 'h6', 'td', 'pre', 'li', 'blockquote'])
