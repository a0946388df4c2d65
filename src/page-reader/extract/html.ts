import { plainText } from '../../lib/text.ts'
import { keepOnly } from './blocks/keep-only.ts'
import { type BlockReading, readingOf } from './blocks/reading.ts'
import { roughMarkdown } from './blocks/rough-markdown.ts'
import { cleanElement, linksIn, removeBlanks } from './clean-html.ts'
import { baseOf, documentOf } from './document.ts'
import type { Extracted } from './extracted.ts'
import { asWritten, withoutFormulas } from './formulas.ts'
import { metadataOf } from './metadata.ts'
import { obstacleIn } from './obstacles.ts'
import { tidy } from './readable.ts'
import { toMarkdown, toText } from './to-markdown.ts'

type Page = Omit<Extracted, 'contentType'>

/** Reads an HTML page: its main content in every format, and what it says about itself. */
export function extractHtml(html: string, url: string, mainContentOnly: boolean): Page {
  const { document, base, metadata, reading } = opened(html, url)
  const content = document.body
  if (mainContentOnly) keepOnly(reading)
  cleanElement(content, base, mainContentOnly)
  // Before blank ones go: cards may have their link in an empty element that lies over them.
  const links = linksIn(content)
  removeBlanks(content)
  const cleaned = content.innerHTML
  const contents = {
    markdown: asWritten(tidy(toMarkdown(withoutFormulas(cleaned)))),
    text: tidy(toText(cleaned.replace(images, ''))),
    html: plainText(cleaned).trim(),
  }
  checkText(contents.text, html)
  return { ...metadata, kind: reading.kind, contents, links }
}

/**
 * The same words in half the time: no document is cleaned and written again, and of a long page only its beginning is
 * read. For passages alone.
 */
export function extractRough(html: string, url: string, mainContentOnly = true): Page {
  const beginning = html.slice(0, maxRough)
  const { metadata, reading } = opened(beginning, url)
  const markdown = tidy(roughMarkdown(mainContentOnly ? reading : { ...reading, chosen: shownIn(reading) }))
  checkText(markdown, beginning)
  return { ...metadata, kind: reading.kind, contents: { markdown, text: '', html: '' }, links: [] }
}

const maxRough = 800_000

function shownIn({ blocks }: BlockReading): BlockReading['chosen'] {
  return new Set(blocks.filter(({ frame }) => !frame.hiding))
}

function opened(html: string, url: string): Opened {
  const document = documentOf(html)
  // MediaWiki has one in each heading.
  for (const link of document.querySelectorAll('.mw-editsection')) link.remove()
  const base = baseOf(document, url)
  const metadata = metadataOf(document, html, url, base)
  return { document, base, metadata, reading: readingOf(document, url) }
}

interface Opened {
  readonly document: Document
  readonly base: string
  readonly metadata: ReturnType<typeof metadataOf>
  readonly reading: BlockReading
}

/** Throws a `PageError` that says why, if there is nothing to read. The document has been cleaned, so it is read again. */
function checkText(text: string, html: string): void {
  const obstacle = obstacleIn(html, text, () => documentOf(html))
  if (obstacle) throw obstacle
}

/** Text has neither a picture nor its address. A value, which is always quoted, may have any sign. */
const images = /<img(?:\s[\w:-]{1,40}(?:="[^"]*")?)*\s*\/?>/g
