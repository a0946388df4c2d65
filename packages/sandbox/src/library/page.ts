/** A page of the library: true text that was written for the sandbox. */
export interface LibraryPage {
  readonly site: LibrarySite
  readonly path: string
  readonly title: string
  /** `YYYY-MM-DD` */
  readonly publishedAt: string
  /**
   * A small part of Markdown: paragraphs, `## ` headings, `- ` lists, `| ` tables whose first row is their head, and code
   * indented by four spaces. Each sentence can stand by itself, since answers are made of them.
   */
  readonly text: string
}

/** A subject by the name that people read, and its pages. */
export interface Subject {
  readonly name: string
  /** Words and pairs of words, with commas between them. A question that has one of them is about this subject. */
  readonly about: string
  readonly pages: readonly LibraryPage[]
}

export type LibrarySite = keyof typeof sites

/** The names of the sites by their hosts. The hosts are reserved for examples: no page of theirs is on the web. */
export const sites = {
  'library.csp.example': 'Sandbox Library',
  'encyclopedia.csp.example': 'Sandbox Encyclopedia',
  'handbook.csp.example': 'Sandbox Handbook',
  'kitchen.csp.example': 'Sandbox Kitchen',
  'almanac.csp.example': 'Sandbox Almanac',
  'review.csp.example': 'Sandbox Review',
} as const
