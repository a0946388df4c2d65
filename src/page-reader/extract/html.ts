import { htmlToMarkdown } from '@mdream/js'
import { plainText } from '../../lib/text.ts'
import { cleanElement, linksIn } from './clean-html.ts'
import { baseOf, documentOf } from './document.ts'
import type { Extracted } from './extracted.ts'
import { mainContentOf } from './main-content.ts'
import { metadataOf } from './metadata.ts'
import { asksForBrowser, checkText, tidy } from './readable.ts'

/** Reads an HTML page: its main content in every format, and what it says about itself. */
export function extractHtml(html: string, url: string, mainContentOnly: boolean): Omit<Extracted, 'contentType'> {
  const document = documentOf(html)
  const base = baseOf(document, url)
  const metadata = metadataOf(document, html, url)
  const needsBrowser = asksForBrowser(document.body?.textContent ?? '')
  const content = mainContentOnly ? mainContentOf(document, () => documentOf(html)) : document.body
  cleanElement(content, base)
  const cleaned = content.innerHTML
  const contents = {
    markdown: tidy(htmlToMarkdown(cleaned)),
    text: tidy(htmlToMarkdown(cleaned, { format: 'text' })),
    html: plainText(cleaned).trim(),
  }
  checkText(contents.text, () => needsBrowser)
  return { ...metadata, contents, links: linksIn(content) }
}
