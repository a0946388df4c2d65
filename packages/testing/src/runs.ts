/** The number of random inputs to try: `usual` in the weekly job, and a twentieth of that by default. */
export function runs(usual: number): number {
  return Math.ceil(usual * Number(process.env['PROPERTY_RUNS'] ?? 0.05))
}

/** As many of these rows as `runs` says, evenly spread: all of them, or a part. */
export function sampled<T>(rows: readonly T[]): readonly T[] {
  const count = runs(rows.length)
  return Array.from({ length: count }, (_, at) => rows[Math.floor((at * rows.length) / count)] as T)
}
