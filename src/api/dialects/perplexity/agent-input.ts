import { z } from 'zod'
import { chooseModel, choosePreset, isKnownModel, type ModelChoice, type ModelMap } from '../../../domain/model.ts'
import {
  type AnswerRequest,
  answerOrText,
  type Category,
  type SearchFilters,
  type TextRequest,
} from '../../../domain/search.ts'
import { refused, unknownModel } from '../../exchange/refusal.ts'
import { optional } from '../../fields/field.ts'
import { locationField, readLocation } from '../../fields/location.ts'
import { readResponseFormat, responseFormatField } from '../shared/chat/format.ts'
import { readFunctions, type SentFunction } from '../shared/chat/tools.ts'
import { joined } from '../shared/chat/turns.ts'
import {
  answerLanguageField,
  answerLanguageHint,
  ignoredFilters,
  perplexityFilterFields,
  readPerplexityFilters,
} from '../shared/perplexity-filters.ts'
import {
  flatToolField,
  ignoredItems,
  ignoredToolFields,
  readFlatFunction,
  readItems,
  responsesInputField,
} from '../shared/responses/items.ts'
import { isSonar } from '../shared/sources.ts'

export type AgentInput = z.output<typeof agentInput>

const toolField = flatToolField.extend({
  filters: optional(z.looseObject(perplexityFilterFields)),
  user_location: locationField,
})

/** The request of Perplexity's Agent API. Fields that are only echoed are not checked. */
export const agentInput = z.object({
  preset: optional(z.string()),
  model: optional(z.string()),
  models: optional(z.array(z.string()).min(1).max(5)),
  input: responsesInputField,
  instructions: optional(z.string()),
  language_preference: answerLanguageField,
  tools: optional(z.array(toolField).max(128)),
  parallel_tool_calls: optional(z.boolean()),
  response_format: responseFormatField,
  stream: optional(z.boolean()),
  background: optional(z.boolean()),
  previous_response_id: optional(z.string()),
})

/** Translates a request to an agent into a search. Throws a `Refusal`, `unknown-model` among them. */
export function readAgent(input: AgentInput, models: ModelMap): AnswerRequest | TextRequest {
  refuseStored(input)
  const { instructions, ...conversation } = readItems(input.input)
  const { functions, filters, searches } = readTools(input.tools ?? [])
  const model = readModel(input, models)
  // A preset and a Sonar model always search; another model has only the tools of the request.
  const isSearcher = input.preset !== undefined || model === undefined || isSonar(model.name)
  return answerOrText(isSearcher || searches, {
    ...conversation,
    instructions: joined([input.instructions, instructions, answerLanguageHint(input.language_preference)]),
    ...(readPreset(input.preset) ??
      (model ? { effort: model.effort, research: model.research } : { effort: 'standard' })),
    model: model?.model,
    filters,
    ...readFunctions(functions, undefined),
    schema: readResponseFormat(input.response_format),
  })
}

/** The fields of a request that were set and have no effect. */
export function ignoredAgentFields({ input, tools = [] }: AgentInput): readonly string[] {
  const inTools = tools.flatMap((tool, index) => {
    if (!Object.hasOwn(findingTools, tool.type)) return []
    const filters = tool.filters ? ignoredFilters(tool.filters) : []
    return [...filters.map((name) => `tools[${index}].filters.${name}`), ...ignoredToolFields(tool, index)]
  })
  return [...ignoredItems(input), ...inTools]
}

/** The search tools, and the category of each. */
const findingTools: Readonly<Record<string, Category | undefined>> = {
  web_search: undefined,
  fetch_url: undefined,
  people_search: 'people',
  finance_search: 'finance',
}

interface SentTools {
  readonly functions: readonly SentFunction[]
  readonly filters: SearchFilters
  /** Whether any of the tools searches. */
  readonly searches: boolean
}

function readTools(tools: readonly z.output<typeof toolField>[]): SentTools {
  const finds = ({ type }: { readonly type: string }) => Object.hasOwn(findingTools, type)
  const functions = tools.flatMap((tool, index) => (finds(tool) ? [] : readFlatFunction(tool, ['tools', index])))
  const finding = tools.filter(finds)
  const place = tools.findIndex(({ type }) => type === 'web_search')
  const { filters, user_location } = tools[place] ?? {}
  const read = filters ? readPerplexityFilters(filters, ['tools', place, 'filters']) : {}
  const location = readLocation(user_location)
  const category = place < 0 ? finding.map(({ type }) => findingTools[type]).find(Boolean) : undefined
  return {
    functions,
    filters: { ...read, ...location, country: location.country ?? read.country, category },
    searches: finding.length > 0,
  }
}

function readModel(input: AgentInput, models: ModelMap) {
  const name = agentModel(input, models)
  if (name === undefined) return undefined
  const choice = chooseModel(name, models)
  if (!choice) throw unknownModel(name)
  return { name, ...choice }
}

/** The model that is asked for: of a list the first that means something here, as the others are fallbacks. */
export function agentModel({ model, models: more = [] }: AgentInput, models: ModelMap): string | undefined {
  const names = model === undefined ? more : [model]
  return names.find((name) => isKnownModel(name, models)) ?? names[0]
}

function readPreset(preset: string | undefined): ModelChoice | undefined {
  const choice = preset === undefined ? undefined : choosePreset(preset)
  if (preset === undefined || choice) return choice
  const message = 'Input should be fast, low, medium, high or xhigh'
  throw refused(['preset'], message)
}

/** csp stores no replies, so it can neither continue one nor return it later. */
function refuseStored({ background, previous_response_id }: AgentInput): void {
  if (background) throw refused(['background'], 'Background responses are not supported')
  if (previous_response_id) throw refused(['previous_response_id'], 'Responses are not stored; send the whole input')
}
