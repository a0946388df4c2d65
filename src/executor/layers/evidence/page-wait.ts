import type { CitedPages } from './cited-pages.ts'

/**
 * How long answers wait for pages that were not read before they were cited. Where none came in time for the last one,
 * the next does not wait: its pages are read behind the reply all the same, and once one comes in time, answers wait again.
 */
export class PageWait {
  readonly #waitMs: number
  #isVain: boolean
  #begun = 0
  /** The latest answer that has shown whether its pages come in time. */
  #learnt = 0

  /** `isVain`: the first answer does not wait either. */
  constructor(waitMs: number, isVain = false) {
    this.#waitMs = waitMs
    this.#isVain = isVain
  }

  /** For an answer whose text is whole. */
  begin(cited: Pick<CitedPages, 'comeWithin'>): number {
    const waitMs = this.#isVain ? knownMs : this.#waitMs
    const turn = ++this.#begun
    cited.comeWithin(this.#waitMs).then((come) => {
      // What an older answer learns late says nothing of now.
      if (come === undefined || turn < this.#learnt) return
      this.#learnt = turn
      this.#isVain = !come
    })
    return waitMs
  }
}

export const maxWaitMs = 800
export const maxFastWaitMs = 300
/** A page that csp has read before comes sooner, on a busy machine too. */
const knownMs = 100
