import { noteAttribute } from '../standard/notes.ts'
import type { ChildNode, Element, Text } from '../tree/nodes.ts'
import {
  type BlockParent,
  isFolded,
  isHidden,
  type LikeElements,
  maxName,
  nameWords,
  pagePartsOf,
  parts,
} from './frame.ts'

/** A run of text of a page that no boundary of a block divides: a paragraph, a heading, a cell. */
export interface PageBlock {
  readonly nodes: readonly Text[]
  readonly frame: BlockParent
  readonly text: string
  readonly words: number
  readonly linkedWords: number
  /** What the inline element around its first words says by its class. */
  readonly said: number
  /** Those in it and before it, up to the block before. */
  readonly pictures: readonly Element[]
}

/** What is known of the words of a class or an id: above 0 where they name content more often than not. */
export type NameScores = ReadonlyMap<string, number>

/** The blocks of a document in their order. Each element is visited once. */
export function blocksOf(root: Element, scores: NameScores): readonly PageBlock[] {
  return new Walk(scores).blocksOf(root)
}

class Walk {
  readonly #scores: NameScores
  /** By class and id: most elements of a page share them. */
  readonly #known = new Map<string, number>()
  readonly #blocks: PageBlock[] = []
  #nodes: Text[] = []
  #texts: string[] = []
  #pictures: Element[] = []
  #linked = 0
  #said = 0
  #breaks = 0
  #frame: BlockParent | undefined

  constructor(scores: NameScores) {
    this.#scores = scores
  }

  blocksOf(root: Element): readonly PageBlock[] {
    this.#inside(root, this.#enter(root, undefined, new Map()), 0)
    this.#end()
    return this.#blocks
  }

  /** Recursion is bounded: documents have `maxDepth` levels. */
  #inside(element: Element, frame: BlockParent, links: number): void {
    const groups = new Map<string, LikeElements>()
    for (let node: ChildNode | null = element.firstChild; node; node = node.nextSibling) {
      if (node.nodeType === 3) this.#add(node as Text, frame, links > 0)
      else if (node.nodeType === 1) this.#child(node as Element, frame, links, groups)
    }
  }

  #child(child: Element, frame: BlockParent, links: number, groups: Map<string, LikeElements>): void {
    const name = child.localName
    if (skipped.has(name)) return
    if (name === 'br') {
      // A line between paragraphs, in pages that have no others.
      if (++this.#breaks > 1) this.#end()
      else this.#texts.push(' ')
      return
    }
    if (name === 'img') this.#pictures.push(child)
    const isInline = inlineNames.has(name) && !isHidden(child)
    if (!isInline) this.#end()
    const inner = name === 'a' && child.hasAttribute('href') ? links + 1 : links
    this.#inside(child, isInline ? frame : this.#enter(child, frame, groups), inner)
    if (!isInline) this.#end()
  }

  #enter(element: Element, parent: BlockParent | undefined, groups: Map<string, LikeElements>): BlockParent {
    const name = element.localName
    const className = element.getAttribute('class') ?? ''
    const said = this.#score(name, className, element.getAttribute('id') ?? '')
    const key = `${name} ${className.slice(0, maxKey)}`
    const group = groups.get(key) ?? { count: 0, words: 0, linkedWords: 0 }
    groups.set(key, group)
    group.count++
    const own = pagePartsOf(element, name, className)
    const frame: BlockParent = {
      parent,
      name,
      group,
      said,
      depth: (parent?.depth ?? 0) + 1,
      parts: (parent?.parts ?? 0) | own,
      isNote: element.hasAttribute(noteAttribute),
      hiding: parent?.hiding,
      leastSaid: Math.min(parent?.leastSaid ?? 0, said),
      mostSaid: Math.max(parent?.mostSaid ?? 0, said),
      sumSaid: (parent?.sumSaid ?? 0) + said,
      words: 0,
      linkedWords: 0,
      proseWords: 0,
      blocks: 0,
    }
    if (own & (parts.hidden | parts.noscript) && !isFolded(element, className)) frame.hiding ??= frame
    return frame
  }

  #score(name: string, className: string, id: string): number {
    if (name === 'body' || name === 'html' || (className === '' && id === '')) return 0
    const key = `${className.slice(0, maxName)} #${id.slice(0, maxName)}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    let sum = 0
    for (const word of new Set([...nameWords(className), ...nameWords(id)])) sum += this.#scores.get(word) ?? 0
    this.#known.set(key, sum)
    return sum
  }

  #saidAround({ parentElement }: Text): number {
    if (!parentElement || !inlineNames.has(parentElement.localName)) return 0
    return this.#score('', parentElement.getAttribute('class') ?? '', '')
  }

  #add(node: Text, frame: BlockParent, isLinked: boolean): void {
    const text = node.data
    if (!text.trim()) {
      if (this.#nodes.length === 0) return
      this.#texts.push(' ')
      // Between the coloured words of code.
      if (frame.name === 'pre') this.#nodes.push(node)
      return
    }
    if (this.#nodes.length === 0) this.#said = this.#saidAround(node)
    this.#breaks = 0
    this.#frame = frame
    this.#nodes.push(node)
    this.#texts.push(text)
    if (isLinked) this.#linked += countWords(text)
  }

  #end(): void {
    const frame = this.#frame
    if (!frame) return
    const text = this.#texts.join('').replace(/\s+/g, ' ').trim()
    const words = countWords(text)
    const linkedWords = Math.min(this.#linked, words)
    this.#blocks.push({
      nodes: this.#nodes,
      frame,
      text,
      words,
      linkedWords,
      said: this.#said,
      pictures: this.#pictures,
    })
    const proseWords = words - linkedWords >= minProse ? words - linkedWords : 0
    for (let around: BlockParent | undefined = frame; around; around = around.parent) {
      around.words += words
      around.linkedWords += linkedWords
      around.proseWords += proseWords
      around.blocks++
      around.group.words += words
      around.group.linkedWords += linkedWords
    }
    this.#nodes = []
    this.#texts = []
    this.#pictures = []
    this.#linked = 0
    this.#frame = undefined
  }
}

/** The words at the beginning of a text, in lower case. */
export function wordsOf(text: string): readonly string[] {
  return (
    text
      .slice(0, maxText)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
}

/** In characters: what is longer is told by its beginning. */
export const maxText = 300

/** Words, and what stands for them in writing without spaces. */
export function countWords(text: string): number {
  let words = 0
  let isInside = false
  for (let at = 0; at < text.length; at++) {
    const isSpace = text.charCodeAt(at) <= 32 || text.charCodeAt(at) === 160
    if (!isSpace && !isInside) words++
    isInside = !isSpace
  }
  return Math.max(words, Math.floor(text.length / maxWordLength))
}

const maxWordLength = 12
const minProse = 12
const maxKey = 60

export function isIn(frame: BlockParent, part: keyof typeof parts): boolean {
  return (frame.parts & parts[part]) !== 0
}

const skipped: ReadonlySet<string> = new Set(
  'script style template iframe frame object embed applet param svg canvas video audio source track map input select textarea link meta base title annotation annotation-xml'.split(
    ' ',
  ),
)

/** Elements that stand in a line of text. */
export const inlineNames: ReadonlySet<string> = new Set(
  'a abbr acronym b bdi bdo big br cite code data del dfn em font i img ins kbd mark q ruby rt rp rb s samp small span strike strong sub sup time tt u var wbr picture nobr math semantics mrow mi mn mo ms mtext msup msub msubsup mfrac msqrt mroot mover munder munderover mspace mstyle mtable mtr mtd'.split(
    ' ',
  ),
)
