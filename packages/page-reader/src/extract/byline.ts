import { plainLine } from '@csp/lib/text'
import { nameWords } from './blocks/frame.ts'
import { textWithin } from './standard/within.ts'
import type { Element } from './tree/nodes.ts'

/** The author that a page names beside its text, if it names one. One pass over its elements. */
export function visibleAuthor(body: Element): string | undefined {
  const found = new Map<string, number>()
  const visit = (element: Element, depth: number): void => {
    for (let child = element.firstElementChild; child && found.size < maxNames; child = child.nextElementSibling) {
      if (isElsewhere(child)) continue
      const rank = rankOf(child)
      const name = rank > 0 ? nameIn(child) : undefined
      if (name) found.set(name, Math.max(found.get(name) ?? 0, rank))
      else if (depth < maxDepth) visit(child, depth + 1)
    }
  }
  visit(body, 0)
  // A page of many authors is a list of pages.
  if (found.size === 0 || found.size > maxAuthors) return undefined
  const [best] = [...found].toSorted(([, a], [, b]) => b - a)
  return best?.[0]
}

const maxNames = 8
const maxAuthors = 3
const maxDepth = 100

/** How surely an element names the author: by what machines read, or by its class. */
function rankOf(element: Element): number {
  if (/(?:^|\s)author(?:\s|$)/.test(element.getAttribute('itemprop') ?? '')) return 4
  if (/(?:^|\s)author(?:\s|$)/.test(element.getAttribute('rel') ?? '')) return 3
  const words = nameWords(element.getAttribute('class') ?? '')
  if (words.includes('byline') || words.includes('bylines')) return 2
  return words.includes('author') && !words.some((word) => aboutAuthor.has(word)) ? 1 : 0
}

const aboutAuthor: ReadonlySet<string> = new Set('bio image avatar box photo img icon social follow date'.split(' '))

/** Parts of a page that name other authors than its own. */
function isElsewhere(element: Element): boolean {
  const name = element.localName
  if (name === 'aside' || name === 'nav' || name === 'footer' || name === 'script' || name === 'style') return true
  const words = nameWords(`${element.getAttribute('class') ?? ''} ${element.getAttribute('id') ?? ''}`.slice(0, 200))
  return words.some((word) => elsewhere.has(word))
}

const elsewhere: ReadonlySet<string> = new Set(
  'comment comments related recommended recommendations recirc teaser teasers promo card cards sidebar popular trending replies disqus'.split(
    ' ',
  ),
)

function nameIn(element: Element): string | undefined {
  if (textWithin(element, maxAround + 1).length > maxAround) return undefined
  const inner = element.querySelector('[itemprop="name"], a[rel~="author"], .fn, .author-name') ?? element
  const text = plainLine(element.getAttribute('content') ?? textWithin(inner, maxLine * 2))
  const name = text
    .replace(
      /^(?:(?:view |see )?(?:all |more )?posts |posted |written |words |story |report |text )?(?:by|von|par|por|di|door|av)[\s:]\s?/i,
      '',
    )
    .replace(/\s?[|•·–—].*$/, '')
    .replace(/\s-$/, '')
    .replace(/[,;:]?\s(?:on )?(?:\d{1,2}[ .]|[A-Z][a-z]{2,8}\.? \d).*$/, '')
    .trim()
  return isName(name) ? name : undefined
}

const maxLine = 100
/** In characters: what has more is no line about its author. */
const maxAround = 400

/** Two words and more that begin with capitals, or a few signs of a writing without them. */
function isName(text: string): boolean {
  if (text.length < 3 || text.length > maxLine || /[\d@/<>{}[\]!?]|https?:/.test(text)) return false
  const words = text.split(/[\s,&]+/).filter(Boolean)
  if (words.length > maxWords) return false
  if (!/\p{Lu}|\p{Ll}/u.test(text)) return text.length <= 12
  const capitals = words.filter((word) => /^\p{Lu}/u.test(word)).length
  return words.length >= 2 && capitals >= 2 && capitals >= words.length / 2
}

const maxWords = 12
