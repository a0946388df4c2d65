import { z } from 'zod'
import { chooseModel, type ModelMap } from '../domain/model.ts'
import type { SearchRequest } from '../domain/search.ts'
import { messagesField, readMessages } from './chat-messages.ts'
import { optional } from './field.ts'
import { perplexityFilterFields, readPerplexityFilters } from './perplexity-filters.ts'
import { countryField } from './place-field.ts'
import { invalid, Refusal } from './refusal.ts'

export type ChatInput = z.output<typeof chatInput>

/**
 * A chat completion as OpenAI defined it, with the search fields that Perplexity added: many clients of the one send
 * the fields of the other, and both hosts of this API accept them.
 */
export const chatInput = z.object({
  model: optional(z.string()),
  messages: messagesField,
  stream: optional(z.boolean()),
  stream_options: optional(z.object({ include_usage: optional(z.boolean()) })),
  n: optional(z.int().min(1)),
  tools: optional(z.array(z.unknown())),
  functions: optional(z.array(z.unknown())),
  response_format: optional(z.looseObject({ type: z.string() })),
  disable_search: optional(z.boolean()),
  num_search_results: optional(z.int().min(1).max(100)),
  web_search_options: optional(
    z.object({
      search_context_size: optional(z.enum(['low', 'medium', 'high'])),
      user_location: optional(
        // Perplexity has the country here, OpenAI one level further in.
        z.object({
          country: optional(countryField),
          approximate: optional(z.object({ country: optional(countryField) })),
        }),
      ),
    }),
  ),
  ...perplexityFilterFields,
})

/** Translates a chat into a search. Throws a `Refusal`, `unknown-model` among them. */
export function readChat(input: ChatInput, models: ModelMap): SearchRequest {
  refuseUnsupported(input)
  const location = input.web_search_options?.user_location
  const filters = readPerplexityFilters(input)
  return {
    ...readMessages(input.messages),
    ...readModel(input.model, models),
    want: input.disable_search ? 'text' : 'answer',
    limit: input.num_search_results,
    filters: { ...filters, country: location?.country ?? location?.approximate?.country ?? filters.country },
  }
}

function readModel(name: string | undefined, models: ModelMap): Pick<SearchRequest, 'effort' | 'model'> {
  if (name === undefined) return { effort: 'standard' }
  const choice = chooseModel(name, models)
  if (choice) return choice
  throw unknownModel(name)
}

/** Says that a model's name means nothing here. */
export function unknownModel(name: string): Refusal {
  const message = `The model '${name}' does not exist. GET /v1/models lists those that do.`
  return new Refusal('unknown-model', message, [{ path: ['model'], type: 'value_error', message, input: name }])
}

/** What would change the answer and cannot be done is refused: to ignore it would be to answer another question. */
function refuseUnsupported({ n = 1, tools = [], functions = [], response_format }: ChatInput): void {
  if (n > 1) throw refused('n', 'Only one choice can be made')
  if (tools.length > 0) throw refused('tools', 'Tools are not supported')
  if (functions.length > 0) throw refused('functions', 'Functions are not supported')
  if (response_format && response_format.type !== 'text') {
    throw refused('response_format', `Only the format text is supported, not ${response_format.type}`)
  }
}

function refused(field: keyof ChatInput, message: string): Refusal {
  return invalid({ path: [field], type: 'value_error', message })
}
