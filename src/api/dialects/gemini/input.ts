import { addressesIn } from '@csp/lib/addresses'
import { z } from 'zod'
import type { ModelMap } from '../../../domain/model.ts'
import { type AnswerRequest, answerOrText, type JsonSchema, type TextRequest } from '../../../domain/search.ts'
import type { PageWish } from '../../dialect.ts'
import { refused } from '../../exchange/refusal.ts'
import { optional } from '../../fields/field.ts'
import { ordinaryQuery } from '../../fields/query.ts'
import { readModel } from '../shared/chat/input.ts'
import { joined, readTurns } from '../shared/chat/turns.ts'
import { maxNamedPages, maxPageCharacters } from '../shared/named-pages.ts'
import { usableSchema } from '../shared/schema.ts'
import { isSonar } from '../shared/sources.ts'
import { contentField, lastUserText, readContents, readInstructions } from './contents.ts'
import { jsonSchemaOf } from './schema.ts'
import { ignoredToolFields, readFilters, readGeminiTools, searches, toolConfigField, toolsField } from './tools.ts'

export type GeminiInput = z.output<typeof geminiInput>

const schemaField = optional(z.record(z.string(), z.unknown()))

/** What a model is asked, in camel case. */
export const geminiInput = z.object({
  /** In the path, with what is wanted of it. */
  model: optional(z.string()),
  contents: z.array(contentField).min(1),
  systemInstruction: optional(z.union([z.string(), contentField])),
  tools: optional(toolsField),
  toolConfig: optional(toolConfigField),
  generationConfig: optional(
    z.object({
      stopSequences: optional(z.array(z.string()).max(16)),
      candidateCount: optional(z.int().min(1)),
      responseMimeType: optional(z.string()),
      responseSchema: schemaField,
      responseJsonSchema: schemaField,
      responseModalities: optional(z.array(z.string())),
    }),
  ),
  cachedContent: optional(z.string()),
})

/** The model of a request that names none. */
export const defaultGeminiModel = 'gemini-flash-latest'

/**
 * Translates a request: into a search where Google Search is among the tools, or the model is one that always searches;
 * otherwise into plain inference, as Gemini does. Throws a `Refusal`.
 */
export function readGemini(input: GeminiInput, models: ModelMap): AnswerRequest | TextRequest {
  refuseUnsupported(input)
  const { contents, tools = [], toolConfig, generationConfig, model = defaultGeminiModel } = input
  const { instructions, ...conversation } = readTurns(readContents(contents), ['contents'])
  const { isPlain: _, ...choice } = readModel(model, models)
  const functions = readGeminiTools(tools, toolConfig)
  const isSearch = tools.some(searches) || (isSonar(model) && !functions.tools)
  const stop = generationConfig?.stopSequences?.filter((text) => text.trim() !== '') ?? []
  return answerOrText(isSearch, {
    ...conversation,
    instructions: joined([readInstructions(input.systemInstruction), instructions]),
    ...choice,
    // A text that is too long for a query needs the agent, which writes its own queries.
    ...(conversation.query.length > ordinaryQuery.maxCharacters && { effort: 'deep' as const }),
    filters: isSearch ? readFilters(tools, toolConfig) : {},
    ...functions,
    schema: readSchema(input),
    stop: stop.length > 0 ? stop : undefined,
  })
}

/** The pages that the user names, where the tool that reads them is among the tools. */
export function readPageWish({ contents, tools = [] }: GeminiInput): PageWish | undefined {
  if (!tools.some(({ urlContext }) => urlContext)) return undefined
  const urls = addressesIn(lastUserText(contents)).slice(0, maxNamedPages)
  if (urls.length === 0) return undefined
  return { requests: urls.map((url) => ({ url, maxCharacters: maxPageCharacters })) }
}

/** The fields that were set and have no effect. */
export function ignoredGeminiFields({ tools = [], toolConfig }: GeminiInput): readonly string[] {
  return ignoredToolFields(tools, toolConfig)
}

function readSchema({ generationConfig }: GeminiInput): JsonSchema | undefined {
  const { responseMimeType: type = 'text/plain', responseSchema, responseJsonSchema } = generationConfig ?? {}
  const path = (field: string) => ['generationConfig', field]
  if (type !== 'text/plain' && type !== 'application/json') {
    throw refused(path('responseMimeType'), `Supported types are text/plain and application/json, not ${type}`)
  }
  if (responseJsonSchema) return usableSchema(responseJsonSchema, path('responseJsonSchema'))
  if (responseSchema) return usableSchema(jsonSchemaOf(responseSchema), path('responseSchema'))
  return type === 'application/json' ? anyJson : undefined
}

/** Whether the text has to be JSON. */
export function isJson(input: GeminiInput): boolean {
  return readSchema(input) !== undefined
}

const anyJson: JsonSchema = { type: ['object', 'array'] }

/** Refuses unsupported fields that would change the answer. */
function refuseUnsupported({ generationConfig, cachedContent }: GeminiInput): void {
  const { candidateCount = 1, responseModalities = [] } = generationConfig ?? {}
  // Each candidate would cost a search of its own.
  if (candidateCount > 1) throw refused(['generationConfig', 'candidateCount'], 'Only one candidate is supported')
  const other = responseModalities.find((name) => !/^(text|modality_unspecified)$/i.test(name))
  if (other !== undefined)
    throw refused(['generationConfig', 'responseModalities'], `Only TEXT is supported, not ${other}`)
  if (cachedContent) throw refused(['cachedContent'], 'Nothing is stored here; send the whole conversation')
}
