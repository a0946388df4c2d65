import type { ChildNode, Document, Element } from '../tree/nodes.ts'
import { markNotes } from './notes.ts'
import { endWithin, lineWithin, textWithin } from './within.ts'

/**
 * Writes what stands above or below the line so that plain text still says it: `10^9`, `km²`, `x_1`, `H2O`, `7 1/2`, and
 * `[1]` for the mark of a note. Ordinals and abbreviations stay as they are: `21st`, `Mme`.
 */
export function standardisePowers(document: Document): void {
  markNotes(document)
  for (const sup of document.querySelectorAll('sup')) if (!writeFraction(sup)) writeAbove(sup)
  for (const sub of document.querySelectorAll('sub')) writeBelow(sub)
}

/** `<sup>1</sup>/<sub>2</sub>` */
function writeFraction(sup: Element): boolean {
  const slash = sup.nextSibling
  const sub = slash?.nextSibling as Element | null | undefined
  if (slash?.nodeType !== 3 || !/^\s*[/⁄∕]\s*$/.test(textWithin(slash, 10)) || sub?.localName !== 'sub') return false
  const [above, below] = [textOf(sup), textOf(sub)]
  if (!/^\d{1,4}$/.test(above) || !/^\d{1,4}$/.test(below)) return false
  const gap = /\d$/.test(textBefore(sup)) ? ' ' : ''
  slash.remove()
  sub.remove()
  replaceByText(sup, `${gap}${above}/${below}`)
  return true
}

function writeAbove(sup: Element): void {
  const text = textOf(sup)
  if (text === '' || text.length > maxLength) return
  const before = textBefore(sup)
  const mark = noteMark(sup, text, before)
  if (!isSimple(text) && mark === undefined) return
  if (mark !== undefined) replaceByText(around(sup), mark)
  else if (isAbbreviation(text, before)) replaceByText(sup, text)
  else if (isBehindBase(before)) replaceByText(sup, powerOf(sup, text, before))
}

function powerOf(sup: Element, text: string, before: string): string {
  if (/^[23]$/.test(text) && /\p{L}$/u.test(before)) return text === '2' ? '²' : '³'
  return `^${grouped(text)}${gapBehind(sup, text)}`
}

function writeBelow(sub: Element): void {
  const text = textOf(sub)
  if (text === '' || text.length > maxLength) return
  const before = textBefore(sub)
  if (!isBehindBase(before) || !isSimple(text)) return
  // Of a formula of chemistry.
  const isPlain = /^\d{1,3}$/.test(text) && /(?:[A-Z][a-z]?|[)\]])$/.test(before)
  replaceByText(sub, isPlain ? text : `_${grouped(text)}${gapBehind(sub, text)}`)
}

/** No signs that mean something in Markdown or HTML once the spaces between them are gone. */
function isSimple(text: string): boolean {
  return /^[\p{L}\p{N}\s+−–=.,/*()'′″°∞%-]+$/u.test(text)
}

function isBehindBase(before: string): boolean {
  return before !== '' && !/[\s([{]$/.test(before)
}

const maxLength = 24

/** The mark of a note, if it is one: it leads to a place of the page, is named so, or stands behind a word or a sentence. */
function noteMark(sup: Element, text: string, before: string): string | undefined {
  const bare = text.replace(/^[[(^\s]+|[\])\s]+$/g, '')
  if (bare === '') return undefined
  if (/[[\]<>!`]/.test(bare)) return undefined
  if (/^\[.*\]$/.test(text)) return text
  const link = sup.parentElement?.localName === 'a' ? sup.parentElement : sup.querySelector('a')
  const names = `${sup.getAttribute('class') ?? ''} ${link?.getAttribute('class') ?? ''}`.slice(0, 200)
  const leads = (link?.getAttribute('href') ?? '').includes('#') || link?.hasAttribute('data-footnote-ref') === true
  if (leads || /footnote|noteref|reference|endnote/i.test(names)) return `[${bare}]`
  if (!/^(?:\d{1,3}(?:\s?[,–-]\s?\d{1,3})*|[*†‡§¶]{1,3})$/.test(bare)) return undefined
  const ends = /[.!?,;:”"»’]$/.test(before) && !/\d[.,]$/.test(before)
  return ends || (/\p{Ll}{4}$/u.test(before) && !units.test(before)) ? `[${bare}]` : undefined
}

/** Units that have squares and cubes, of four letters and more. */
const units =
  /(?:met(?:er|re)s?|inch(?:es)?|feet|foot|miles?|yards?|pixels?|lumens?|candela|newtons?|tonnes?|hertz|barn)$/i

/** `21st`, `Mme`, `nº`, `™`: letters that an abbreviation has above its line. */
function isAbbreviation(text: string, before: string): boolean {
  if (/^(?:TM|SM|®|™|℠|[oaªº°])$/i.test(text)) return !/[\p{L}\d)]$/u.test(before) || /[\dnN\p{L}]$/u.test(before)
  if (/\d$/.test(before)) return /^(?:st|nd|rd|th|er|ère|re|ers|e|è|ème|eme|nde?|o|a|os|as)$/i.test(text)
  return (
    /(?:^|[\s(])\p{Lu}\p{L}{0,3}$/u.test(before) &&
    /^(?:me|mes|lle|lles|r|rs|gr|e|es|s|ra|a|c|ac)$/i.test(text) &&
    before.length > 1
  )
}

function grouped(text: string): string {
  const plain = text.replace(/\s+/g, '').replaceAll('−', '-')
  return /^[-+]?(?:[\p{L}\d.]{1,12}|\d+[/.,]\d+)$/u.test(plain) ? plain : `(${plain})`
}

/** What follows is no part of it. */
function gapBehind(element: Element, text: string): string {
  const behind = element.nextSibling?.nodeType === 3 ? textWithin(element.nextSibling, 40) : ''
  return /[\d\p{L}]$/u.test(text) && /^[\d\p{L}]/u.test(behind) ? ' ' : ''
}

/** With the link that is nothing but a mark. */
function around(sup: Element): Element {
  const parent = sup.parentElement
  return parent?.localName === 'a' && textOf(parent) === textOf(sup) ? parent : sup
}

function textOf(element: Element): string {
  return lineWithin(element, 100)
}

/** The end of the text before it, where that is in the same paragraph. */
function textBefore(element: Element): string {
  let node: ChildNode | null = element
  for (let steps = 0; node && steps < maxSteps; steps++) {
    const previous: ChildNode | null = node.previousSibling
    if (previous) {
      const text = endWithin(previous, 40)
      if (text !== '') return text
      node = previous
    } else {
      const parent: Element | null = node.parentElement
      if (!parent || !inline.has(parent.localName)) return ''
      node = parent
    }
  }
  return ''
}

const maxSteps = 12
const inline: ReadonlySet<string> = new Set(
  'a abbr b bdi cite code data dfn em font i ins mark q s small span strong sub sup tt u var'.split(' '),
)

function replaceByText(element: Element, text: string): void {
  element.replaceWith(element.ownerDocument.createTextNode(text))
}
