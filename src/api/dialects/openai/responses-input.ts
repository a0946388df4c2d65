import { z } from 'zod'
import type { ModelMap } from '../../../domain/model.ts'
import { type AnswerRequest, answerOrText, type TextRequest } from '../../../domain/search.ts'
import { refused } from '../../exchange/refusal.ts'
import { ignoredFields, optional } from '../../fields/field.ts'
import { readLocation } from '../../fields/location.ts'
import { withoutEffect } from '../../http/unread.ts'
import { readTextFormat, textFormatField } from '../shared/chat/format.ts'
import { readModel } from '../shared/chat/input.ts'
import { isSearchTool, readFunctions, type SentChoice } from '../shared/chat/tools.ts'
import { joined } from '../shared/chat/turns.ts'
import { effortField, isResearchName, withEffort } from '../shared/research.ts'
import { ignoredItems, ignoredToolFields, readItems, responsesInputField } from '../shared/responses/items.ts'
import { flatName } from '../shared/responses/names.ts'
import { isSonar } from '../shared/sources.ts'
import { readTools, toolField } from './responses-tools.ts'

const namedTool = z.looseObject({ type: z.string(), name: optional(z.string()) })

/** Which tool is to be used, as OpenAI's Responses API sends it: flat. */
export const toolChoiceField = optional(
  z.union([
    z.enum(['auto', 'none', 'required']),
    z.object({ type: z.enum(['function', 'custom']), name: z.string(), namespace: optional(z.string()) }),
    z.object({ type: z.literal('allowed_tools'), mode: z.enum(['auto', 'required']), tools: z.array(namedTool) }),
    // The search itself: every answer has one anyway.
    z.object({ type: z.string().startsWith('web_search') }),
  ]),
)

/** Which of the caller's functions that means. */
export function readToolChoice(choice: z.output<typeof toolChoiceField>): SentChoice | undefined {
  if (choice === undefined || typeof choice === 'string') return choice && { choice }
  if ('name' in choice) return { choice: { name: flatName(choice.name, choice.namespace) } }
  if (!('mode' in choice)) return undefined
  const allowed = choice.tools.flatMap(({ type, name }) => (callable.has(type) && name !== undefined ? [name] : []))
  return { choice: choice.mode, allowed }
}

const callable: ReadonlySet<string> = new Set(['function', 'custom'])

export type ResponsesInput = z.output<typeof responsesInput>

/** A response as OpenAI defines it. Fields that are only echoed are not checked. */
export const responsesInput = z.object({
  model: optional(z.string()),
  input: responsesInputField,
  instructions: optional(z.string()),
  stream: optional(z.boolean()),
  tools: optional(z.array(toolField).max(128)),
  tool_choice: toolChoiceField,
  parallel_tool_calls: optional(z.boolean()),
  text: optional(z.looseObject({ format: textFormatField })),
  include: optional(z.array(z.string())),
  reasoning: optional(z.looseObject({ effort: effortField })),
  max_tool_calls: optional(z.int().min(1)),
  store: optional(z.boolean()),
  background: optional(z.boolean()),
  previous_response_id: optional(z.string()),
  conversation: optional(z.unknown()),
  prompt: optional(z.unknown()),
  metadata: optional(z.unknown()),
  temperature: withoutEffect(optional(z.unknown())),
  top_p: withoutEffect(optional(z.unknown())),
  max_output_tokens: withoutEffect(optional(z.unknown())),
})

/** Translates a response into a search. Throws a `Refusal`, `unknown-model` among them. */
export function readResponses(input: ResponsesInput, models: ModelMap): AnswerRequest | TextRequest {
  refuseStored(input)
  const { instructions, ...conversation } = readItems(input.input)
  const { functions, search } = readTools(input)
  const sent = readToolChoice(input.tool_choice)
  const { isPlain: _, ...model } = withEffort(readModel(input.model, models), input.reasoning?.effort)
  const isOffered = search !== undefined && mayBeSearched(input)
  const isSearcher = isSonar(input.model ?? '') || model.research !== undefined
  const isSearch = isOffered || (isSearcher && !namesFunction(input))
  // Search is a tool as well: where one is required, it has been used.
  const chosen = isOffered && sent?.choice === 'required' ? { ...sent, choice: 'auto' as const } : sent
  const prompted = {
    ...conversation,
    instructions: joined([input.instructions, instructions]),
    ...model,
    filters: {
      includeDomains: search?.filters?.allowed_domains,
      excludeDomains: search?.filters?.blocked_domains,
      ...readLocation(search?.user_location),
    },
    ...readFunctions(functions, chosen),
    schema: readTextFormat(input.text?.format),
  }
  return answerOrText(isSearch, prompted, { maxSearches: input.max_tool_calls })
}

/** The fields of a response that were set and have no effect. */
export function ignoredResponsesFields(input: ResponsesInput): readonly string[] {
  const { ignored } = readTools(input)
  return [
    ...ignoredItems(input.input),
    ...(input.text?.['verbosity'] ? ['text.verbosity'] : []),
    ...(isResearchName(input.model) ? [] : ignoredFields(input, ['reasoning', 'max_tool_calls'])),
    ...ignored,
    ...(input.tools ?? []).flatMap((tool, index) =>
      isSearchTool(tool) && !ignored.includes(`tools[${index}]`) ? ignoredToolFields(tool, index) : [],
    ),
  ]
}

/** A choice that leaves no room for a search makes none. */
function mayBeSearched(input: ResponsesInput): boolean {
  return input.tool_choice !== 'none' && !namesFunction(input)
}

function namesFunction({ tool_choice }: ResponsesInput): boolean {
  return typeof tool_choice === 'object' && 'name' in tool_choice
}

/** Conversations are not stored, so none can be continued. */
export function refuseStored({ previous_response_id, conversation, prompt }: ResponsesInput): void {
  if (previous_response_id) throw refused(['previous_response_id'], 'Responses are not stored; send the whole input')
  if (conversation) throw refused(['conversation'], 'Responses are not stored; send the whole input')
  if (prompt) throw refused(['prompt'], 'Prompts are not stored; send input and instructions')
}
