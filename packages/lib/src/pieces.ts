import { TurnClock } from './turn-clock.ts'

/** Work that can pause: it yields between pieces of about a millisecond each. */
export type Pieces<Result> = Generator<void, Result, undefined>

/** Does work at once, to its end. */
export function finished<Result>(work: Pieces<Result>): Result {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
  }
}

/** Does work piece by piece, and others in between. */
export async function inPieces<Result>(work: Pieces<Result>): Promise<Result> {
  const turns = new TurnClock()
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
    await turns.rest()
  }
}
