import type { Element, Text } from '../tree/nodes.ts'
import { classNames, textWithin } from './within.ts'

/** The text of code as it is shown, line by line, without the numbers of lines and what copies it. */
export function codeText(root: Element): string {
  const text = new CodeText(numbersIn(root))
  text.inside(root)
  const lines = text.toString().replaceAll('\r\n', '\n').replaceAll('\u00a0', ' ').split('\n')
  const first = lines.findIndex((line) => line.trim() !== '')
  const last = lines.findLastIndex((line) => line.trim() !== '')
  return lines.slice(Math.max(0, first), last + 1).join('\n')
}

/** What stands between two lines: `soft` is a break only before another line, since words may go on behind a `span`. */
type Pending = 'none' | 'soft' | 'hard'

class CodeText {
  readonly #parts: string[] = []
  #pending: Pending = 'none'
  #endsLine = true
  readonly #numbers: ReadonlySet<Element>

  /** `numbers`: the elements that have nothing but the number of their line. */
  constructor(numbers: ReadonlySet<Element>) {
    this.#numbers = numbers
  }

  inside(element: Element): void {
    for (let child = element.firstChild; child; child = child.nextSibling) {
      if (child.nodeType === 3) this.#text((child as Text).data)
      else if (child.nodeType === 1) this.#child(child as Element)
    }
  }

  toString(): string {
    return this.#parts.join('')
  }

  #child(element: Element): void {
    const name = element.localName
    if (silent.has(name) || this.#numbers.has(element) || isGutter(element) || isBar(element)) return
    const line = lineKind(element)
    if (name === 'br') this.#line()
    else if (line === 'none') this.inside(element)
    else this.#inLine(element, line)
  }

  #inLine(element: Element, line: Pending): void {
    if (this.#pending !== 'none' || !this.#endsLine) this.#line()
    const before = this.#parts.length
    this.inside(element)
    if (this.#parts.length === before || !this.#endsLine) this.#pending = line
  }

  #line(): void {
    this.#parts.push('\n')
    this.#pending = 'none'
    this.#endsLine = true
  }

  #text(data: string): void {
    if (data === '') return
    if (this.#pending === 'hard') {
      // Between the elements of lines, in the source of the page.
      if (data.trim() === '') return
      this.#line()
    }
    this.#pending = 'none'
    this.#parts.push(data)
    this.#endsLine = data.endsWith('\n')
  }
}

function lineKind(element: Element): Pending {
  const name = element.localName
  if (blocks.has(name)) return 'hard'
  if (name !== 'span' && name !== 'code') return 'none'
  if (element.hasAttribute('data-line')) return 'soft'
  if (/display\s*:\s*(?:block|flex|table)/i.test((element.getAttribute('style') ?? '').slice(0, 300))) return 'soft'
  return classNames(element).some((each) => lineNames.has(each)) ? 'soft' : 'none'
}

const blocks: ReadonlySet<string> = new Set(['div', 'p', 'li', 'ol', 'ul', 'tr', 'table', 'tbody', 'pre'])
const lineNames: ReadonlySet<string> = new Set(['line', 'token-line', 'code-line', 'view-line', 'cm-line', 'ec-line'])
const silent: ReadonlySet<string> = new Set([
  ...['button', 'clipboard-copy', 'style', 'script', 'svg', 'template', 'textarea', 'input', 'select', 'figcaption'],
])

/** The first children of lines, where they count up without saying so by their names. */
function numbersIn(root: Element): ReadonlySet<Element> {
  const numbers = new Set<Element>()
  let next: number | undefined
  const visit = (element: Element, depth: number): void => {
    for (let child = element.firstElementChild; child; child = child.nextElementSibling) {
      const first = child.firstElementChild
      const text = first && child.childElementCount === 2 ? textWithin(first, 8).trim() : ''
      if (first && /^\d{1,6}$/.test(text) && (next === undefined || next === Number(text))) {
        numbers.add(first)
        next = Number(text) + 1
      } else if (depth < maxNumberDepth) visit(child, depth + 1)
    }
  }
  visit(root, 0)
  return numbers.size > 1 ? numbers : new Set()
}

const maxNumberDepth = 3

/** A line above the code that has its title, its language or what copies it. */
function isBar(element: Element): boolean {
  if (element.localName !== 'div' && element.localName !== 'span') return false
  if (!classNames(element).some((name) => /header|toolbar|title-?bar/i.test(name))) return false
  return textWithin(element, 60).trim().split(/\s+/).length <= 5 && !element.querySelector('pre, .line, [data-line]')
}

/** Whether it has the number of a line, or what a reader cannot mark. */
function isGutter(element: Element): boolean {
  if (classNames(element).some((name) => gutterNames.has(name))) return true
  if (/user-select\s*:\s*none/i.test((element.getAttribute('style') ?? '').slice(0, 300))) return true
  return (element.localName === 'td' || element.localName === 'pre') && isCounting(element)
}

const gutterNames: ReadonlySet<string> = new Set([
  ...[
    'ln',
    'lnt',
    'lineno',
    'linenos',
    'linenumber',
    'linenumbers',
    'line-number',
    'line-numbers',
    'line-numbers-rows',
  ],
  ...[
    'gutter',
    'rouge-gutter',
    'blob-num',
    'hljs-ln-numbers',
    'crayon-nums',
    'code-copy',
    'copy',
    'copy-btn',
    'copybtn',
  ],
  ...[
    'hover-info',
    'hover-container',
    'tooltip',
    'CodeMirror-gutter-wrapper',
    'CodeMirror-linenumber',
    'cm-gutters',
    'ace_gutter',
    'toolbar',
    'code-toolbar-copy',
  ],
])

/** Whether a cell has nothing but the numbers from one on, beside a cell that has other things. */
function isCounting(element: Element): boolean {
  if (element.localName !== 'td' || !element.nextElementSibling) return false
  const numbers = textWithin(element, maxGutter).trim().split(/\s+/)
  return numbers.length > 1 && numbers.every((number, index) => number === String(index + 1))
}

const maxGutter = 20_000
