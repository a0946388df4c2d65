import { htmlToMarkdown } from '@mdream/js'
import { parseHTML } from 'linkedom'
import { PageError } from '../../domain/page.ts'
import { oneLine, plainText } from '../../lib/text.ts'
import { cleanElement, linksIn } from './clean-html.ts'
import type { Extracted } from './extracted.ts'
import { mainContentOf } from './main-content.ts'
import { metadataOf } from './metadata.ts'

/** Reads an HTML page: its main content in every format, and what it says about itself. */
export function extractHtml(html: string, url: string, mainContentOnly: boolean): Omit<Extracted, 'contentType'> {
  const document = documentOf(html)
  const base = baseOf(document, url)
  const metadata = metadataOf(document, base)
  const needsBrowser = asksForBrowser(document)
  const content = mainContentOnly ? mainContentOf(document, () => documentOf(html)) : document.body
  cleanElement(content, base)
  const cleaned = content.innerHTML
  const contents = {
    markdown: tidy(htmlToMarkdown(cleaned)),
    text: tidy(htmlToMarkdown(cleaned, { format: 'text' })),
    html: plainText(cleaned).trim(),
  }
  if (!contents.text || (needsBrowser && contents.text.length < maxNoticeLength)) {
    throw new PageError('no-content', 'There is no text in the page. It may need a browser to show it.')
  }
  return { ...metadata, contents, links: linksIn(content) }
}

function documentOf(html: string): Document {
  const { document } = parseHTML(withRoot(html))
  fillBody(document)
  if (isTooDeep(document)) throw new PageError('too-large', 'The elements of the page are nested too deeply to read.')
  return document
}

/** The parser adds no missing root, and loses what stands outside of one. */
function withRoot(html: string): string {
  if (/<html[\s>]/i.test(html)) return html
  const inner = html.replace(/<!doctype[^>]*>/i, '')
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
}

const headElements: ReadonlySet<string> = new Set(['TITLE', 'META', 'LINK', 'BASE'])

/** What reads documents takes the square of their depth, or more; pages that people wrote have less than 100 levels. */
function isTooDeep({ documentElement }: Document): boolean {
  let level: readonly Element[] = [documentElement]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return true
    level = level.flatMap((element) => [...element.children])
  }
  return false
}

const maxDepth = 400

function baseOf(document: Document, url: string): string {
  return URL.parse(document.querySelector('base[href]')?.getAttribute('href') ?? '', url)?.href ?? url
}

/** Pages that show nothing without a browser say so, in a few words. */
function asksForBrowser(document: Document): boolean {
  const text = oneLine(document.body?.textContent ?? '').slice(0, 10_000)
  return /(?:enable|turn on|requires?|activate) (?:your browser's )?java ?script|java ?script (?:is )?(?:required|disabled)/i.test(
    text,
  )
}

/** Such a notice is shorter than this; a page with more text has something to read. */
const maxNoticeLength = 500

function tidy(text: string): string {
  return plainText(text)
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}
