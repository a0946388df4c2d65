import { PageError } from '../../domain/page.ts'
import { plainText } from '../../lib/text.ts'
import { dateOf } from './dates/written.ts'
import type { Extracted } from './extracted.ts'
import { line } from './metadata.ts'
import { contentsOfText } from './plain.ts'

/** Reads the text of a PDF, page by page. */
export async function extractPdf(body: Uint8Array): Promise<Omit<Extracted, 'contentType'>> {
  const { extractText, getDocumentProxy, getMeta } = await import('unpdf')
  const document = await getDocumentProxy(body, { verbosity: 0 }).catch((cause: unknown) => {
    const isLocked = cause instanceof Error && cause.name === 'PasswordException'
    const message = isLocked ? 'The PDF needs a password.' : 'Invalid or damaged PDF.'
    throw new PageError('unsupported-type', message, { cause })
  })
  const { text } = await extractText(document, { mergePages: false })
  const content = plainText(
    text
      .map((page) => page.trim())
      .filter(Boolean)
      .join('\n\n'),
  ).trim()
  if (!content) throw new PageError('no-content', 'There is no text in the PDF. It may hold pictures of pages.')
  const { info } = await getMeta(document).catch(() => ({ info: {} as Record<string, unknown> }))
  const said = (name: string) => (typeof info[name] === 'string' ? info[name] : undefined)
  return {
    contents: contentsOfText(content),
    title: line(said('Title'), 500),
    author: line(said('Author'), 200),
    publishedAt: dateOf(said('CreationDate')?.replace(/^D:/, '').slice(0, 8)),
    modifiedAt: dateOf(said('ModDate')?.replace(/^D:/, '').slice(0, 8)),
    links: [],
  }
}
