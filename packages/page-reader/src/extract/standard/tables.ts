import type { ChildNode, Element, Node, Text } from '../tree/nodes.ts'
import { textWithin } from './within.ts'

/**
 * Shapes the tables of cleaned content for Markdown: spans are spread over the cells that they cover, each cell is one line,
 * and a table that only arranges its page is taken apart.
 */
export function shapeTables(root: Element): void {
  // The innermost first: what is around them knows them as what they became.
  for (const table of [...root.querySelectorAll('table')].reverse())
    if (isLayout(table)) takeApart(table)
    else shape(table)
}

/** Whether a table arranges parts of a page: it has other tables in it, one cell alone, or parts of a page in its cells. */
function isLayout(table: Element): boolean {
  const role = table.getAttribute('role')
  if (role === 'presentation' || role === 'none') return true
  if (table.querySelector('table')) return true
  const rows = rowsOf(table)
  const cells = rows.flatMap(cellsOf)
  if (cells.length < 2) return true
  const isOneColumn = !rows.some((row) => cellsOf(row).length > 1)
  const parts = cells.filter((cell) => isLong(cell) && cell.querySelector(pageParts) !== null)
  return parts.length > 0 && (isOneColumn || rows.length <= 2 || parts.length > cells.length / 2)
}

const pageParts = 'h1, h2, h3, h4, h5, blockquote, article, section, hr, pre, ul, p + p'

function isLong(element: Element): boolean {
  return textWithin(element, maxLayoutCell + 1).length > maxLayoutCell
}

const maxLayoutCell = 300

function takeApart(table: Element): void {
  const { ownerDocument } = table
  const parts = [...table.childNodes].flatMap((child) => (isPart(child) ? [...child.childNodes] : [child]))
  const all: ChildNode[] = []
  for (const part of parts) {
    if (nameOf(part) !== 'tr') {
      all.push(part)
      continue
    }
    for (const cell of [...part.childNodes]) {
      if (!isCell(cell)) {
        all.push(cell)
        continue
      }
      const div = ownerDocument.createElement('div')
      div.append(...cell.childNodes)
      all.push(div)
    }
  }
  // A cell may stand in its table alone, and a caption is a line.
  const div = ownerDocument.createElement('div')
  for (const each of all) {
    if (!isCell(each) && nameOf(each) !== 'caption') {
      div.append(each)
      continue
    }
    const own = ownerDocument.createElement(nameOf(each) === 'caption' ? 'p' : 'div')
    own.append(...each.childNodes)
    div.append(own)
  }
  table.replaceWith(div)
}

function shape(table: Element): void {
  const { ownerDocument } = table
  const grid = spread(rowsOf(table)).filter((row) => row.some((cell) => cell && hasContent(cell)))
  const width = grid.reduce((most, row) => Math.max(most, row.length), 0)
  const captions = [...table.children].filter(({ localName }) => localName === 'caption')
  const [head, body] = [ownerDocument.createElement('thead'), ownerDocument.createElement('tbody')]
  const used = new Set<Element>()
  for (const [index, row] of grid.entries()) {
    const line = ownerDocument.createElement('tr')
    for (let at = 0; at < width; at++) {
      const own = ownerDocument.createElement(index === 0 ? 'th' : 'td')
      const cell = at > 0 && isTitle(row, width) ? undefined : row[at]
      if (cell && !used.has(cell)) toLine(cell)
      if (cell && (!used.has(cell) || isShort(cell))) own.append(...(cell.cloneNode(true) as Element).childNodes)
      if (cell) used.add(cell)
      line.append(own)
    }
    ;(index === 0 ? head : body).append(line)
  }
  const shaped = ownerDocument.createElement('table')
  shaped.append(head, body)
  table.replaceWith(...captions.map(asParagraph), ...(width > 0 ? [shaped] : []))
}

function hasContent(cell: Element): boolean {
  return textWithin(cell, 2000).trim() !== '' || cell.querySelector('img') !== null
}

/** Whether one cell spans the whole table: a title, which is said once. */
function isTitle(row: Row, width: number): boolean {
  return row[0] !== undefined && row.length === width && row.every((cell) => cell === row[0])
}

type Row = readonly (Element | undefined)[]

/** Whether a cell may be said again: many that are long would make more of a page than there is. */
function isShort(cell: Element): boolean {
  return textWithin(cell, maxRepeated + 1).length <= maxRepeated
}

const maxRepeated = 200

function asParagraph(caption: Element): Element {
  const own = caption.ownerDocument.createElement('p')
  own.append(...caption.childNodes)
  return own
}

/** The cells in rows and columns. One that spans several stands in each of them. */
function spread(rows: readonly Element[]): readonly Row[] {
  const grid: (Element | undefined)[][] = rows.map(() => [])
  let cells = 0
  rows.forEach((row, y) => {
    const group = row.parentElement
    let x = 0
    for (const cell of cellsOf(row)) {
      while (grid[y]?.[x] !== undefined) x++
      const across = spanOf(cell, 'colspan')
      const down = downOf(rows, y, group, cell)
      for (let dy = 0; dy < down; dy++)
        for (let dx = 0; dx < across && cells < maxCells; dx++, cells++) {
          const line = grid[y + dy]
          if (line && x + dx < maxColumns) line[x + dx] ??= cell
        }
      x += across
    }
  })
  return grid
}

/** The rows that a cell covers: none outside of its part of the table. 0: to the end of that. */
function downOf(rows: readonly Element[], y: number, group: Element | null, cell: Element): number {
  const told = spanOf(cell, 'rowspan')
  let down = 1
  while (down < told && rows[y + down]?.parentElement === group) down++
  return down
}

function spanOf(cell: Element, name: string): number {
  const value = cell.getAttribute(name)?.trim()
  if (name === 'rowspan' && value === '0') return maxSpan
  const number = Number(value)
  return Number.isInteger(number) && number > 0 ? Math.min(number, maxSpan) : 1
}

const maxSpan = 100
const maxColumns = 200
/** What spans add is bounded, too. */
const maxCells = 20_000

/** Has the content of a cell on one line: its parts divided by a sign, lists with one before each item. */
function toLine(cell: Element): void {
  const { ownerDocument } = cell
  for (const pre of cell.querySelectorAll('pre')) {
    const code = ownerDocument.createElement('code')
    code.append(ownerDocument.createTextNode((pre.textContent ?? '').trim().replace(/\s*\n\s*/g, ' ')))
    pre.replaceWith(code)
  }
  for (const item of [...cell.querySelectorAll('li')].reverse())
    unwrap(item, textWithin(item, 200).trim() === '' ? '' : '• ')
  for (const part of [...cell.querySelectorAll(lineParts)].reverse()) unwrap(part, '')
  for (const lineBreak of cell.querySelectorAll('br')) lineBreak.replaceWith(divider)
  joinLines(cell)
}

const lineParts = 'p, div, ul, ol, h1, h2, h3, h4, h5, h6, figure, figcaption, section, header, footer'

/** Between two lines of a cell, until it is known whether both have words. */
const divider = '\uf70a'

function unwrap(element: Element, before: string): void {
  element.replaceWith(divider, before, ...element.childNodes, divider)
}

function joinLines(cell: Element): void {
  const texts: Text[] = []
  const collect = (node: Node): void => {
    for (let child = node.firstChild; child; child = child.nextSibling)
      if (child.nodeType === 3) texts.push(child as Text)
      else collect(child)
  }
  collect(cell)
  let hasWords = false
  let ends = false
  let isOpen = false
  for (const text of texts) {
    const pieces = text.data.split(divider)
    const written = pieces.map((piece, index) => {
      if (index > 0) isOpen = true
      if (piece.trim() === '') return piece === '' ? '' : ' '
      const join = isOpen && hasWords ? (ends || piece.startsWith('•') ? ' ' : '; ') : ''
      isOpen = false
      hasWords = true
      ends = /[.!?:;,•]\s*$/.test(piece.slice(-20))
      return `${join}${piece}`
    })
    text.data = written.join('')
  }
}

/** Those of the table itself. Cells without a row get one. */
function rowsOf(table: Element): readonly Element[] {
  return [table, ...[...table.children].filter(isPart)].flatMap((part) => {
    const rows: Element[] = []
    let loose: Element | undefined
    for (const child of [...part.children]) {
      if (child.localName === 'tr') rows.push(child)
      if (!isCell(child)) loose = undefined
      else if (loose) loose.append(child)
      else {
        loose = table.ownerDocument.createElement('tr')
        child.replaceWith(loose)
        loose.append(child)
        rows.push(loose)
      }
    }
    return rows
  })
}

function cellsOf(row: Element): readonly Element[] {
  return [...row.children].filter(isCell)
}

function isCell(node: ChildNode): node is Element {
  const name = nameOf(node)
  return name === 'td' || name === 'th'
}

function isPart(node: ChildNode): node is Element {
  const name = nameOf(node)
  return name === 'thead' || name === 'tbody' || name === 'tfoot'
}

function nameOf(node: ChildNode): string {
  return node.nodeType === 1 ? (node as Element).localName : ''
}
