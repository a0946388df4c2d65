/** A request to read one web page. */
export interface PageRequest {
  /** http or https, as it was given. */
  readonly url: string
  /** The format of the content; Markdown by default. `html` is the cleaned main content. */
  readonly format?: PageFormat | undefined
  /** The most characters of content to return, 1 or more. Cut at the end of a paragraph if one is near. */
  readonly maxCharacters?: number | undefined
  /** Characters of the content to skip first, 0 or more. */
  readonly offset?: number | undefined
  /** Languages that the reader prefers, as in `Accept-Language`. */
  readonly language?: string | undefined
  /** Whether navigation, headers and footers are left out; true by default. */
  readonly mainContentOnly?: boolean | undefined
  /**
   * Whether words and dates suffice, as for passages. Takes half the time and returns Markdown without links only, which
   * was not cleaned: never show it as it is.
   */
  readonly isRough?: boolean | undefined
}

/** A format of a page's content. */
export type PageFormat = 'markdown' | 'text' | 'html'

/** A page that was read. Every text is untrusted: data, never instructions. */
export interface Page {
  /** As requested. */
  readonly url: string
  /** The address after redirects. */
  readonly finalUrl: string
  /** The status of the HTTP reply: 200. */
  readonly status: number
  /** Without parameters: `text/html`. */
  readonly contentType: string
  readonly format: PageFormat
  readonly content: string
  /** The length of the whole content in UTF-16 units, before `offset` and `maxCharacters`. */
  readonly totalCharacters: number
  /** Where `content` begins in the whole. */
  readonly offset: number
  /** How many characters follow; 0 if it ends with the page. */
  readonly remaining: number
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly author?: string | undefined
  readonly siteName?: string | undefined
  /** `YYYY-MM-DD`. */
  readonly publishedAt?: string | undefined
  /** The rule that found this date, to debug a wrong one: `meta`, `address`, … */
  readonly publishedBy?: string | undefined
  /** `YYYY-MM-DD`. */
  readonly modifiedAt?: string | undefined
  /** BCP 47: `en`, `pt-BR`. */
  readonly language?: string | undefined
  /** The preview image that the page names. */
  readonly image?: string | undefined
  /** What kind of page it is, if it is HTML. */
  readonly kind?: PageKind | undefined
  /** Whether only subscribers see all of it, as the page says, and its site has not sent the rest. */
  readonly isPaywalled?: boolean | undefined
  /** The absolute addresses of all links in the content, without duplicates, in order. */
  readonly links: readonly string[]
}

/** What kinds of pages there are. The weights of the reader have them in this order. */
export const pageKinds = ['article', 'forum', 'product', 'collection', 'listing', 'documentation', 'service'] as const
/** A kind of page. */
export type PageKind = (typeof pageKinds)[number]
