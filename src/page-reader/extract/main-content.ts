import { Readability } from '@mozilla/readability'
import { oneLine } from '../../lib/text.ts'
import { pushChildren } from './document.ts'
import { isOverlay, overlays } from './overlays.ts'

/**
 * The element with the main content of a page, without navigation, captions of pictures, overlays, headers and footers.
 * Changes the document; `again` gives a fresh one, for a page that has no article: its body without what is never content.
 */
export function mainContentOf(document: Document, again: () => Document): Element {
  const minLength = callsItselfArticle(document) ? minSaidArticle : minArticleLength
  const squares = removeAround(document)
  const article = squares <= maxSquares ? articleOf(document) : undefined
  if (article) removeLinkParagraphs(article)
  if (article && textLength(article) >= minLength) return article
  const { body } = again()
  for (const element of body.querySelectorAll(`${neverContent}, ${overlays.join(', ')}`)) element.remove()
  const [inArticle, inBody] = [article ? textLength(article) : 0, textLength(body)]
  // A longer one has what was removed from the body.
  return article && inArticle <= inBody && inArticle * 2 > inBody ? article : body
}

function callsItselfArticle(document: Document): boolean {
  return document.querySelector('meta[property="og:type"][content="article"]') !== null
}

/**
 * Menus, overlays, and captions: who took a picture and what is seen on it says nothing without the picture. Returns the
 * sum of the squares of how many children the other elements have.
 */
function removeAround({ documentElement }: Document): number {
  let squares = 0
  // A loop takes half the time of a query with as many selectors.
  const left = [documentElement as Element]
  for (let element = left.pop(); element; element = left.pop()) {
    // The attribute itself, since its value is otherwise put together from its words.
    const words = element.getAttributeNode('class')?.value ?? ''
    const isAround = element.localName === 'nav' || isOverlay(element, words) || isTrail(element, words)
    // An article about credit cards has the word in its class, too.
    if (isAround || (isCaption(element, words) && (element.textContent ?? '').length <= maxCaption)) element.remove()
    else {
      const before = left.length
      pushChildren(element, left)
      squares += (left.length - before) ** 2
    }
  }
  return squares
}

/** Readability takes the square of a list's items: half a second for 2,000, ten for 10,000. */
const maxSquares = 10_000_000

/** The way to the page from the home of its site. */
function isTrail({ localName }: Element, words: string): boolean {
  return (localName === 'ul' || localName === 'ol') && words.includes('breadcrumb')
}

function isCaption(element: Element, words: string): boolean {
  const isNamed = element.localName === 'figcaption' || element.getAttribute('itemprop') === 'caption'
  return isNamed || words.includes('caption') || words.includes('credit')
}

const maxCaption = 500

/** Paragraphs that are nothing but a link lead to other articles. Where much of the page is such, they are its content. */
function removeLinkParagraphs(article: Element): void {
  const paragraphs = [...linkedLengths(article)]
    .filter(([paragraph, linked]) => {
      const { length } = (paragraph.textContent ?? '').trim()
      return length > 0 && linked >= length * 0.9 && !paragraph.closest('li, table')
    })
    .map(([paragraph]) => paragraph)
  const length = paragraphs.reduce((sum, paragraph) => sum + (paragraph.textContent ?? '').length, 0)
  if (length < (article.textContent ?? '').length * maxLinkShare) for (const paragraph of paragraphs) paragraph.remove()
}

const maxLinkShare = 0.3

/** For each paragraph with links, how long their words are. */
function linkedLengths(article: Element): ReadonlyMap<Element, number> {
  const lengths = new Map<Element, number>()
  for (const link of article.querySelectorAll('a')) {
    const { length } = (link.textContent ?? '').trim()
    for (let around = link.parentElement; around && around !== article; around = around.parentElement)
      if (around.localName === 'p') lengths.set(around, (lengths.get(around) ?? 0) + length)
  }
  return lengths
}

/** `undefined` if there is none, or too much for it. */
function articleOf(document: Document): Element | undefined {
  try {
    const parsed = new Readability<Element>(document, {
      disableJSONLD: true,
      keepClasses: true,
      maxElemsToParse: maxElements,
      // It gives the element that it has built, which need not be written and parsed again.
      serializer: (node) => node as Element,
    }).parse()
    return parsed?.content ?? undefined
  } catch {
    return undefined
  }
}

function textLength(element: Element): number {
  return oneLine(element.textContent ?? '').length
}

const maxElements = 50_000
/** A shorter one is often a notice about cookies, and the page a list or a form. */
const minArticleLength = 500
/** For a page that says that it is an article. */
const minSaidArticle = 140
const neverContent = 'nav, header, footer, aside, script, style, noscript, template, [role=navigation], [role=banner]'
