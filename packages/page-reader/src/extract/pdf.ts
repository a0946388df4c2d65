import { timedOut, withTimeout } from '@csp/lib/abort'
import type { PDFDocumentProxy } from 'unpdf/pdfjs'
import { PageError } from '../page-error.ts'
import { dateOf } from './dates/written.ts'
import type { Extracted } from './extracted.ts'
import { line } from './metadata.ts'
import { contentsOfBlocks, withoutRunningHeads } from './pdf-blocks.ts'
import { linesOn, type PdfLine } from './pdf-lines.ts'

/** Reads the text of a PDF, page by page. Of a long one only the pages that fit into the time and the size; the text says so. */
export async function extractPdf(
  body: Uint8Array,
  isRough: boolean | undefined,
  ms = isRough ? roughBudgetMs : budgetMs,
): Promise<Omit<Extracted, 'contentType'>> {
  const until = performance.now() + ms
  const { getDocumentProxy, getMeta } = await import('unpdf')
  const document = await getDocumentProxy(body, { verbosity: 0 }).catch((cause: unknown) => {
    const isLocked = cause instanceof Error && cause.name === 'PasswordException'
    const message = isLocked ? 'The PDF needs a password.' : 'Invalid or damaged PDF.'
    throw new PageError('unsupported-type', message, { cause })
  })
  const { pages, isCut } = await pagesOf(document, until)
  const { contents, heading } = contentsOfBlocks(withoutRunningHeads(pages))
  if (!contents.text && isCut) throw new PageError('timeout', 'The PDF takes too long to read.')
  if (!contents.text) throw new PageError('empty', 'There is no text in the PDF. It may hold pictures of pages.')
  const { info } = await getMeta(document).catch(() => ({ info: {} as Record<string, unknown> }))
  const said = (name: string) => (typeof info[name] === 'string' ? info[name] : undefined)
  const notice = `[These are the first ${pages.length} of ${document.numPages} pages. csp stopped reading there.]`
  return {
    contents: isCut && !isRough ? withNotice(contents, notice) : contents,
    title: line(titleOf(said('Title')) ?? heading, 500),
    author: line(said('Author'), 200),
    publishedAt: dateOf(said('CreationDate')?.replace(/^D:/, '').slice(0, 8)),
    modifiedAt: dateOf(said('ModDate')?.replace(/^D:/, '').slice(0, 8)),
    links: [],
  }
}

/** For the pages of a PDF. The process has 10 s for all of it, and 3 s for a rough read. */
const budgetMs = 6000
const roughBudgetMs = 1200
/** Three formats of it fit into a reply. */
const maxCharacters = 2_500_000

async function pagesOf(document: PDFDocumentProxy, until: number): Promise<{ pages: PdfLine[][]; isCut: boolean }> {
  const pages: PdfLine[][] = []
  let characters = 0
  for (let number = 1; number <= document.numPages; number++) {
    const msLeft = until - performance.now()
    const lines =
      msLeft > 0 && characters < maxCharacters ? await withTimeout(linesOf(document, number), msLeft) : timedOut
    if (lines === timedOut) return { pages, isCut: true }
    pages.push(lines)
    for (const { text } of lines) characters += text.length
  }
  return { pages, isCut: false }
}

/** A damaged page has none; the others are read all the same. */
async function linesOf(document: PDFDocumentProxy, number: number): Promise<PdfLine[]> {
  try {
    const page = await document.getPage(number)
    const lines = await linesOn(page)
    page.cleanup()
    return lines
  } catch {
    return []
  }
}

function withNotice({ markdown, text, html }: Extracted['contents'], notice: string): Extracted['contents'] {
  return { markdown: `${markdown}\n\n${notice}`, text: `${text}\n\n${notice}`, html: `${html}\n<p>${notice}</p>` }
}

/** Programs write the name of a file where nobody has written a title. */
function titleOf(said = ''): string | undefined {
  return /^(?:untitled|microsoft word\b.*|\S+\.(?:docx?|dvi|indd|pages|pdf|pptx?|rtf|tex|xlsx?))?$/i.test(said.trim())
    ? undefined
    : said
}
