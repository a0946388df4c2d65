import { z } from 'zod'
import { chooseModel, type ModelChoice, type ModelMap } from '../../../../domain/model.ts'
import { type AnswerRequest, answerOrText, type TextRequest } from '../../../../domain/search.ts'
import { refused, unknownModel } from '../../../exchange/refusal.ts'
import { ignoredFields, optional } from '../../../fields/field.ts'
import { ignoredLocation, locationFields, readLocation } from '../../../fields/location.ts'
import { unknownFields, withoutEffect } from '../../../http/unread.ts'
import {
  answerLanguageField,
  answerLanguageHint,
  categoryOf,
  ignoredFilters,
  perplexityFilterFields,
  readPerplexityFilters,
  searchModeField,
} from '../perplexity-filters.ts'
import { effortField, isResearchName, withEffort } from '../research.ts'
import { isSonar } from '../sources.ts'
import { readResponseFormat, responseFormatField } from './format.ts'
import { messagesField, readMessages } from './messages.ts'
import { chatToolFields, isSearchTool, readChatTools } from './tools.ts'
import { joined } from './turns.ts'

export type ChatInput = z.output<typeof chatInput>

/**
 * A chat completion as OpenAI defined it, with the search fields that Perplexity added: many clients of one vendor send
 * the fields of the other, and both vendors accept them.
 */
export const chatInput = z.object({
  model: optional(z.string()),
  messages: messagesField,
  stream: optional(z.boolean()),
  stream_options: optional(z.object({ include_usage: optional(z.boolean()) })),
  stream_mode: optional(z.enum(['full', 'concise'])),
  n: optional(z.int().min(1)),
  reasoning_effort: effortField,
  ...chatToolFields,
  parallel_tool_calls: optional(z.boolean()),
  functions: optional(z.array(z.unknown())),
  response_format: responseFormatField,
  stop: optional(z.union([z.string().transform((text) => [text]), z.array(z.string()).max(4)])),
  disable_search: optional(z.boolean()),
  search_mode: searchModeField,
  language_preference: answerLanguageField,
  num_search_results: optional(z.int().min(1).max(100)),
  return_images: withoutEffect(optional(z.boolean())),
  return_related_questions: withoutEffect(optional(z.boolean())),
  safe_search: optional(z.boolean()),
  web_search_options: optional(
    z.object({
      search_context_size: withoutEffect(optional(z.enum(['low', 'medium', 'high']))),
      user_location: optional(
        // Perplexity has the place here, OpenAI one level further in.
        z.object({ ...locationFields, approximate: optional(z.object(locationFields)) }),
      ),
    }),
  ),
  ...perplexityFilterFields,
})

/** The fields of a chat that were set and have no effect. */
export function ignoredChatFields(input: ChatInput): readonly string[] {
  // A chat always searches: a tool that says so has nothing to add.
  const inTools = (input.tools ?? []).flatMap((tool, index) =>
    isSearchTool(tool) ? unknownFields(tool, ['type', 'name'], `tools[${index}].`) : [],
  )
  const effort = isResearchName(input.model) ? [] : ignoredFields(input, ['reasoning_effort'])
  const { approximate, ...place } = input.web_search_options?.user_location ?? {}
  const inPlace = [...ignoredLocation(place, ''), ...ignoredLocation(approximate, 'approximate.')]
  return [
    ...ignoredFilters(input),
    ...effort,
    ...inTools,
    ...inPlace.map((name) => `web_search_options.user_location.${name}`),
  ]
}

/** Translates a chat into a search. Throws a `Refusal`, `unknown-model` among them. */
export function readChat(input: ChatInput, models: ModelMap): AnswerRequest | TextRequest {
  refuseUnsupported(input)
  const { instructions, ...conversation } = readMessages(input.messages)
  const { isPlain = false, ...model } = withEffort(readModel(input.model, models), input.reasoning_effort)
  const place = input.web_search_options?.user_location
  const location = readLocation(place?.approximate ?? place)
  const filters = readPerplexityFilters(input)
  const stop = input.stop?.filter(Boolean) ?? []
  const isSearch = wantsSearch(input, isPlain) && !isBackgroundPrompt(conversation.query)
  const prompted = {
    ...conversation,
    instructions: joined([instructions, answerLanguageHint(input.language_preference)]),
    ...model,
    filters: {
      ...filters,
      ...location,
      country: location.country ?? place?.country ?? filters.country,
      category: categoryOf(input.search_mode),
      safeSearch:
        input.safe_search === undefined ? undefined : input.safe_search ? ('strict' as const) : ('off' as const),
    },
    ...readChatTools(input),
    schema: readResponseFormat(input.response_format),
    stop: stop.length > 0 ? stop : undefined,
  }
  return answerOrText(isSearch, prompted, { limit: input.num_search_results })
}

/**
 * A chat is a question for the web by default. But a caller with functions of its own has an agent that decides what to
 * look up; a search before each of its steps would cost much and answer nothing. It gets plain inference, unless it
 * requests search in one of the vendors' ways. So does a caller who names a model of plain inference.
 */
function wantsSearch({ disable_search, tools = [], web_search_options, model = '' }: ChatInput, isPlain: boolean) {
  if (disable_search) return false
  if (web_search_options !== undefined || tools.some(isSearchTool)) return true
  const bringsFunctions = tools.length > 0
  return !isPlain && (!bringsFunctions || isSonar(model))
}

/**
 * Whether a client asks for its own use, not for its user: Open WebUI has the model of a chat write the chat's title,
 * tags and next questions. A search would cost much, and its prose is not the JSON that the client expects.
 */
function isBackgroundPrompt(query: string): boolean {
  return query.startsWith('### Task:') && query.includes('<chat_history>')
}

/** Finds the model of a chat, or of a response. Throws a `Refusal` of the code `unknown-model`. */
export function readModel(name: string | undefined, models: ModelMap): ModelChoice {
  if (name === undefined) return { effort: 'standard' }
  const choice = chooseModel(name, models)
  if (choice) return choice
  throw unknownModel(name)
}

/** Refuses unsupported fields that would change the answer. */
function refuseUnsupported({ n = 1, functions = [] }: ChatInput): void {
  // Each choice would cost a search of its own.
  if (n > 1) throw refused(['n'], 'Only one choice is supported')
  if (functions.length > 0) throw refused(['functions'], 'Legacy functions are not supported; use tools')
}
