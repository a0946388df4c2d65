import type { PageKind } from '../../page.ts'
import type { PageBlock } from './blocks.ts'
import { type BlockParent, parts } from './frame.ts'

/**
 * The chosen blocks of a page, with those that belong to them: blocks are judged by their words, and the cells of a table
 * or the lines of code have few. A table or code that stands beside chosen text is content as a whole, so is a list of
 * which half is chosen, and what the mark of a note in chosen text leads to.
 */
export function withWholes(
  blocks: readonly PageBlock[],
  chosen: ReadonlySet<PageBlock>,
  kind: PageKind,
): ReadonlySet<PageBlock> {
  const wanted = wantedIn[kind]
  if (chosen.size === 0) return chosen
  const all = new Set(chosen)
  for (const whole of wanted ? wholesOf(blocks) : []) {
    if (!wanted?.has(whole.kind)) continue
    const own = blocks.slice(whole.from, whole.to)
    const taken = sum(own.filter((block) => chosen.has(block)))
    if (taken === sum(own) || !mayBeContent(whole, own)) continue
    if (!isWanted(whole, taken / sum(own))) continue
    for (const block of own) if (whole.kind === 'note' || !(block.frame.parts & never)) all.add(block)
  }
  if (!withoutHeadings.has(kind)) addHeadings()
  return all

  /** The headings whose text is chosen, or most of their part of the page, which a title has as a whole. The last first: below one there may be others. */
  function addHeadings(): void {
    const sections = new Sections()
    let last: PageBlock | undefined
    for (let at = blocks.length - 1; at >= 0; at--) {
      const block = blocks[at]
      if (!block) continue
      const level = Number(/^h([1-6])$/.exec(block.frame.name)?.[1] ?? 0)
      const isOver = last !== undefined && (last === blocks[at + 1] || (level > 1 && sections.isChosen(level)))
      const isEmpty = level > 0 && sections.isEmpty(level)
      if (last && isOver && !isEmpty && !all.has(block) && isHeading(block) && isNear(block.frame, last.frame)) {
        if (!(block.frame.parts & (never | parts.header))) all.add(block)
      }
      if (all.has(block)) last = block
      sections.add(level, block.words, all.has(block))
    }
  }

  function isWanted(whole: Whole, share: number): boolean {
    if (whole.kind === 'note') return true
    if (share >= 0.5 || whole.kind === 'list') return share >= 0.5
    return isBeside(whole, -1) || isBeside(whole, 1)
  }

  /** Whether the next text of some length is chosen, and no far relative. */
  function isBeside({ holder, from, to }: Whole, step: -1 | 1): boolean {
    let at = step < 0 ? from - 1 : to
    for (let skipped = 0; skipped < maxSkipped; skipped++, at += step) {
      const block = blocks[at]
      if (!block) return false
      const other = holderOf(block.frame)?.frame ?? block.frame
      // The table around it may arrange the page.
      if (all.has(block)) return isNear(holder, isAround(other, holder) ? block.frame : other)
    }
    return false
  }
}

type Kind = 'table' | 'code' | 'list' | 'note'

const both: ReadonlySet<Kind> = new Set<Kind>(['table', 'code', 'list', 'note'])
const tables: ReadonlySet<Kind> = new Set<Kind>(['table', 'code'])
/** In collections most lists lead elsewhere, and the notes of products are small print. */
const wantedIn: Readonly<Partial<Record<PageKind, ReadonlySet<Kind>>>> = {
  article: both,
  documentation: both,
  service: tables,
  listing: tables,
}

/** What looks like one there is the name of an author, or of another product. */
const withoutHeadings: ReadonlySet<PageKind> = new Set<PageKind>(['forum', 'product'])

/** The words below the headings of each level, counted from the end of the page. */
class Sections {
  readonly #levels = Array.from({ length: 7 }, () => ({ words: 0, chosen: 0 }))

  add(level: number, words: number, isChosen: boolean): void {
    for (const [index, own] of this.#levels.entries()) {
      // It ends those of its own level and of lower ones.
      if (level > 0 && index >= level) [own.words, own.chosen] = [0, 0]
      else {
        own.words += words
        own.chosen += isChosen ? words : 0
      }
    }
  }

  isEmpty(level: number): boolean {
    return this.#levels[level]?.words === 0
  }

  isChosen(level: number): boolean {
    const { words, chosen } = this.#levels[level] ?? { words: 0, chosen: 0 }
    return chosen * 2 > words
  }
}

/** Blocks in a row that are one thing. */
interface Whole {
  readonly kind: Kind
  readonly holder: BlockParent
  readonly from: number
  readonly to: number
}

function wholesOf(blocks: readonly PageBlock[]): readonly Whole[] {
  const wholes: Whole[] = []
  let open: { kind: Kind; holder: BlockParent; from: number } | undefined
  blocks.forEach(({ frame }, index) => {
    const holder = holderOf(frame)
    if (open && holder?.frame === open.holder) return
    if (open) wholes.push({ ...open, to: index })
    open = holder && { kind: holder.kind, holder: holder.frame, from: index }
  })
  if (open) wholes.push({ ...(open as { kind: Kind; holder: BlockParent; from: number }), to: blocks.length })
  return wholes
}

/** The table, code or list that a block is in: the outermost list, the innermost of the others. */
function holderOf(frame: BlockParent): { readonly kind: Kind; readonly frame: BlockParent } | undefined {
  let list: BlockParent | undefined
  for (let at: BlockParent | undefined = frame; at; at = at.parent) {
    if (at.isNote) return { kind: 'note', frame: at }
    if (at.name === 'table') return { kind: 'table', frame: at }
    if (at.name === 'pre') return { kind: 'code', frame: at }
    if (at.name === 'ul' || at.name === 'ol') list = at
  }
  return list && { kind: 'list', frame: list }
}

function mayBeContent({ kind, holder }: Whole, own: readonly PageBlock[]): boolean {
  // Notes may stand at the edge.
  if (holder.parts & (kind === 'note' ? never & ~parts.aside : never)) return false
  const words = sum(own)
  const linked = own.reduce((total, { linkedWords }) => total + linkedWords, 0)
  // A table may have names that lead elsewhere beside its figures.
  const plain = own.filter((block) => block.linkedWords === 0).length
  if (kind !== 'note' && linked > words * maxLinked && !(kind === 'table' && plain * 3 > own.length)) return false
  if (kind !== 'table') return true
  const rows = new Map<BlockParent, number>()
  for (const { frame } of own) {
    const row = rowOf(frame)
    if (row) rows.set(row, (rows.get(row) ?? 0) + 1)
  }
  return rows.size >= 2 && [...rows.values()].filter((cells) => cells >= 2).length >= rows.size / 2
}

function isHeading({ frame, nodes, words, linkedWords }: PageBlock): boolean {
  if (words > maxHeading || linkedWords === words) return false
  return /^h[1-6]$/.test(frame.name) || nodes.every(({ parentElement }) => bold.has(parentElement?.localName ?? ''))
}

const bold: ReadonlySet<string> = new Set(['b', 'strong'])

const maxHeading = 30

function rowOf(frame: BlockParent): BlockParent | undefined {
  for (let at: BlockParent | undefined = frame; at && at.name !== 'table'; at = at.parent)
    if (at.name === 'tr') return at
  return undefined
}

/** Whether the two stand in one part of the page, not far above either. */
function isNear(holder: BlockParent, other: BlockParent): boolean {
  const around = new Set<BlockParent>()
  for (let at = holder.parent, level = 0; at && level < maxLevels; at = at.parent, level++) around.add(at)
  for (let at: BlockParent | undefined = other, level = 0; at && level <= maxLevels; at = at.parent, level++)
    if (around.has(at)) return true
  return false
}

function isAround(outer: BlockParent, inner: BlockParent): boolean {
  for (let at = inner.parent; at; at = at.parent) if (at === outer) return true
  return false
}

function sum(blocks: readonly PageBlock[]): number {
  return blocks.reduce((total, { words }) => total + words, 0)
}

const never =
  parts.nav | parts.footer | parts.aside | parts.hidden | parts.noscript | parts.button | parts.overlay | parts.comments
const maxLevels = 4
/** Blocks between a whole and the text that it belongs to: its caption, a heading. */
const maxSkipped = 3
const maxLinked = 0.5
