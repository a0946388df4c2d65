import { claudeModels } from './claude-models.ts'

/** For 1,000 searches with the search tool. */
const perThousandSearches = 10

/** What searches and tokens of a Claude model cost by the list; `undefined` where that is unknown. */
export function listPriceOf(
  model: string,
  { searches, inputTokens, outputTokens }: { searches: number; inputTokens: number; outputTokens: number },
): number | undefined {
  const price = Object.entries(claudeModels).find(([name]) => model.includes(name))?.[1].price
  if (!price) return undefined
  return (searches * perThousandSearches) / 1000 + (inputTokens * price.input + outputTokens * price.output) / 1e6
}
