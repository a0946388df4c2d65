/** How many searches, pages and minutes a research may use. */
export type ResearchEffort = 'low' | 'medium' | 'high'

/** The progress of a research. Not part of the answer. */
export type ResearchStep =
  /** The planned questions. Sent again for each later round with its new questions. */
  | { readonly kind: 'outline'; readonly questions: readonly string[] }
  /** A page was found and read. */
  | { readonly kind: 'page'; readonly url: string; readonly title: string }
  /** One line on what happens next, or what failed. */
  | { readonly kind: 'note'; readonly text: string }
