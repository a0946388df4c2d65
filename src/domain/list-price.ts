import { claudeModels } from './claude-models.ts'

/** US dollars per 1,000 searches with the search tool. */
const perThousandSearches = 10

/** The list price of searches and tokens of a Claude model in US dollars; `undefined` if unknown. */
export function listPriceOf(
  model: string,
  { searches, inputTokens, outputTokens }: { searches: number; inputTokens: number; outputTokens: number },
): number | undefined {
  const price = Object.entries(claudeModels).find(([name]) => model.includes(name))?.[1].price
  if (!price) return undefined
  return (searches * perThousandSearches) / 1000 + (inputTokens * price.input + outputTokens * price.output) / 1e6
}
