import type { PageKind } from '../page.ts'

/** A site that offers its pages to programs in a form that is read better than the page, or at all. */
export interface Site {
  readonly forms: FormsOf
  /** Makes a page of the JSON that the addresses of a form sent; `undefined` if it is none. */
  readonly read: (parts: readonly unknown[], page: URL) => SitePage | undefined
}

/** The forms of a page, the best first; none of what is not such a page. Scheme, port and user are checked before. */
export type FormsOf = (page: URL) => readonly SiteForm[]

export interface SiteForm {
  /** Together they have the page. */
  readonly addresses: readonly string[]
  readonly accept: string
  /** Whether its host answers few requests: then a list asks it only for what it cannot read otherwise. */
  readonly isLimited?: boolean | undefined
}

/** A page as HTML or Markdown, which are untrusted and not cleaned, and what is known of it. */
export type SitePage = ({ readonly html: string } | { readonly markdown: string }) & {
  readonly title: string
  readonly siteName: string
  readonly author?: string | undefined
  readonly publishedAt?: string | undefined
  readonly kind: PageKind
}
