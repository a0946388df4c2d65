import { escapeUTF8 } from 'entities'
import { PageError } from '../../domain/page.ts'
import { plainText } from '../../lib/text.ts'
import type { Extracted } from './extracted.ts'

/** Text, Markdown, JSON and their like, as they are. */
export function extractText(text: string): Omit<Extracted, 'contentType'> {
  const content = plainText(text).trim()
  if (!content) throw new PageError('no-content', 'The page is empty.')
  const title = /^#[ \t]+(\S.{0,300})$/m.exec(content.slice(0, 2000))?.[1]?.trim()
  return { contents: contentsOfText(content), title, links: [] }
}

export function contentsOfText(text: string): Extracted['contents'] {
  return { markdown: text.replace(foreignLink, '$& '), text, html: `<pre>${escapeUTF8(text)}</pre>` }
}

/** Behind what a space belongs, so that no link leads to a file, a share or a script. */
const foreignLink =
  /\](?=[(:]\s{0,10}<?(?:(?:file|smb|javascript|vbscript|data):|\\\\))|<(?=(?:file|smb|javascript|vbscript|data):)/gi
