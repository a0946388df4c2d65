import { type ArticlePart, articlePartOf } from './article-part.ts'
import { isIn, type PageBlock, wordsOf } from './blocks.ts'
import type { BlockParent } from './frame.ts'

/** What is known of a page as a whole, for each of its blocks. */
export interface PageFacts {
  /** The shares of the kinds of pages, in the order of `pageKinds`. */
  readonly kinds: readonly number[]
  readonly title: string
  readonly description: string
}

/** What the features of all blocks of a page need. */
export interface PageState extends PageFacts {
  readonly titleWords: ReadonlySet<string>
  readonly descriptionWords: ReadonlySet<string>
  /** Where its heading stands, and the elements around that. */
  readonly titleAt: number
  readonly aroundTitle: ReadonlySet<BlockParent>
  readonly words: number
  readonly linkedWords: number
  readonly firstHeading: number
  readonly longest: number
  readonly seen: Set<string>
  /** The smallest elements with 60 and 90 % of the prose. */
  readonly most: BlockParent | undefined
  readonly nearlyAll: BlockParent | undefined
  readonly article: ArticlePart
  readonly visible: number
  readonly hasMain: boolean
  readonly hasArticle: boolean
  before: number
  heading: number
}

export function pageStateOf(blocks: readonly PageBlock[], facts: PageFacts): PageState {
  const root = rootOf(blocks[0]?.frame)
  const words = root?.words ?? 0
  const prose = root?.proseWords ?? 0
  const titleWords = new Set(wordsOf(facts.title))
  const titleAt = titleIn(blocks, titleWords)
  return {
    ...facts,
    titleWords,
    descriptionWords: new Set(wordsOf(facts.description)),
    titleAt,
    aroundTitle: new Set(framesAround(blocks[titleAt]?.frame)),
    words,
    linkedWords: root?.linkedWords ?? 0,
    firstHeading: blocks.findIndex(({ frame }) => frame.name === 'h1'),
    longest: blocks.reduce((most, { words: own, linkedWords }) => Math.max(most, own - linkedWords), 0),
    seen: new Set(),
    most: smallestWith(blocks, prose * 0.6),
    nearlyAll: smallestWith(blocks, prose * 0.9),
    article: articlePartOf(blocks),
    visible: blocks.reduce((sum, block) => sum + (isIn(block.frame, 'hidden') ? 0 : block.words), 0) / (words || 1),
    hasMain: blocks.some(({ frame }) => isIn(frame, 'main')),
    hasArticle: blocks.some(({ frame }) => isIn(frame, 'article')),
    before: 0,
    heading: -1,
  }
}

/** The first of the headings with most of the words of the title. */
function titleIn(blocks: readonly PageBlock[], titleWords: ReadonlySet<string>): number {
  let [best, most] = [-1, 0]
  blocks.forEach(({ frame, text }, index) => {
    if (!/^h[123]$/.test(frame.name)) return
    const own = wordsOf(text)
    const shared = own.filter((word) => titleWords.has(word)).length / Math.max(own.length, 3)
    const value = shared + (frame.name === 'h1' ? 0.3 : 0)
    if (value > most + 0.01) [best, most] = [index, value]
  })
  return best
}

function framesAround(frame: BlockParent | undefined): readonly BlockParent[] {
  const frames: BlockParent[] = []
  for (let around = frame; around; around = around.parent) frames.push(around)
  return frames
}

function rootOf(frame: BlockParent | undefined): BlockParent | undefined {
  let root = frame
  while (root?.parent) root = root.parent
  return root
}

function smallestWith(blocks: readonly PageBlock[], prose: number): BlockParent | undefined {
  let best: BlockParent | undefined
  for (const { frame } of blocks)
    for (let around: BlockParent | undefined = frame; around; around = around.parent)
      if (around.proseWords >= prose) {
        if (!best || around.depth > best.depth) best = around
        break
      }
  return best
}
