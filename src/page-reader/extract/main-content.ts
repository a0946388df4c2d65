import { Readability } from '@mozilla/readability'
import { oneLine } from '../../lib/text.ts'

/**
 * The element with the main content of a page, without navigation, headers and footers. Changes the document; `again`
 * gives a fresh one, for a page that has no article: its body without what is never content.
 */
export function mainContentOf(document: Document, again: () => Document): Element {
  const article = articleOf(document)
  if (article && textLength(article) >= minArticleLength) return article
  const { body } = again()
  for (const element of body.querySelectorAll(neverContent)) element.remove()
  const [inArticle, inBody] = [article ? textLength(article) : 0, textLength(body)]
  // A longer one has what was removed from the body.
  return article && inArticle <= inBody && inArticle * 2 > inBody ? article : body
}

/** `undefined` where there is none, or too much for it. */
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
const neverContent = 'nav, header, footer, aside, script, style, noscript, template, [role=navigation], [role=banner]'
