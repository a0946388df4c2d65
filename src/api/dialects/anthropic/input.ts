import { z } from 'zod'
import { chooseModel, type ModelMap } from '../../../domain/model.ts'
import type { AnswerRequest, SearchRequest, TextRequest } from '../../../domain/search.ts'
import type { PageOutcome, PageWish } from '../../dialect.ts'
import { unknownModel } from '../../exchange/refusal.ts'
import { optional, Rejection, textField } from '../../fields/field.ts'
import { ordinaryQuery } from '../../fields/query.ts'
import { withoutEffect } from '../../http/unread.ts'
import { usableSchema } from '../shared/schema.ts'
import { unsupportedThread } from './error.ts'
import { PageCitations } from './page-citations.ts'
import { readTools, toolChoiceField, toolsField } from './tools.ts'
import { countDocuments, lastSaid, messagesField, readConversation } from './turns.ts'
import { fetchWish } from './web-fetch.ts'

export type AnthropicPrompt = z.output<typeof anthropicPrompt>
export type AnthropicInput = z.output<typeof anthropicInput>

const disabled = z.object({ type: z.literal('disabled') })

const formatField = z.object({
  type: z.literal('json_schema'),
  schema: z.record(z.string(), z.unknown()),
})

const promptFields = z.object({
  model: z.string(),
  messages: messagesField,
  system: optional(z.union([z.string(), z.array(z.object({ type: z.literal('text'), text: z.string() }))])),
  tools: optional(toolsField),
  tool_choice: optional(toolChoiceField),
  output_config: optional(z.object({ format: optional(formatField) })),
  // The name of the same field during its beta.
  output_format: optional(formatField),
})

/** The prompt: the part of a request whose tokens can be counted. */
export const anthropicPrompt = withoutThread(promptFields)

const messageFields = promptFields.extend({
  max_tokens: withoutEffect(z.int().min(1)),
  // Every way in which the vendor lets a caller request thinking.
  thinking: withoutEffect(optional(z.unknown().transform((value) => !disabled.safeParse(value).success))),
  stream: optional(z.boolean()),
  stop_sequences: optional(
    z.array(
      textField(
        (text) => (text.trim() === '' ? new Rejection('value_error', 'A stop sequence should not be blank') : text),
        undefined,
        Number.POSITIVE_INFINITY,
      ),
    ),
  ),
})

/** A request for a message. */
export const anthropicInput = withoutThread(messageFields)

/**
 * Refuses a `thread`, under which a client sends only the new messages of a turn: nothing is stored here, so the model
 * would miss the others. The vendor's client then sends the whole conversation. Checked before all other fields, which
 * a thread may leave out.
 */
export function withoutThread<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value, context) => {
    if (typeof value !== 'object' || value === null || !('thread' in value) || value.thread == null) return value
    const message = 'Message threads are not supported: send the whole conversation without `thread`'
    context.addIssue({ code: 'custom', path: ['thread'], message, params: { type: unsupportedThread } })
    return z.NEVER
  }, schema)
}

/** Translates a prompt: into a search where web search is among the tools, otherwise into plain inference. */
export function readPrompt(input: AnthropicPrompt, models: ModelMap): AnswerRequest | TextRequest {
  const found = chooseModel(input.model, models)
  if (!found) throw unknownModel(input.model)
  const { isPlain: _, ...choice } = found
  const { system = [] } = input
  const { webSearch, tools, toolChoice } = readTools(input.tools ?? [], input.tool_choice)
  const conversation = readConversation(
    input.messages,
    typeof system === 'string' ? [system] : system.map(({ text }) => text),
  )
  const request = {
    ...conversation,
    ...choice,
    tools,
    toolChoice,
    schema: readSchema(input),
  }
  if (!webSearch) return { ...request, want: 'text', filters: {} }
  return {
    ...request,
    want: 'answer',
    filters: webSearch.filters,
    maxSearches: webSearch.maximumSearches,
    effort: readEffort(choice.effort, conversation.query, webSearch.maximumSearches),
  }
}

/** The pages that the user names, where the tool for them is among the tools. */
export function readFetchWish({ tools = [], tool_choice, messages }: AnthropicPrompt): PageWish | undefined {
  const tool = tools.find(({ kind }) => kind === 'web-fetch')
  if (tool?.kind !== 'web-fetch' || tool_choice?.type === 'none') return undefined
  return fetchWish(tool, lastSaid(messages))
}

/** What the text cites of the pages that were read, where the tool for them asks for that. */
export function readPageCitations(
  { tools = [], messages }: AnthropicPrompt,
  outcomes: readonly PageOutcome[],
): PageCitations | undefined {
  const isWanted = tools.some((tool) => tool.kind === 'web-fetch' && tool.citations?.enabled)
  const pages = outcomes.flatMap(({ page }) => (page ? [{ title: page.title ?? null, text: page.content }] : []))
  return isWanted && pages.length > 0 ? new PageCitations(pages, countDocuments(messages)) : undefined
}

function readSchema({ output_config, output_format }: AnthropicPrompt): SearchRequest['schema'] {
  const [format, path] = output_config?.format
    ? [output_config.format, ['output_config', 'format', 'schema']]
    : [output_format, ['output_format', 'schema']]
  return usableSchema(format?.schema, path)
}

/** A text that is too long for a query needs the agent, which writes its own queries. */
function readEffort(effort: SearchRequest['effort'], query: string, maximumSearches: number | undefined) {
  if (query.length > ordinaryQuery.maxCharacters) return 'deep'
  return maximumSearches === 1 && effort === 'deep' ? 'standard' : effort
}
