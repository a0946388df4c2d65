import type { Document, Element } from '../tree/nodes.ts'
import { languageAround } from './code-language.ts'
import { codeText } from './code-text.ts'
import { classNames } from './within.ts'

/** Makes each piece of code a `pre` with one `code` that has one text, and `language-x` where the page tells its language. */
export function standardiseCode(document: Document): void {
  for (const table of document.querySelectorAll(codeTables)) if (!isInCode(table)) replaceByCode(document, table)
  for (const pre of document.querySelectorAll('pre')) if (!isInCode(pre)) replaceByCode(document, pre)
  for (const editor of document.querySelectorAll(editors)) if (!isInCode(editor)) replaceByCode(document, editor)
  for (const box of document.querySelectorAll(boxes))
    if (!isInCode(box) && !box.querySelector('pre')) replaceByCode(document, box)
  for (const code of document.querySelectorAll('code'))
    if (!isInCode(code) && isBlock(code)) replaceByCode(document, code)
}

/** Tables that have the numbers of lines beside the lines. */
const codeTables = [
  'table.rouge-table, table.lntable, table.highlighttable, table.js-file-line-container, table.hljs-ln',
  '.syntaxhighlighter table, figure.highlight table, .highlight > table, .crayon-main table, table.highlight',
].join(', ')

/** What draws code line by line. */
const editors = '.CodeMirror-code, .cm-content, .view-lines, .ace_text-layer'

/** Code without an element that says so. */
const boxes = '.code-block[data-lang], .wp-block-syntaxhighlighter-code, .syntaxhighlighter'

/** Also of what was in code that has been replaced. */
function isInCode(element: Element): boolean {
  let around = element.parentElement
  for (; around; around = around.parentElement) {
    if (around.localName === 'pre') return true
    if (around.localName === 'html') return false
  }
  return true
}

/** A `code` outside of a `pre` that is shown in lines of its own. */
function isBlock(code: Element): boolean {
  const style = (code.getAttribute('style') ?? '').slice(0, 500)
  if (/display\s*:\s*block|white-space\s*:\s*pre/i.test(style)) return true
  return classNames(code).includes('block') || code.querySelector('br') !== null
}

function replaceByCode(document: Document, found: Element): void {
  // Around it there may be a bar with its language.
  const told = codeText(found.querySelector(editors) ?? found)
  const text = found.localName === 'pre' ? told : withoutIndentation(told)
  const element = found.localName === 'pre' ? withOuterCode(found) : found
  if (text.trim() === '') return
  const code = document.createElement('code')
  const language = languageAround(element)
  if (language) code.setAttribute('class', `language-${language}`)
  code.append(document.createTextNode(text))
  const pre = document.createElement('pre')
  pre.append(code)
  // Readers of a whole page look at the hidden, and at classes that name content.
  for (const name of ['class', 'id', 'style', 'hidden', 'aria-hidden']) {
    const value = element.getAttribute(name)
    if (value !== null) pre.setAttribute(name, value)
  }
  element.replaceWith(pre)
}

/** A `pre` with the `code` that holds nothing but it. */
function withOuterCode(pre: Element): Element {
  const outer = pre.parentElement
  return outer?.localName === 'code' && outer.children.length === 1 ? outer : pre
}

/** A `pre` is shown as it is written; other code has the indentation of the source of its page. */
function withoutIndentation(code: string): string {
  const lines = code.split('\n')
  const least = lines.reduce(
    (most, line) => (line.trim() === '' ? most : Math.min(most, line.length - line.trimStart().length)),
    200,
  )
  return lines.map((line) => line.slice(Math.min(least, line.length))).join('\n')
}
