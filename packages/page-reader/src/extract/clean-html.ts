import { isWebAddress, parseUrl } from '@csp/lib/url'
import { inlineNames } from './blocks/blocks.ts'
import { hiddenIn } from './overlays.ts'
import type { Element } from './tree/nodes.ts'

/**
 * Leaves of an element only what content is made of: no scripts, forms, frames or hidden parts, no attribute but those
 * named here, and no address but absolute ones of the web. `isChosen`: only what was chosen is left in it, so that what
 * its page hides or folds is wanted.
 */
export function cleanElement(root: Element, base: string, isChosen = false): void {
  for (const element of root.querySelectorAll(isChosen ? dropped : `${dropped}, ${unchosen}`)) element.remove()
  if (!isChosen) for (const element of hiddenIn(root)) element.remove()
  for (const element of [...root.querySelectorAll('*')]) {
    const name = element.localName
    const replacement = renamed[name]
    if (replacement !== undefined) rename(element, replacement)
    else if (kept.has(name)) cleanAttributes(element, base)
    else element.replaceWith(...element.childNodes)
  }
}

/** Removes what shows nothing, and has each heading on one line. */
export function removeBlanks(root: Element): void {
  isBlank(root)
  for (const lineBreak of root.querySelectorAll('h1 br, h2 br, h3 br, h4 br, h5 br, h6 br')) lineBreak.replaceWith(' ')
}

/** Whether nothing is left of an element; what is blank in it goes. Cells stay, since others stand below them. */
function isBlank(element: Element): boolean {
  let isEmpty = true
  for (let child = element.firstChild; child; ) {
    const { nextSibling } = child
    if (child.nodeType === 1) {
      const name = (child as Element).localName
      const isGone = name !== 'img' && isBlank(child as Element)
      // Words that it divides stay two.
      if (isGone && inlineNames.has(name) && hasText(child as Element)) child.replaceWith(' ')
      else if (isGone && !dividers.has(name)) child.remove()
      isEmpty &&= isGone
    } else isEmpty &&= (child.textContent ?? '').trim() === ''
    child = nextSibling
  }
  return isEmpty
}

function hasText(element: Element): boolean {
  for (let child = element.firstChild; child; child = child.nextSibling)
    if (child.nodeType === 3 && child.data) return true
  return false
}

/** Empty ones that divide what stands around them. */
const dividers: ReadonlySet<string> = new Set(['br', 'hr', 'td', 'th'])

/** The addresses of the links in cleaned content, each once, in order. */
export function linksIn(root: Element): string[] {
  const links = new Set<string>()
  for (const link of root.querySelectorAll('a[href]')) {
    links.add(link.getAttribute('href') ?? '')
    if (links.size >= maxLinks) break
  }
  return [...links]
}

const maxLinks = 1000

const dropped = [
  'script, style, template, iframe, frame, object, embed, applet, param, svg, canvas, video, audio, source',
  'track, map, input, select, textarea, link, meta, base, title, annotation, annotation-xml',
].join(', ')

/** What readers do not see, or not at once. */
const unchosen = 'noscript, button, dialog'

/** Elements that have no place in Markdown, as those that say nearly the same. */
const renamed: Readonly<Record<string, string>> = { dl: 'div', dt: 'p', dd: 'p', details: 'div', summary: 'p' }

const kept: ReadonlySet<string> = new Set([
  ...[
    'h1',
    'h2',
    'h3',
    'h4',
    'h5',
    'h6',
    'p',
    'br',
    'hr',
    'ul',
    'ol',
    'li',
    'blockquote',
    'pre',
    'code',
    'kbd',
    'samp',
  ],
  ...[
    'em',
    'strong',
    'b',
    'i',
    's',
    'del',
    'a',
    'img',
    'table',
    'thead',
    'tbody',
    'tfoot',
    'tr',
    'th',
    'td',
    'caption',
  ],
  ...['figure', 'figcaption', 'div', 'section', 'article', 'main', 'header', 'footer', 'aside', 'nav', 'span', 'time'],
])

/** `class` tells the language of code, and is removed from everything else. */
const keptAttributes: ReadonlySet<string> = new Set([
  'alt',
  'title',
  'colspan',
  'rowspan',
  'start',
  'datetime',
  'lang',
  'dir',
])

function cleanAttributes(element: Element, base: string): void {
  const isCode = element.localName === 'code' || element.localName === 'pre'
  for (const { name } of [...element.attributes]) {
    const value = element.getAttribute(name) ?? ''
    // Some readers of Markdown take a link or a formula within the text of a picture for one, whatever is escaped there.
    if (name === 'alt') element.setAttribute(name, value.replace(/[[\]$]/g, ' '))
    if (keptAttributes.has(name) || (isCode && name === 'class')) continue
    const isAddress = (element.localName === 'a' && name === 'href') || (element.localName === 'img' && name === 'src')
    const address = isAddress ? webAddress(value, base) : undefined
    if (address === undefined) element.removeAttribute(name)
    else element.setAttribute(name, address)
  }
  if (element.localName === 'img' && !element.hasAttribute('src')) element.remove()
  if (element.localName === 'a' && !element.hasAttribute('href')) element.replaceWith(...element.childNodes)
}

/** An absolute address of the web; a place in the same page is none. */
export function webAddress(value: string, base: string): string | undefined {
  if (value.trim().startsWith('#')) return undefined
  const href = parseUrl(value.trim(), base)?.href
  return href !== undefined && isWebAddress(href) ? href : undefined
}

function rename(element: Element, name: string): void {
  const other = element.ownerDocument.createElement(name)
  other.append(...element.childNodes)
  element.replaceWith(other)
}
