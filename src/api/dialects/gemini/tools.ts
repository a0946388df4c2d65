import { z } from 'zod'
import type { SearchFilters, SearchRequest } from '../../../domain/search.ts'
import { refused } from '../../exchange/refusal.ts'
import { optional, Rejection, textField } from '../../fields/field.ts'
import { domainListField, languageField } from '../../fields/places.ts'
import { functionField, readFunctions, type SentChoice } from '../shared/chat/tools.ts'
import { jsonSchemaOf } from './schema.ts'

/** A time as Google writes it; a day alone is read as well. */
const timeField = textField(
  (text) =>
    Number.isNaN(Date.parse(text))
      ? new Rejection('value_error', 'Input should be a time such as 2026-01-31T00:00:00Z')
      : new Date(text).toISOString(),
  'time: 2026-01-31T00:00:00Z',
)

const googleSearchField = z.looseObject({
  timeRangeFilter: optional(z.object({ startTime: optional(timeField), endTime: optional(timeField) })),
  excludeDomains: domainListField(100),
})

type GoogleSearch = z.output<typeof googleSearchField>

const declarationField = functionField.extend({ parametersJsonSchema: optional(z.record(z.string(), z.unknown())) })

/** The tools of a request. One of them may hold several. */
export const toolsField = z.array(
  z.looseObject({
    googleSearch: optional(googleSearchField),
    /** The tool of models before Gemini 2. */
    googleSearchRetrieval: optional(z.looseObject({})),
    /** The tool of Vertex. */
    enterpriseWebSearch: optional(z.looseObject({ excludeDomains: domainListField(100) })),
    urlContext: optional(z.looseObject({})),
    functionDeclarations: optional(z.array(declarationField)),
  }),
)

export type Tools = z.output<typeof toolsField>

/** How the tools are used. */
export const toolConfigField = z.object({
  functionCallingConfig: optional(
    z.object({
      mode: optional(z.enum(['MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED'])),
      allowedFunctionNames: optional(z.array(z.string())),
    }),
  ),
  retrievalConfig: optional(
    z.object({
      languageCode: optional(languageField),
    }),
  ),
})

type ToolConfig = z.output<typeof toolConfigField>

/** Whether a tool searches the web. */
export function searches({ googleSearch, googleSearchRetrieval, enterpriseWebSearch }: Tools[number]): boolean {
  return Boolean(googleSearch ?? googleSearchRetrieval ?? enterpriseWebSearch)
}

/** The functions of a request. Throws a `Refusal`, also for tools that csp does not have. */
export function readGeminiTools(
  tools: Tools,
  config: ToolConfig | undefined,
): Pick<SearchRequest, 'tools' | 'toolChoice'> {
  const sent = tools.flatMap((tool, place) => {
    const other = Object.keys(tool).find((name) => !known.has(name) && (tool[name] ?? undefined) !== undefined)
    if (other !== undefined) {
      const message = `Only googleSearch, urlContext and functionDeclarations are supported, not ${other}`
      throw refused(['tools', place, other], message)
    }
    return (tool.functionDeclarations ?? []).map((declaration, index) => ({
      function: functionOf(declaration),
      path: ['tools', place, 'functionDeclarations', index],
    }))
  })
  const { mode, allowedFunctionNames: allowed = [] } = config?.functionCallingConfig ?? {}
  const isLimited = (mode === 'ANY' || mode === 'VALIDATED') && allowed.length > 0
  const chosen: SentChoice = { choice: choices[mode ?? 'AUTO'], allowed: isLimited ? allowed : undefined }
  const path = ['toolConfig', 'functionCallingConfig', 'allowedFunctionNames']
  return readFunctions(sent, mode === undefined ? undefined : chosen, path)
}

const known = new Set([
  'googleSearch',
  'googleSearchRetrieval',
  'enterpriseWebSearch',
  'urlContext',
  'functionDeclarations',
])

const choices = {
  MODE_UNSPECIFIED: 'auto',
  AUTO: 'auto',
  VALIDATED: 'auto',
  ANY: 'required',
  NONE: 'none',
} as const

function functionOf({ parameters, parametersJsonSchema, ...declaration }: z.output<typeof declarationField>) {
  return { ...declaration, parameters: parametersJsonSchema ?? (parameters && jsonSchemaOf(parameters)) }
}

/** What the search tools and their configuration filter by. Throws a `Refusal`. */
export function readFilters(tools: Tools, config: ToolConfig | undefined): SearchFilters {
  const place = tools.findIndex(searches)
  const { googleSearch, enterpriseWebSearch } = tools[place] ?? {}
  const range = googleSearch?.timeRangeFilter
  const publishedAfter = range?.startTime && firstDay(range.startTime)
  const publishedBefore = range?.endTime && lastDay(range.endTime)
  if (publishedAfter && publishedBefore && publishedAfter > publishedBefore) {
    const path = ['tools', place, 'googleSearch', 'timeRangeFilter', 'endTime']
    throw refused(path, 'The end of the range should be after its start')
  }
  return {
    publishedAfter,
    publishedBefore,
    excludeDomains: googleSearch?.excludeDomains ?? enterpriseWebSearch?.excludeDomains,
    language: config?.retrievalConfig?.languageCode,
  }
}

/** Clients that want no start send the first of all times. */
function firstDay(time: string): string | undefined {
  return Date.parse(time) > 0 ? time.slice(0, 10) : undefined
}

/** The end of the range is not in it. */
function lastDay(time: string): string {
  return new Date(Date.parse(time) - 1).toISOString().slice(0, 10)
}

/** What was set in the search tools and their configuration and has no effect. */
export function ignoredToolFields(tools: Tools, config: ToolConfig | undefined): readonly string[] {
  const isLanguageUnused = config?.retrievalConfig?.languageCode !== undefined && !tools.some(searches)
  const ofTools = tools.flatMap(({ googleSearch, googleSearchRetrieval }) => [
    ...setIn(googleSearch, ['blockingConfidence', 'searchTypes']).map((name) => `tools.googleSearch.${name}`),
    ...setIn(googleSearchRetrieval, ['dynamicRetrievalConfig']).map((name) => `tools.googleSearchRetrieval.${name}`),
  ])
  return [...ofTools, ...(isLanguageUnused ? ['toolConfig.retrievalConfig.languageCode'] : [])]
}

function setIn(tool: GoogleSearch | Readonly<Record<string, unknown>> | undefined, names: readonly string[]) {
  return names.filter((name) => tool && (tool[name] ?? undefined) !== undefined)
}
