/** The first and the longest wait. */
export interface BackOff {
  /** The first wait; each later one may be twice as long as the one before. */
  readonly firstMs: number
  readonly maxMs: number
}

/** How long to wait after so many failures: the first wait is for 0. Without jitter. */
export function backOffMs(failures: number, { firstMs, maxMs }: BackOff): number {
  return Math.min(firstMs * 2 ** failures, maxMs)
}

/** Full jitter: any time up to that, so that callers that failed together do not retry together. `random`: 0 to 1. */
export function jitteredMs(failures: number, backOff: BackOff, random: () => number = Math.random): number {
  return backOffMs(failures, backOff) * random()
}
