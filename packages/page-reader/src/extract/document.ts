import { parseUrl } from '@csp/lib/url'
import { PageError } from '../page-error.ts'
import { type ChildNode, Document, Element, insertAll } from './tree/nodes.ts'
import { parseTree } from './tree/parse.ts'

/** The document of an HTML page. Throws a `PageError` if it has too many elements to read, or too deep ones. */
export function documentOf(html: string): Document {
  let elements = 0
  // A browser knows no CDATA in HTML; the parser takes all that follows for its text.
  const document = assembled(
    parseTree(html.replaceAll('<![CDATA[', ''), (depth) => {
      if (depth > maxDepth) throw tooDeep()
      if (++elements > maxElements) throw tooMany()
    }),
  )
  placeStreamed(document)
  // Parts in one another make it deeper.
  checkSize(document)
  return document
}

/** The base of the relative addresses of a page. */
export function baseOf(document: Document, url: string): string {
  return parseUrl(document.querySelector('base[href]')?.getAttribute('href') ?? '', url)?.href ?? url
}

/** Pages may leave out the tags of their root, head and body, or write them twice, or other things outside of them. */
function assembled(top: Element): Document {
  const root = top.children.find(({ localName }) => localName === 'html') ?? new Element('html')
  const parts = top.childNodes.flatMap((node) => (node === root ? root.childNodes : [node]))
  const first = (name: string) => parts.find((node): node is Element => nameOf(node) === name) ?? new Element(name)
  const [head, body] = [first('head'), first('body')]
  const before: ChildNode[] = []
  let isBefore = parts.includes(body)
  for (const part of parts) {
    const name = nameOf(part)
    if (part === body) isBefore = false
    if (part === head || part === body) continue
    const nodes = name === 'head' || name === 'body' ? (part as Element).childNodes : [part]
    if (name === 'head' || headElements.has(name)) insertAll(head, nodes, null)
    else if (isBefore) for (const node of nodes) before.push(node)
    else insertAll(body, nodes, null)
  }
  // The first element that can't stand in a head ends it.
  const inHead = head.childNodes
  const end = inHead.findIndex((node) => node.nodeType === 1 && !mayBeInHead.has(node.localName))
  insertAll(body, [...(end < 0 ? [] : inHead.slice(end)), ...before], body.firstChild)
  root.replaceChildren(head, body)
  root.remove()
  return new Document(root, head, body)
}

function nameOf(node: ChildNode): string {
  return node.nodeType === 1 ? node.localName : ''
}

const headElements: ReadonlySet<string> = new Set(['title', 'meta', 'link', 'base'])
const mayBeInHead: ReadonlySet<string> = new Set([...headElements, 'script', 'style', 'noscript', 'template'])

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
    if (depth > maxDepth || depths > maxDepths) throw tooDeep()
    if (elements > maxElements) throw tooMany()
    const below: Element[] = []
    for (const element of level) pushChildren(element, below)
    level = below
  }
}

function tooDeep(): PageError {
  return new PageError('too-large', 'The elements of the page are nested too deeply to read.')
}

function tooMany(): PageError {
  return new PageError('too-large', 'The page has too many elements to read.')
}

/** Adds the children of an element to a list. */
export function pushChildren(element: Element, into: Element[]): void {
  for (let child = element.firstElementChild; child; child = child.nextElementSibling) into.push(child)
}

const maxDepth = 400
/** The sum over all elements: 30 levels for each of as many as there may be. */
const maxDepths = 3_000_000
/** A page of 2 MB that people wrote has 60,000. */
const maxElements = 100_000
