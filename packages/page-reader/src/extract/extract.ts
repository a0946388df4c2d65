import { PageError } from '../page-error.ts'
import { decodeText } from './charset.ts'
import type { Extracted, Extraction } from './extracted.ts'
import { type BodyKind, kindOf } from './kind.ts'

/** Reads what is in the body of a page. Throws a `PageError`. Takes the processor for itself: run it in a process of its own. */
export async function extract(extraction: Extraction): Promise<Extracted> {
  const { body, contentType, url, mainContentOnly, isRough, site } = extraction
  try {
    const extracted = site ? (await import('./site-form.ts')).extractForm(extraction, site) : await extractBody()
    const { markdown, text, html } = extracted.contents
    if (markdown.length + text.length + html.length > maxCharacters)
      throw new PageError('too-large', 'The page becomes too long when it is read.')
    return extracted
  } catch (error) {
    if (error instanceof PageError) throw error
    throw new PageError('failed', 'The page could not be read: its content could not be parsed.', { cause: error })
  }

  async function extractBody(): Promise<Extracted> {
    const { kind, type } = kindOf(body, contentType)
    return { contentType: type, ...(await extractAs(kind, type)) }
  }

  async function extractAs(known: BodyKind, type: string): Promise<Omit<Extracted, 'contentType'>> {
    if (known === 'pdf') return (await import('./pdf.ts')).extractPdf(body, isRough)
    const text = decodeText(body, contentType)
    if (known === 'text') return (await import('./plain.ts')).extractText(text, /plain|markdown/.test(type))
    const { extractHtml, extractRough } = await import('./html.ts')
    return isRough ? extractRough(text, url) : extractHtml(text, url, mainContentOnly)
  }
}

/** In all formats. The server takes them over in one turn; a page of 2 MB has a third of it. */
const maxCharacters = 16_000_000
