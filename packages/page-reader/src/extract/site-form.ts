import { parseJson } from '@csp/lib/json'
import { escapeUTF8 } from 'entities'
import { PageError } from '../page-error.ts'
import type { SitePage } from '../sites/site.ts'
import { type SiteName, sites } from '../sites/sites.ts'
import type { Extracted, Extraction } from './extracted.ts'
import { extractHtml, extractRough } from './html.ts'
import { line } from './metadata.ts'
import { extractText } from './plain.ts'

/** Reads the form of a page that its site offers to programs. Its text does not say what the page is; its site does. */
export function extractForm({ body, url, isRough }: Extraction, site: SiteName): Extracted {
  const parts = parseJson(new TextDecoder().decode(body))
  const page = Array.isArray(parts) ? sites[site].read(parts, new URL(url)) : undefined
  if (!page) throw new PageError('empty', 'The reply of the site for this page cannot be read.')
  const { title, siteName, author, publishedAt, kind } = page
  return {
    ...contentOf(page, url, isRough),
    title: line(title, 500),
    siteName,
    author: line(author, 200),
    publishedAt,
    publishedBy: publishedAt && 'site',
    kind,
  }
}

function contentOf(
  page: SitePage,
  url: string,
  isRough: boolean | undefined,
): Pick<Extracted, 'contentType' | 'contents' | 'links'> {
  if ('markdown' in page) return { contentType: 'text/markdown', ...extractText(page.markdown) }
  const html = `<!doctype html><head><base href="${escapeUTF8(url)}"></head><body>${page.html}</body>`
  const { contents, links } = isRough ? extractRough(html, url, false) : extractHtml(html, url, false)
  return { contentType: 'text/html', contents, links }
}
