import { plainText } from '@csp/lib/text'
import { decodeHTML, escapeUTF8 } from 'entities'
import { PageError } from '../page-error.ts'
import type { Extracted } from './extracted.ts'

/** Text, Markdown, JSON and their like, as they are. `hasTitle`: whether a line after `#` is a title; in programs it is a comment. */
export function extractText(text: string, hasTitle = true): Omit<Extracted, 'contentType'> {
  const content = plainText(text).trim()
  if (!content) throw new PageError('empty', 'The page is empty.')
  const title = !hasTitle ? undefined : /^#[ \t]+(\S.{0,300})$/m.exec(content.slice(0, 2000))?.[1]?.trim()
  return { contents: contentsOfText(content), title, links: [] }
}

export function contentsOfText(text: string): Extracted['contents'] {
  return { markdown: withoutForeignLinks(text), text, html: `<pre>${escapeUTF8(text)}</pre>` }
}

/** Where a link would lead to a file, a share or a script, however a reader decodes its address, its label has no end. */
function withoutForeignLinks(markdown: string): string {
  return markdown
    .replace(label, (end, slashes: string, sign, address) => {
      const isEscaped = sign === '(' && slashes.length % 2 === 1
      if (isEscaped || !isForeign(address)) return end
      return sign === '(' ? `${slashes}\\]` : `${end} `
    })
    .replace(/<(?=(?:file|smb|javascript|vbscript|data):)/gi, '$& ')
}

/** The end of a label with what stands behind it, up to its first slash. */
const label = /(?<!\\)(\\*)\](?=([(:])[\s>]*(<[^>/?\n]{0,300}|[^/?)\s]{0,300}))/g

/** Reads an address up to its first slash. One whose scheme does not end there hides it. */
function isForeign(address: string): boolean {
  const read = decodeHTML(address).replace(/\\(?=[!-/:-@[-`{-~])|[\0-\x20\x7f]/g, '')
  return address.length >= 300 || /^<?(?:(?:file|smb|javascript|vbscript|data):|\\)/i.test(read)
}
