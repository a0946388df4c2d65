/** Median, 90th and 99th percentile and count of a series, in the unit of its values. */
export interface Summary {
  readonly median: number
  readonly p90: number
  readonly p99: number
  readonly count: number
}

/** Summarises a series of at least one value. The percentiles are of the nearest rank: the largest of few values. */
export function summarise(values: readonly number[]): Summary {
  const sorted = [...values].sort((left, right) => left - right)
  const rank = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
  return { median: rank(0.5), p90: rank(0.9), p99: rank(0.99), count: sorted.length }
}
