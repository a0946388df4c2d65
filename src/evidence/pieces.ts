/** Work that can pause: it yields between pieces of about a millisecond each. */
export type Pieces<Result> = Generator<void, Result, undefined>

/** Does work at once, to its end. */
export function finished<Result>(work: Pieces<Result>): Result {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
  }
}

/** Does work a few pieces at a time, and others in between. */
export async function inPieces<Result>(work: Pieces<Result>): Promise<Result> {
  for (let count = 1; ; count++) {
    const { done, value } = work.next()
    if (done) return value
    if (count % piecesAtOnce === 0) await new Promise((resolve) => setTimeout(resolve))
  }
}

const piecesAtOnce = 2
