import { besideArticle } from './article-part.ts'
import type { PageBlock } from './blocks.ts'
import { type BlockParent, type LikeElements, parts } from './frame.ts'
import { type PageFacts, type PageState, pageStateOf } from './page-state.ts'
import { type TextFacts, textFactsOf, type WordScores } from './text-facts.ts'

/** A row of numbers for each block of a page, all in one array. */
export function featuresOf(
  blocks: readonly PageBlock[],
  facts: PageFacts,
  scores: WordScores,
): { readonly rows: Float32Array; readonly width: number } {
  const page = pageStateOf(blocks, facts)
  const plain = blocks.map((block) => textFactsOf(block, scores, page))
  const width = blocks[0] ? rowOf(blocks, plain, 0, page).length : 0
  const rows = new Float32Array(blocks.length * width)
  blocks.forEach((block, index) => {
    rows.set(rowOf(blocks, plain, index, page), index * width)
    page.before += block.words
    if (plain[index]?.isHeading) page.heading = index
  })
  return { rows, width }
}

function rowOf(blocks: readonly PageBlock[], plain: readonly TextFacts[], index: number, page: PageState): number[] {
  const block = blocks[index]
  const text = plain[index]
  if (!block || !text) return []
  const { frame } = block
  const heading = page.heading < 0 ? undefined : blocks[page.heading]
  return [
    Math.log1p(block.words),
    share(block.linkedWords, block.words),
    text.commas,
    text.digits,
    text.capitals,
    text.ends,
    text.letters,
    text.said,
    text.inTitle,
    Number(text.isSeen),
    nameCodes[frame.name] ?? 0,
    nameCodes[frame.parent?.name ?? ''] ?? 0,
    ...partBits.map((part) => Number((frame.parts & part) !== 0)),
    block.said,
    frame.said,
    frame.parent?.said ?? 0,
    frame.parent?.parent?.said ?? 0,
    frame.leastSaid,
    frame.mostSaid,
    frame.sumSaid,
    frame.depth,
    index / blocks.length,
    page.before / page.words,
    page.firstHeading < 0 ? -99 : Math.max(-50, Math.min(50, index - page.firstHeading)),
    // The heading that it stands under.
    heading ? Math.log1p(index - page.heading) : -1,
    heading ? (plain[page.heading]?.said ?? 0) : 0,
    heading ? heading.frame.sumSaid : 0,
    heading ? (nameCodes[heading.frame.name] ?? 0) : 0,
    ...[-2, -1, 1, 2].flatMap((step) => neighbour(blocks[index + step], plain[index + step], frame)),
    ...around(frame, page, 1),
    ...around(frame, page, 2),
    ...around(frame, page, 4),
    ...repeated(frame, page),
    isInside(frame, page.most),
    isInside(frame, page.nearlyAll),
    ...besideTitle(frame, index, page),
    ...besideArticle(block, page.article, page.words),
    text.inDescription,
    frame.hiding ? 1 + share(frame.hiding.words, page.words) : 0,
    Math.log1p(page.words),
    share(page.linkedWords, page.words),
    Math.log1p(blocks.length),
    Math.log1p(page.longest),
    page.visible,
    Number(page.hasMain),
    Number(page.hasArticle),
    ...page.kinds,
  ]
}

const partBits = Object.values(parts)

/** Names of elements in an order that trees can divide. */
const nameCodes: Readonly<Record<string, number>> = Object.fromEntries(
  'button label legend dt dd th td tr table tbody ul ol li nav header footer aside form details summary div body section span center main article figure figcaption h6 h5 h4 h3 h2 h1 p blockquote pre'
    .split(' ')
    .map((name, code) => [name, code + 1]),
)

function neighbour(block: PageBlock | undefined, text: TextFacts | undefined, frame: BlockParent): readonly number[] {
  if (!block || !text) return [-1, -1, -1, 0]
  return [
    Math.log1p(block.words),
    share(block.linkedWords, block.words),
    Number(block.frame.parent === frame.parent) + Number(block.frame === frame),
    block.frame.sumSaid - frame.sumSaid + text.said,
  ]
}

function around(frame: BlockParent, page: PageState, levels: number): readonly number[] {
  let found = frame
  for (let level = 0; level < levels && found.parent; level++) found = found.parent
  return [
    Math.log1p(found.words),
    share(found.linkedWords, found.words),
    share(found.words, found.blocks),
    share(found.words, page.words),
    share(found.proseWords, found.words),
  ]
}

/** The largest group of elements like each other that it is in. */
function repeated(frame: BlockParent, page: PageState): readonly number[] {
  let best: LikeElements | undefined
  let level = 0
  let levels = 0
  for (let found: BlockParent | undefined = frame; found; found = found.parent, level++) {
    const isBetter = found.group.count > 2 && (!best || found.group.words > best.words * 1.2)
    if (isBetter) [best, levels] = [found.group, level]
  }
  if (!best) return [0, 0, 0, 0, 0]
  const { count, words, linkedWords } = best
  return [Math.log1p(count), share(words, count), share(linkedWords, words), share(words, page.words), levels]
}

/** How far up the element stands that holds both a block and the heading of the page, and how much is in that. */
function besideTitle(frame: BlockParent, index: number, page: PageState): readonly number[] {
  let shared: BlockParent | undefined = frame
  while (shared && !page.aroundTitle.has(shared)) shared = shared.parent
  if (!shared) return [-1, -1, -1, 0, 0]
  return [
    frame.depth - shared.depth,
    share(shared.words, page.words),
    share(shared.linkedWords, shared.words),
    Math.sign(index - page.titleAt) * Math.log1p(Math.abs(index - page.titleAt)),
    shared.depth / (frame.depth || 1),
  ]
}

function isInside(frame: BlockParent, container: BlockParent | undefined): number {
  for (let around: BlockParent | undefined = frame; around; around = around.parent) if (around === container) return 1
  return 0
}

function share(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0
}
