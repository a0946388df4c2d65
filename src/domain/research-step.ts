/** How many searches, pages and minutes a research may take. */
export type ResearchEffort = 'low' | 'medium' | 'high'

/** What a research does between its searches, for those who wait. No part of the answer. */
export type ResearchStep =
  /** What it is going to look for. Comes again with the further questions of a later round. */
  | { readonly kind: 'plan'; readonly questions: readonly string[] }
  /** A page was found and read. */
  | { readonly kind: 'page'; readonly url: string; readonly title: string }
  /** One line on what happens next, or what failed. */
  | { readonly kind: 'note'; readonly text: string }
