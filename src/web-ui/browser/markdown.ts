// Markdown of an answer to tokens: only what an answer needs; nothing of it is ever HTML.

import { Lexer, Marked, type MarkedExtension, type Token } from 'marked'

/** A marker `[n]` of a source. */
export interface CiteToken {
  readonly type: 'cite'
  readonly raw: string
  readonly number: number
}

export type { Token }

/** A block of the text; its key is where it begins. */
export interface Block {
  readonly key: number
  readonly token: Token
}

/** Foreign HTML, references and bare addresses stay text. */
const asText: MarkedExtension = {
  gfm: true,
  tokenizer: {
    html: () => undefined,
    tag: () => undefined,
    def: () => undefined,
    reflink: () => undefined,
    url: () => undefined,
    autolink: () => undefined,
  },
  extensions: [
    {
      name: 'cite',
      level: 'inline',
      start(text: string) {
        const at = text.search(/\[\d{1,3}\]/)
        return at < 0 ? undefined : at
      },
      tokenizer(text: string) {
        const found = /^\[(\d{1,3})\](?!\()/.exec(text)
        return found ? { type: 'cite', raw: found[0], number: Number(found[1]) } : undefined
      },
    },
  ],
}

const { defaults } = new Marked(asText)

/** A longer block is shown as it is: what Markdown makes of one takes more than linear time. */
const maxBlock = 8000

/** Of links, markers, emphasis, cells and lines in an answer. Long reports have some hundreds. */
const maxMarks = 2000

/** Text that grows: it is read anew from its last block on. */
export class MarkdownText {
  #stable: Block[] = []
  #end = 0
  #text = ''

  /** `isWhole`: nothing more comes. Until then the last block is closed where it is open. */
  blocks(source: string, isWhole: boolean): readonly Block[] {
    const whole = source.replaceAll(/\r\n?/g, '\n')
    const end = drawableEnd(whole)
    const text = whole.slice(0, end)
    const blocks = this.#read(text, isWhole || end < whole.length)
    return end < whole.length ? [...blocks, { key: end, token: plainBlock(whole.slice(end)) }] : blocks
  }

  #read(text: string, isWhole: boolean): readonly Block[] {
    if (!text.startsWith(this.#text)) {
      this.#stable = []
      this.#end = 0
    }
    this.#text = text
    const tail = text.slice(this.#end)
    const tokens = lexed(isWhole ? tail : closed(tail))
    const solid = tokens.filter(({ type }) => type !== 'space')
    const last = solid.at(-1)
    let at = this.#end
    const rest: Block[] = []
    for (const token of tokens) {
      // All but the last block can change no more.
      if (token === last && !isWhole) {
        this.#stable.push(...rest)
        this.#end = at
        return [...this.#stable, { key: at, token }]
      }
      if (token.type !== 'space') rest.push({ key: at, token })
      at += token.raw.length
    }
    return [...this.#stable, ...rest]
  }
}

/** Where marks become so many that to draw them all would hold the page: the text after it is shown as it is. */
function drawableEnd(text: string): number {
  let marks = 0
  for (const { index } of text.matchAll(/[*_`~]+|[[|<!\\&>]|\n/g))
    if (++marks > maxMarks) return Math.max(text.lastIndexOf('\n\n', index), 0) || index
  return text.length
}

/** Piece by piece where it is long: no piece takes long. */
function lexed(text: string): readonly Token[] {
  if (text.length <= maxBlock) return lexedPiece(text)
  return text
    .split(/(?<=\n\n)(?=\S)/)
    .flatMap((piece) => (piece.length > maxBlock ? plainBlock(piece) : lexedPiece(piece)))
}

function lexedPiece(text: string): readonly Token[] {
  try {
    return new Lexer(defaults).lex(text)
  } catch {
    // Nested deeper than the stack.
    return [plainBlock(text)]
  }
}

function plainBlock(raw: string): Token {
  return { type: 'paragraph', raw, text: raw, tokens: [{ type: 'escape', raw, text: raw }] }
}

/** The end of a text that is still written: what is open is closed, what may yet become a mark waits. */
export function closed(text: string): string {
  const fences = text.match(/^ {0,3}(```+|~~~+)/gm)?.length ?? 0
  if (fences % 2) return text
  const ahead = text.length - 300
  const end = text
    .slice(Math.max(0, ahead))
    .replace(/(?:\[\d{0,3}|\[[^\]\n]{0,200}\]\([^)\n]{0,200}|[*_~`#|>-]{1,3}\s?)$/, '')
  let tail = text.slice(0, Math.max(0, ahead)) + end
  const line = tail.slice(tail.lastIndexOf('\n\n') + 1)
  for (const mark of ['`', '**', '~~']) if ((line.split(mark).length - 1) % 2) tail += mark
  return tail
}

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  '#39': "'",
}

/** The letters that Markdown writes as entities. */
export function plain(text: string): string {
  return text.replaceAll(/&(amp|lt|gt|quot|apos|nbsp|#39);/g, (whole, name: string) => named[name] ?? whole)
}

/** What the n-th part of a token holds, whatever it is: lists, tables and quotes have theirs in places of their own. */
export function childrenOf(token: Token): readonly Token[] {
  const { items, header, rows, tokens } = token as {
    items?: readonly Token[]
    header?: readonly { tokens: Token[] }[]
    rows?: readonly (readonly { tokens: Token[] }[])[]
    tokens?: readonly Token[]
  }
  if (items) return items
  if (header && rows) return [...header, ...rows.flat()].flatMap((cell) => cell.tokens)
  return tokens ?? []
}

/** A marker, and the words of the block that it stands in. */
export interface PlacedCite {
  readonly token: CiteToken
  readonly within: Token
}

/** The markers of a text in their order. */
export function citesIn(blocks: readonly Block[]): readonly PlacedCite[] {
  const found: PlacedCite[] = []
  const pending = blocks.map(({ token }) => ({ token, within: token })).toReversed()
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { token, within } = next
    if (token.type === 'cite') found.push({ token: token as unknown as CiteToken, within })
    else
      pending.push(
        ...childrenOf(token)
          .map((child) => ({ token: child, within: isBlock(child) ? child : within }))
          .toReversed(),
      )
  }
  return found
}

function isBlock({ type }: Token): boolean {
  return ['paragraph', 'heading', 'list', 'list_item', 'table', 'blockquote'].includes(type)
}

/** The words of a heading, without marks. */
export function wordsOf(token: Token): string {
  const children = childrenOf(token)
  if (token.type === 'cite') return ' '
  if (children.length > 0) return children.map(wordsOf).join('')
  return plain('text' in token ? String(token.text) : token.raw)
}
