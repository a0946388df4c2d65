import remarkGfm from 'remark-gfm'
import remarkMath from 'remark-math'
import remarkParse from 'remark-parse'
import { unified } from 'unified'

/** What a reader of Markdown sees of its structure. */
export interface Structure {
  readonly fences: { readonly lang: string; readonly code: string }[]
  readonly tables: string[][][]
  readonly items: { readonly mark: string; readonly depth: number; readonly text: string }[]
  readonly headings: string[]
  /** As `texKey`. */
  readonly math: string[]
  readonly links: string[]
  readonly images: string[]
  /** As `squeezed`. */
  readonly quotes: string[]
  /** As `canonical`. */
  readonly text: string
}

interface Node {
  readonly type: string
  readonly children?: readonly Node[]
  readonly value?: string
  readonly lang?: string | null
  readonly url?: string
  readonly start?: number | null
  readonly checked?: boolean | null
  readonly ordered?: boolean | null
  readonly position?: { readonly start: { readonly offset?: number }; readonly end: { readonly offset?: number } }
}

const parser = unified().use(remarkParse).use(remarkGfm).use(remarkMath)

export function structureOf(markdown: string): Structure {
  const found: Structure = {
    ...{ fences: [], tables: [], items: [], headings: [], math: [], links: [], images: [], quotes: [] },
    text: canonical(markdown),
  }
  const source = ({ position }: Node) => markdown.slice(position?.start.offset, position?.end.offset)
  // What a picture shows is no word of its cell.
  const withoutPictures = (node: Node): string =>
    [...picturesIn(node)].reduce((text, picture) => text.replace(source(picture), ''), source(node))
  const cell = (node: Node) =>
    plain(
      withoutPictures(node)
        .replace(/\[\]\([^()\s]{1,2000}\)/g, '')
        .replace(/^\||\|$/g, '')
        .replace(/<br\s*\/?>/g, ' '),
    )
  const visit = (node: Node, depth: number): void => {
    const { children = [], value = '' } = node
    if (node.type === 'code') found.fences.push({ lang: node.lang ?? '', code: codeKey(value) })
    else if (node.type === 'table') found.tables.push(children.map((row) => (row.children ?? []).map(cell)))
    else if (node.type === 'heading') found.headings.push(squeezed(textOf(node)))
    else if (node.type === 'inlineMath' || node.type === 'math') found.math.push(texKey(value))
    else if (node.type === 'link') found.links.push(node.url ?? '')
    else if (node.type === 'image') found.images.push(node.url ?? '')
    else if (node.type === 'blockquote') found.quotes.push(squeezed(textOf(node)))
    else if (node.type === 'list') {
      children.forEach((item, index) => {
        const head = item.children?.find(({ type }) => type === 'paragraph')
        found.items.push({ mark: markOf(node, item, index), depth, text: squeezed(head ? textOf(head) : '') })
      })
    }
    for (const child of children) visit(child, node.type === 'list' ? depth + 1 : depth)
  }
  visit(parser.parse(markdown) as Node, 0)
  return found
}

function* picturesIn(node: Node): Iterable<Node> {
  if (node.type === 'image') yield node
  for (const child of node.children ?? []) yield* picturesIn(child)
}

function markOf({ ordered, start }: Node, { checked }: Node, index: number): string {
  if (checked !== null && checked !== undefined) return checked ? 'x' : 'o'
  return ordered ? String((start ?? 1) + index) : '-'
}

function textOf({ children, value = '' }: Node): string {
  return children ? children.map(textOf).join('') : value
}

/** Text with one form for what has many: powers `^9`, indices `_2`, marks of notes `[1]`. */
export function canonical(text: string): string {
  return text
    .replace(/&(#?\w{1,6});/g, (all, name: string) => entities[name] ?? all)
    .replace(/!?\[\[?(\\\[)?(\^?[\w*†]{1,3})(\\\])?\]?\]\((?:[^()\s]|\([^()]*\))*\)/g, '[$2]')
    .replace(/!?\[((?:[^[\]]|\\[[\]])*)\]\((?:[^()\s]|\([^()]*\))*(?: "[^"]*")?\)/g, '$1')
    .replace(/<sup>\s*\[?\^?(\w+)\]?\s*<\/sup>/g, '^$1')
    .replace(/[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿ]+/g, (run) => `^${translated(run, above)}`)
    .replace(/[₀₁₂₃₄₅₆₇₈₉₋₊]+/g, (run) => `_${translated(run, below)}`)
    .replace(/\\([\\`*_{}[\]()#+\-.!|>~^$<])/g, '$1')
    .replace(/\[\^(\w{1,20})\]/g, '[$1]')
    .replace(/\^\[(\w{1,3})\]/g, '[$1]')
    .replace(/\^\{([^{}]*)\}/g, '^$1')
    .replace(/\^\(([^()]{1,12})\)/g, '^$1')
    .replace(/_\{([^{}]*)\}/g, '_$1')
    .replace(/[−–]/g, '-')
    .replace(/\s+/g, ' ')
}

const translated = (run: string, letters: string) =>
  [...run].map((letter) => '0123456789-+n'[letters.indexOf(letter)]).join('')
const above = '⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿ'
const below = '₀₁₂₃₄₅₆₇₈₉₋₊'
const entities: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ', '#36': '$', '#92': '\\', '#91': '[', '#39': "'" },
}

export function plain(text: string): string {
  return canonical(text)
    .toLowerCase()
    .replace(/[*`~_|^\\]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
}

/** Letters and digits alone. */
export function squeezed(text: string): string {
  return plain(text).replace(/[^\p{L}\p{N}]/gu, '')
}

/** Code without the spaces that end its lines, and without empty lines around it. */
export function codeKey(code: string): string {
  return code
    .replaceAll('\r', '')
    .replaceAll('\u00a0', ' ')
    .replace(/[ \t]+$/gm, '')
    .replace(/^\n+|\n+$/g, '')
}

export function texKey(tex: string): string {
  return tex
    .replace(/\\(?:displaystyle|textstyle)\b/g, '')
    .replace(/\s+/g, '')
    .replace(/^\{(.*)\}$/, '$1')
    .replace(/\^\{(\w)\}/g, '^$1')
    .replace(/_\{(\w)\}/g, '_$1')
    .replace(/\\(?:left|right)(?=[^a-z])/g, '')
    .replace(/\\[,;!:]/g, '')
}
