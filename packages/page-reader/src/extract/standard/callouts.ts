import type { Document, Element } from '../tree/nodes.ts'
import { classNames, lineWithin, textWithin } from './within.ts'

/** Makes each box that a site sets apart a quotation that begins with its kind, as `> [!note] Its title`. */
export function standardiseCallouts(document: Document): void {
  for (const box of document.querySelectorAll(boxes)) {
    const kind = kindOf(box)
    if (kind && textWithin(box, maxText + 1).length <= maxText && box.parentElement) quote(document, box, kind)
  }
}

const boxes = [
  '.callout, .admonition, .theme-admonition, .markdown-alert, .alert, .hint, .notice, .custom-block, .starlight-aside',
  '[data-callout], .admonitionblock, .note-box, .tip-box, .docutils.note, .docutils.warning',
].join(', ')
const maxText = 4000

const kinds: ReadonlySet<string> = new Set(
  'note tip info warning danger caution important success error question example abstract summary todo bug failure faq hint attention quote deprecated'.split(
    ' ',
  ),
)

function kindOf(box: Element): string | undefined {
  const told = box.getAttribute('data-callout')?.trim().toLowerCase()
  if (told && /^[a-z]{2,20}$/.test(told)) return told
  const words = classNames(box).flatMap((name) => name.toLowerCase().split(/[-_]+/))
  return words.find((word) => kinds.has(word) && word !== 'hint') ?? (words.includes('hint') ? 'hint' : undefined)
}

function quote(document: Document, box: Element, kind: string): void {
  const title = box.querySelector('[class*="title"], [class*="heading"], .admonition-heading')
  const name = title ? lineWithin(title, 200) : ''
  const said = name.toLowerCase() === kind ? '' : name
  const head = document.createElement('p')
  head.append(document.createTextNode(`${calloutMark}${kind}] ${said}`))
  title?.remove()
  const own = document.createElement('blockquote')
  own.append(head, ...box.childNodes)
  box.replaceWith(own)
}

/** For `[!`, which the library would escape. */
export const calloutMark = '\uf7b2'
