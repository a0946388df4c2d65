import { htmlToMarkdown } from '@mdream/js'
import { plainText } from '../../lib/text.ts'
import { cleanElement, linksIn, removeBlanks } from './clean-html.ts'
import { baseOf, documentOf } from './document.ts'
import type { Extracted } from './extracted.ts'
import { asWritten, withoutFormulas } from './formulas.ts'
import { mainContentOf } from './main-content.ts'
import { metadataOf } from './metadata.ts'
import { asksForBrowser, checkText, tidy } from './readable.ts'

/** Reads an HTML page: its main content in every format, and what it says about itself. */
export function extractHtml(html: string, url: string, mainContentOnly: boolean): Omit<Extracted, 'contentType'> {
  const document = documentOf(html)
  const base = baseOf(document, url)
  const metadata = metadataOf(document, html, url, base)
  const content = mainContentOnly ? mainContentOf(document, () => documentOf(html)) : document.body
  cleanElement(content, base)
  // Before blank ones go: cards may have their link in an empty element that lies over them.
  const links = linksIn(content)
  removeBlanks(content)
  const cleaned = content.innerHTML
  const contents = {
    markdown: asWritten(tidy(htmlToMarkdown(withoutFormulas(cleaned)))),
    text: tidy(htmlToMarkdown(cleaned.replace(images, ''), { format: 'text' })),
    html: plainText(cleaned).trim(),
  }
  checkText(contents.text, () => asksForBrowser(documentOf(html).body.textContent ?? ''))
  return { ...metadata, contents, links }
}

/** Text has neither a picture nor its address. A value, which is always quoted, may have any sign. */
const images = /<img(?:\s[\w:-]{1,40}(?:="[^"]*")?)*\s*\/?>/g
