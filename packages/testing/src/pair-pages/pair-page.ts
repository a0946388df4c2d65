/** A sentence about a page, and in what it differs from the page: in form alone if it is right, in substance if it is wrong. */
export type Said = readonly [kind: string, sentence: string]

/** A page with sentences that it says and sentences that it does not say. Written before the code that tells them apart. */
export interface PairPage {
  /** Rules were made with the one half; the other one shows whether they hold. */
  readonly half: 'tuning' | 'held-out'
  readonly page: string
  readonly right: readonly Said[]
  readonly wrong: readonly Said[]
}
