import { z } from 'zod'
import { chooseModel, type ModelMap } from '../../../domain/model.ts'
import type { SearchRequest } from '../../../domain/search.ts'
import { refused } from '../../exchange/refusal.ts'
import { booleanField, integerField, nameField, optional } from '../../fields/field.ts'
import { languageField } from '../../fields/places.ts'
import { ordinaryQuery, queryField } from '../../fields/query.ts'
import { withoutEffect } from '../../http/unread.ts'
import { braveCountryField, readCountry } from './search.ts'

export type BraveAnswersInput = z.output<typeof braveAnswersInput>

/** The parameters of Brave's answers: one question, no conversation. */
export const braveAnswersInput = z.object({
  messages: z
    .array(z.object({ role: z.enum(['user']), content: queryField({ ...ordinaryQuery, keepLines: true }) }))
    .min(1)
    .max(1),
  model: optional(z.string()),
  stream: optional(booleanField),
  stream_options: optional(z.object({ include_usage: optional(booleanField) })),
  country: optional(braveCountryField),
  language: optional(languageField),
  safesearch: optional(nameField(['off', 'moderate', 'strict'])),
  max_completion_tokens: withoutEffect(optional(integerField(1, Number.MAX_SAFE_INTEGER))),
  web_search_options: optional(z.object({ search_context_size: optional(z.enum(['low', 'medium', 'high'])) })),
  enable_citations: optional(booleanField),
  enable_entities: withoutEffect(optional(booleanField)),
  enable_research: optional(booleanField),
  research_allow_thinking: withoutEffect(optional(booleanField)),
  research_maximum_number_of_tokens_per_query: withoutEffect(optional(integerField(1024, 16384))),
  research_maximum_number_of_queries: optional(integerField(1, 50)),
  research_maximum_number_of_iterations: withoutEffect(optional(integerField(1, 5))),
  research_maximum_number_of_seconds: withoutEffect(optional(integerField(1, 300))),
  research_maximum_number_of_results_per_query: withoutEffect(optional(integerField(1, 60))),
})

/** Translates a question. Throws a `Refusal` for what the vendor does not combine. */
export function readBraveQuestion(
  input: BraveAnswersInput,
  models: ModelMap,
  headers: Headers | undefined,
): SearchRequest {
  const { messages, stream = true, enable_citations = false, enable_research = false } = input
  if (enable_research && !stream) throw refused(['enable_research'], 'Research needs stream: true')
  if (enable_research && enable_citations) {
    throw refused(['enable_citations'], 'Research always has citations; set only one of the two')
  }
  if (enable_citations && !stream) throw refused(['enable_citations'], 'Citations need stream: true')
  return {
    ...readModel(input, models),
    ...(enable_research && {
      effort: 'deep',
      research: 'medium',
      maxSearches: input.research_maximum_number_of_queries,
    }),
    query: messages.map(({ content }) => content).join('\n'),
    history: [],
    want: 'answer',
    filters: {
      country: readCountry(input.country, headers),
      language: input.language,
      safeSearch: input.safesearch,
    },
  }
}

/** The vendor's own names, or any that is known here. */
function readModel(
  { model = 'brave', web_search_options }: BraveAnswersInput,
  models: ModelMap,
): Pick<SearchRequest, 'effort' | 'model' | 'research'> {
  const known = chooseModel(model, models)
  if (known) return { effort: known.effort, model: known.model, research: known.research }
  if (!['brave', 'brave-pro'].includes(model)) throw refused(['model'], "Input should be 'brave' or 'brave-pro'")
  return { effort: web_search_options?.search_context_size === 'low' ? 'fast' : 'standard' }
}
