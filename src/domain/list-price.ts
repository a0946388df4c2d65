/** US dollars, by the vendor's public list. What a subscription pays is another matter. */
export interface ListPrice {
  /** For 1,000,000 tokens. */
  readonly input: number
  readonly output: number
}

/** When these prices were looked up. */
export const pricesAsOf = '2026-11'

/** For 1,000 searches with the search tool. */
const perThousandSearches = 10

const prices: Readonly<Record<string, ListPrice>> = {
  haiku: { input: 1, output: 5 },
  sonnet: { input: 3, output: 15 },
  opus: { input: 5, output: 25 },
}

/** What searches and tokens of a Claude model cost by the list; `undefined` for other models. */
export function listPriceOf(
  model: string,
  { searches, inputTokens, outputTokens }: { searches: number; inputTokens: number; outputTokens: number },
): number | undefined {
  const family = Object.keys(prices).find((name) => model.includes(name))
  const price = family === undefined ? undefined : prices[family]
  if (!price) return undefined
  return (searches * perThousandSearches) / 1000 + (inputTokens * price.input + outputTokens * price.output) / 1e6
}
