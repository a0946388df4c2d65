import { z } from 'zod'

/** The most that a server is believed: no reply has so many tokens, and sums of it stay exact. */
const most = 1e9

/** A count as a server tells it, such as of tokens: a whole number, never negative. Anything else is no count. */
export const toldCount = z.number().min(0).max(most).transform(Math.round)
