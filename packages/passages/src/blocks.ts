import { endMark, isAbbreviated, wideEndMark } from '@csp/language/sentence-ends'
import { unspaced } from '@csp/language/words'
import { linkOfMarkdown, withoutMarkup } from '@csp/lib/text'

/** A paragraph, list or table of a page, as Markdown has it. */
export interface Block {
  readonly lines: readonly string[]
  /** The heading above it; empty if there is none. */
  readonly heading: string
}

const fence = /^\s{0,3}(`{3,}|~{3,})/
const headingLine = /^\s{0,3}#{1,6}\s(.*[^\s#])?/
const ruleLine = /^[\s>=*_-]+$/
const tableRule = /^\s*\|[\s|:-]+$|^\s*:?-+:?\s*\|[\s|:-]*$/
const itemLine = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+/

/** The blocks of a page's Markdown or plain text, without its code. Takes linear time, whatever a page is made of. */
export function* readBlocks(markdown: string): Generator<Block, void, undefined> {
  let heading = ''
  let block: { lines: string[]; heading: string } = { lines: [], heading }
  let openFence: string | undefined
  for (const line of markdown.split('\n')) {
    const mark = fence.exec(line)?.[1]
    if (openFence !== undefined) {
      if (mark?.startsWith(openFence)) openFence = undefined
      continue
    }
    if (tableRule.test(line)) continue
    const title = mark === undefined ? titleIn(line) : undefined
    if (mark === undefined && title === undefined && !ruleLine.test(line) && line.trim() !== '') {
      block.lines.push(line)
      continue
    }
    openFence = mark
    heading = title ?? heading
    if (block.lines.length > 0) yield block
    block = { lines: [], heading }
  }
  if (block.lines.length > 0) yield block
}

/** The text of a heading without its marks; it may be empty. `undefined` for any other line. */
function titleIn(line: string): string | undefined {
  const heading = headingLine.exec(line)
  return heading ? (heading[1]?.trim() ?? '') : undefined
}

/** Whether most of it is links, as in menus and lists of further pages. */
function isNavigation(lines: readonly string[]): boolean {
  const text = lines.join(' ')
  if (!text.includes('](')) return false
  const linked = [...text.matchAll(linkOfMarkdown)].reduce((sum, [, words = '']) => sum + words.length, 0)
  return linked > withoutMarkup(text).length * maxLinkedShare
}

const maxLinkedShare = 0.6

/**
 * A block as plain sentences, where each item of a list and each row of a table is one. Empty for what looks like
 * navigation: mostly links, or a few words.
 */
export function sentencesOf({ lines }: Block): readonly string[] {
  if (isNavigation(lines)) return []
  const units: string[] = []
  for (const raw of lines) {
    const line = raw.replace(/^[\s>]+/, '')
    const isRow = line.startsWith('|')
    if (isRow || itemLine.test(line) || units.length === 0) units.push(isRow ? cellsOf(line) : line)
    else units[units.length - 1] += ` ${line.trimEnd()}`
  }
  const sentences = units.flatMap((unit) => split(withoutMarkup(unit.replace(itemLine, ''))))
  return saysSomething(sentences) ? sentences.slice(0, maxSentences) : []
}

/** A page as long as is looked at has 500; many more are no sentences. */
const maxSentences = 2500

/** Whether they are more than labels and buttons. */
function saysSomething(sentences: readonly string[]): boolean {
  const text = sentences.join(' ')
  if (unspaced.test(text)) return text.length >= 10
  const words = text.split(' ').length
  return words >= 3 * sentences.length && (text.length >= 25 || /[.!?…]$/.test(text))
}

function cellsOf(row: string): string {
  const cells = row.split('|').map((cell) => cell.trim())
  return cells.filter(Boolean).join(', ')
}

const unmarked = String.raw`[\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}]`

/** Where a sentence may end: behind its mark, before anything but a small letter; in Thai, Khmer and Lao at any space. */
const sentenceEnd = new RegExp(
  [
    String.raw`(?<=${endMark}["'”’»)\]]?)\s+(?=[^\p{Ll}\s])`,
    `(?<=${wideEndMark}[」』”’）]?)`,
    String.raw`(?<=${unmarked})\s+|\s+(?=${unmarked})`,
  ].join('|'),
  'u',
)
/** Whether what divides two pieces is a mere space, as between clauses in these scripts, and around a numeral among them. */
export function isBetweenClauses(text: string, next: string): boolean {
  return unmarkedEnd.test(text) || unmarkedStart.test(next)
}

const unmarkedEnd = new RegExp(`${unmarked}$`, 'u')
const unmarkedStart = new RegExp(`^${unmarked}`, 'u')

function split(text: string): readonly string[] {
  const sentences: string[] = []
  let before = ''
  for (const piece of text.split(sentenceEnd)) {
    // Only the piece is looked at, not all that it ends, so that many abbreviations in a row take linear time.
    if (isAbbreviated(before, before.length - 1)) sentences[sentences.length - 1] += ` ${piece}`
    else if (piece.trim() !== '') sentences.push(piece.trim())
    before = piece
  }
  return sentences
}
