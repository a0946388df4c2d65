import { z } from 'zod'
import type { SearchFilters, SearchRequest } from '../../../domain/search.ts'
import { refused } from '../../exchange/refusal.ts'
import { optional, Rejection, textField } from '../../fields/field.ts'
import { ignoredLocation, locationField, readLocation } from '../../fields/location.ts'
import { domainField } from '../../fields/places.ts'
import { unknownFields } from '../../http/unread.ts'
import { usableParameters } from '../shared/schema.ts'
import { variantField } from './content.ts'
import { checkWebFetch, webFetchTool } from './web-fetch.ts'

/** The tools of a request. */
export interface ReadTools extends Pick<SearchRequest, 'tools' | 'toolChoice'> {
  /** Absent: no web search. */
  readonly webSearch?: { readonly filters: SearchFilters; readonly maximumSearches: number | undefined } | undefined
}

const ownTool = z
  .object({
    name: textField((name) =>
      /^[A-Za-z0-9_-]{1,64}$/.test(name)
        ? name
        : new Rejection('value_error', 'Input should be 1 to 64 letters, digits, underscores and hyphens'),
    ),
    description: optional(z.string()),
    input_schema: z.looseObject({ type: z.literal('object') }),
  })
  .transform((tool) => ({ kind: 'own' as const, ...tool }))

/** The vendor's server tool. Its dated versions differ only in what csp does not do. */
const webSearchTool = z
  .looseObject({
    name: z.literal('web_search'),
    max_uses: optional(z.int().min(1)),
    allowed_domains: optional(z.array(domainField)),
    blocked_domains: optional(z.array(domainField)),
    user_location: locationField,
  })
  .transform((tool) => ({ kind: 'web-search' as const, ...tool }))

const otherTool = z
  .object({
    type: textField<never>((type) => {
      return new Rejection('value_error', `Only web_search, web_fetch and tools of your own are supported, not ${type}`)
    }),
  })
  .transform((tool) => tool.type)

/** `cache_control` is for the model's bill. */
const searchFields = [
  ...['kind', 'type', 'name', 'max_uses', 'allowed_domains', 'blocked_domains', 'user_location', 'cache_control'],
]

type WebSearchTool = z.output<typeof webSearchTool>

/** The tools of a request: the caller's own, and the web search. */
export const toolsField = z.array(
  variantField((type) => {
    if (type === undefined || type === 'custom') return ownTool
    if (/^web_fetch_\d{8}$/.test(type)) return webFetchTool
    return /^web_search_\d{8}$/.test(type) ? webSearchTool : otherTool
  }),
)

/** Whether the model may, must or must not use a tool, or which one. */
export const toolChoiceField = z.object({
  type: z.enum(['auto', 'any', 'tool', 'none']),
  name: optional(z.string()),
  disable_parallel_tool_use: optional(z.boolean()),
})

type Choice = z.output<typeof toolChoiceField>

const auto: Choice = { type: 'auto', name: undefined, disable_parallel_tool_use: undefined }

/** Throws a `Refusal` for contradictions. */
export function readTools(tools: z.output<typeof toolsField>, choice: Choice = auto): ReadTools {
  const names = tools.map(({ name }) => name)
  const double = names.findIndex((name, index) => names.indexOf(name) < index)
  if (double >= 0) throw refused(['tools', double, 'name'], 'Tool names should be unique')
  if (choice.type === 'any' && names.length === 0) throw refused(['tool_choice'], 'There are no tools to choose from')
  if (choice.type === 'tool' && !names.includes(choice.name ?? '')) {
    throw refused(['tool_choice', 'name'], 'No tool has this name')
  }
  for (const [index, tool] of tools.entries()) {
    if (tool.kind === 'web-fetch') checkWebFetch(tool, ['tools', index])
    if (tool.kind === 'own') usableParameters(tool.input_schema, ['tools', index, 'input_schema'])
  }
  const own = tools.filter((tool) => tool.kind === 'own')
  const place = tools.findIndex(({ kind }) => kind === 'web-search')
  const search = tools[place]
  const webSearch = search?.kind === 'web-search' ? readWebSearch(search, place) : undefined
  return {
    webSearch: choice.type === 'none' ? undefined : webSearch,
    tools:
      own.length > 0
        ? own.map(({ name, description, input_schema }) => ({ name, description, parameters: input_schema }))
        : undefined,
    toolChoice: own.length > 0 ? readChoice(choice, webSearch !== undefined) : undefined,
  }
}

/** What a web search tool has that csp does not know, and of the user’s location what no search knows. */
export function ignoredToolFields(tools: z.output<typeof toolsField>): readonly string[] {
  return tools.flatMap((tool, index) => {
    if (tool.kind !== 'web-search') return []
    const place = `tools[${index}].`
    return [
      ...unknownFields(tool, searchFields, place),
      ...ignoredLocation(tool.user_location, `${place}user_location.`),
    ]
  })
}

function readWebSearch(tool: WebSearchTool, place: number): ReadTools['webSearch'] {
  const { max_uses, allowed_domains = [], blocked_domains = [], user_location } = tool
  if (allowed_domains.length > 0 && blocked_domains.length > 0) {
    throw refused(['tools', place, 'blocked_domains'], 'Give either allowed_domains or blocked_domains, not both')
  }
  return {
    maximumSearches: max_uses,
    filters: {
      includeDomains: allowed_domains.length > 0 ? allowed_domains : undefined,
      excludeDomains: blocked_domains.length > 0 ? blocked_domains : undefined,
      ...readLocation(user_location),
    },
  }
}

/** csp always uses the web search that it is given, so a required tool has been used. */
function readChoice({ type, name }: Choice, searches: boolean): SearchRequest['toolChoice'] {
  if (type === 'none') return 'none'
  if (type === 'any') return searches ? undefined : 'required'
  if (type !== 'tool' || name === undefined) return undefined
  return name === 'web_fetch' || (searches && name === 'web_search') ? undefined : { name }
}
