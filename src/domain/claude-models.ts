import type { ClaudeFamily } from '@csp/messages-api/claude-families'

/** US dollars per million tokens, from the vendor's public price list. A subscription does not pay by token. */
interface ListPrice {
  readonly input: number
  readonly output: number
}

interface ClaudeModel {
  /** The full name of the newest version: the API accepts no short names. */
  readonly fullName: string
  /** Absent if unknown. */
  readonly price?: ListPrice | undefined
}

/** When full names and prices were looked up. */
export const pricesAsOf = '2026-11'

const byFamily: Readonly<Record<ClaudeFamily, ClaudeModel>> = {
  haiku: { fullName: 'claude-haiku-5-5', price: { input: 1, output: 5 } },
  sonnet: { fullName: 'claude-sonnet-5-5', price: { input: 3, output: 15 } },
  opus: { fullName: 'claude-opus-5-5', price: { input: 5, output: 25 } },
  fable: { fullName: 'claude-fable-5-2' },
}

/** The families of Claude's models, by short name. The ones that the CLI lists are added to these. */
export const claudeModels: Readonly<Record<string, ClaudeModel>> = byFamily

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

/** A short name that the CLI offers, and the model that it stands for. */
export interface OfferedModel {
  readonly name: string
  readonly fullName: string
  readonly title: string
}
