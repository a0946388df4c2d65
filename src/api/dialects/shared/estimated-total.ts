export interface PageOfRows {
  readonly count: number
  readonly offset?: number | undefined
}

/**
 * How many rows there are, for replies that must say so: those up to this page's end, and one more behind a page that is not the last,
 * so that a client that pages by this number goes on.
 */
export function estimatedTotal(rows: number, { count, offset = 0 }: PageOfRows): number {
  return rows === 0 ? 0 : offset + rows + (rows >= count / 2 ? 1 : 0)
}
