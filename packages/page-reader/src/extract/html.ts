import { plainText } from '@csp/lib/text'
import { htmlToMarkdown } from '@mdream/js'
import { protectorByMarks } from '../protectors.ts'
import { countWords } from './blocks/blocks.ts'
import { keepOnly } from './blocks/keep-only.ts'
import { type BlockReading, readingOf } from './blocks/reading.ts'
import { roughMarkdown } from './blocks/rough-markdown.ts'
import { carriedHtml } from './carried/carried.ts'
import { cleanElement, linksIn, removeBlanks } from './clean-html.ts'
import { baseOf, documentOf } from './document.ts'
import type { Extracted } from './extracted.ts'
import { asPlain, asWritten, withoutFormulas } from './formulas.ts'
import { leadIn, mayLead } from './lead.ts'
import { metadataOf } from './metadata.ts'
import { challenged, fewWords, isShell, obstacleIn } from './obstacles.ts'
import { maxBeginning, saysPaywalled } from './paywall.ts'
import { shapeEmphasis } from './standard/emphasis.ts'
import { standardise } from './standard/standard.ts'
import { shapeTables } from './standard/tables.ts'
import { withHeldTex, withRoughTex, withTex } from './standard/tex.ts'
import type { Document } from './tree/nodes.ts'

type Page = Omit<Extracted, 'contentType'>

/** Reads an HTML page: its main content in every format, and what it says about itself. */
export function extractHtml(html: string, url: string, mainContentOnly: boolean): Page {
  return orCarried(html, url, ({ document, base, reading }) => {
    const content = document.body
    if (mainContentOnly) keepOnly(reading)
    cleanElement(content, base, mainContentOnly)
    // Before blank ones go: cards may have their link in an empty element that lies over them.
    const links = linksIn(content)
    removeBlanks(content)
    shapeTables(content)
    shapeEmphasis(content)
    const cleaned = content.innerHTML
    const held = withHeldTex(cleaned)
    const contents = {
      markdown: withTex(
        asWritten(tidy(toMarkdown(withoutFormulas(held.html, held.formulas.length > 0)))),
        held.formulas,
      ),
      text: withTex(asPlain(tidy(toText(held.html.replace(images, '')))), held.formulas),
      html: withTex(asPlain(plainText(held.html).trim()), held.formulas),
    }
    return { contents, links }
  })
}

/**
 * The words of an HTML page as rough Markdown, in half the time: nothing is cleaned, and only the beginning of a long page
 * is read. For choosing passages only, never to be shown.
 */
export function extractRough(html: string, url: string, mainContentOnly = true): Page {
  return orCarried(html.slice(0, maxRough), url, ({ reading }) => {
    const markdown = withRoughTex(
      asPlain(tidy(roughMarkdown(mainContentOnly ? reading : { ...reading, chosen: shownIn(reading) }))),
    )
    return { contents: { markdown, text: '', html: '' }, links: [] }
  })
}

const maxRough = 800_000

function shownIn({ blocks }: BlockReading): BlockReading['chosen'] {
  return new Set(blocks.filter(({ frame }) => !frame.hiding))
}

interface Opened {
  readonly document: Document
  readonly base: string
  readonly reading: BlockReading
}

type Content = Pick<Page, 'contents' | 'links'>

/** What a page shows; where that is a shell, what its scripts carry. Throws a `PageError` that says why there is neither. */
function orCarried(html: string, url: string, read: (opened: Opened) => Content): Page {
  const document = documentOf(html)
  const base = baseOf(document, url)
  const leadsTo = mayLead.test(html) ? leadIn(document, base, url) : undefined
  if (leadsTo !== undefined) return stubOf(html, leadsTo)
  const metadata = metadataOf(document, html, url, base)
  const isBehind = saysPaywalled(document, html)
  const marked = (page: Page): Page =>
    isBehind && countWords(contentText(page)) < maxBeginning ? { ...page, isPaywalled: true } : page
  standardise(document, html)
  const reading = readingOf(document, url)
  const shown = { ...metadata, kind: reading.kind, ...read({ document, base, reading }) }
  const words = contentText(shown)
  // What was read has been cleaned.
  const obstacle = obstacleIn(html, words, () => documentOf(html), url)
  if (obstacle && !isShell(obstacle.code)) throw obstacle
  if (!obstacle && countWords(words) >= fewWords) return marked(shown)
  const carried = carriedBy(documentOf(html), url, base, read)
  if (carried && countWords(contentText(carried)) >= 2 * countWords(words)) return marked({ ...shown, ...carried })
  if (obstacle) throw obstacle
  return marked(shown)
}

/** A page without words that leads elsewhere. Challenges lead to where they are answered. */
function stubOf(html: string, leadsTo: string): Page {
  const protector = protectorByMarks(html)
  if (protector) throw challenged(protector)
  return { contents: { markdown: '', text: '', html: '' }, links: [], leadsTo }
}

function carriedBy(sent: Document, url: string, base: string, read: (opened: Opened) => Content): Content | undefined {
  const html = carriedHtml(sent)
  if (html === undefined) return undefined
  const document = documentOf(`<html><body><main>${html}</main></body></html>`)
  standardise(document, html)
  return read({ document, base, reading: readingOf(document, url) })
}

function contentText({ contents }: Content): string {
  return contents.text || contents.markdown
}

/** Text has neither a picture nor its address. A value, which is always quoted, may have any sign. */
const images = /<img(?:\s[\w:-]{1,40}(?:="[^"]*")?)*\s*\/?>/g

/** Text of a page without what acts, trailing spaces and, outside of the code of Markdown, more than one empty line. */
function tidy(text: string): string {
  const kept: string[] = []
  let fence = ''
  // By line, since an expression would start again at each of many spaces.
  for (const written of plainText(text).split('\n')) {
    const line = written.trimEnd()
    const signs = fenceIn(line)
    if (!fence) fence = signs
    else if (signs.length >= fence.length && line.endsWith(signs)) fence = ''
    if (line !== '' || fence !== '' || kept.at(-1) !== '') kept.push(line)
  }
  return kept.join('\n').trim()
}

/** The signs that begin or end code in a line of Markdown, which may stand in a quote or in the item of a list. */
function fenceIn(line: string): string {
  const at = line.indexOf('```')
  if (at < 0 || at > maxIndentation || !/^[\s>*+.)\d-]*$/.test(line.slice(0, at))) return ''
  return /^`+/.exec(line.slice(at))?.[0] ?? ''
}

const maxIndentation = 60

type Options = NonNullable<Parameters<typeof htmlToMarkdown>[1]>

function toMarkdown(html: string): string {
  return converted(html, {})
}

function toText(html: string): string {
  return converted(html, { format: 'text' })
}

/** The library throws on a row without a table, and may on others: the words of a page are worth more than its tables. */
function converted(html: string, options: Options): string {
  try {
    return htmlToMarkdown(html, options)
  } catch {
    return htmlToMarkdown(
      html.replace(tableTags, (_, slash: string) => `<${slash}div>`),
      options,
    )
  }
}

const tableTags = /<(\/?)(?:table|thead|tbody|tfoot|tr|th|td|caption)(?=[\s>])(?:[^>"]|"[^"]*")*>/g
