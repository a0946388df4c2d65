import { parseUrl } from '@csp/lib/url'
import { parseHTML } from 'linkedom'
import { PageError } from '../page-error.ts'

/** The document of an HTML page. Throws a `PageError` if it has too many elements to read, or too deep ones. */
export function documentOf(html: string): Document {
  // A browser knows no CDATA in HTML; the parser takes all that follows for its text.
  const { document } = parseHTML(withRoot(html.replaceAll('<![CDATA[', '')))
  fillBody(document)
  placeStreamed(document)
  // Parts in one another make it deeper.
  checkSize(document)
  return document
}

/** The base of the relative addresses of a page. */
export function baseOf(document: Document, url: string): string {
  return parseUrl(document.querySelector('base[href]')?.getAttribute('href') ?? '', url)?.href ?? url
}

/** The parser adds no missing root, and loses what stands outside of one. */
function withRoot(html: string): string {
  if (/<html[\s>]/i.test(html)) return html
  const inner = html.replace(/<!doctype[^<>]{0,500}>/i, '')
  return `<!doctype html><html>${/<(?:head|body)[\s>]/i.test(inner) ? inner : `<body>${inner}</body>`}</html>`
}

/** Pages may leave out the tags of their head and body; the parser then puts nothing into these, and adds others. */
function fillBody({ documentElement, head, body }: Document): void {
  for (const node of [...documentElement.childNodes]) {
    if (node === head || node === body) continue
    if (node.nodeName === 'HEAD' || node.nodeName === 'BODY') {
      node.remove()
      ;(node.nodeName === 'HEAD' ? head : body).append(...node.childNodes)
    } else (headElements.has(node.nodeName) ? head : body).append(node)
  }
  // The first element that can't stand in a head ends it.
  const inHead = [...head.childNodes]
  const first = inHead.findIndex(({ nodeType, nodeName }) => nodeType === 1 && !mayBeInHead.has(nodeName))
  if (first >= 0) body.prepend(...inHead.slice(first))
}

const headElements: ReadonlySet<string> = new Set(['TITLE', 'META', 'LINK', 'BASE'])
const mayBeInHead: ReadonlySet<string> = new Set([...headElements, 'SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE'])

/** React sends late parts of a page at its end, hidden, and has a script put them into their places. */
function placeStreamed(document: Document): void {
  const parts = [...document.querySelectorAll('div[hidden][id^="S:"]')].slice(0, maxStreamed)
  if (parts.length === 0) return
  const places = new Map(
    [...document.querySelectorAll('template[id]')].map((place) => [place.getAttribute('id'), place]),
  )
  for (const part of parts) {
    const number = (part.getAttribute('id') ?? '').slice(2)
    const place = places.get(`B:${number}`) ?? places.get(`P:${number}`)
    part.removeAttribute('hidden')
    if (place && !part.contains(place)) place.replaceWith(part)
  }
}

const maxStreamed = 300

/** What reads documents takes the square of their depth, or more; pages that people wrote have less than 100 levels. */
function checkSize({ documentElement }: Document): void {
  let level: readonly Element[] = [documentElement]
  let [elements, depths] = [0, 0]
  for (let depth = 0; level.length > 0; depth++) {
    elements += level.length
    depths += level.length * depth
    if (depth > maxDepth || depths > maxDepths)
      throw new PageError('too-large', 'The elements of the page are nested too deeply to read.')
    if (elements > maxElements) throw new PageError('too-large', 'The page has too many elements to read.')
    const below: Element[] = []
    for (const element of level) pushChildren(element, below)
    level = below
  }
}

/** Adds the children of an element to a list, without the one that the parser's `children` makes each time. */
export function pushChildren(element: Element, into: Element[]): void {
  for (let child = element.firstElementChild; child; child = child.nextElementSibling) into.push(child)
}

const maxDepth = 400
/** The sum over all elements: 30 levels for each of as many as there may be. */
const maxDepths = 3_000_000
/** A page of 2 MB that people wrote has 60,000. */
const maxElements = 100_000
