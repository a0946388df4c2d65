import { z } from 'zod'
import { sourcesOf } from '../../../domain/answer.ts'
import { type JsonSchema, resultsRequest, type SearchResult } from '../../../domain/search.ts'
import { isObject, parseJson } from '../../../lib/json.ts'
import { searchDialect } from '../../dialect.ts'
import { isoDateField } from '../../fields/dates.ts'
import { booleanField, ignoredFields, integerField, nameField, optional } from '../../fields/field.ts'
import { domainListField } from '../../fields/places.ts'
import { ordinaryQuery, queryField } from '../../fields/query.ts'
import { invalid, missingField } from '../../http/refusal.ts'
import { withoutEffect } from '../../http/unread.ts'
import { withoutMarkers } from '../shared/cited-text.ts'
import { evidenceField } from '../shared/evidence.ts'
import { usableSchema } from '../shared/schema.ts'
import { faviconOf } from '../shared/sources.ts'

const schema = z.object({
  q: queryField(ordinaryQuery),
  depth: optional(nameField(['fast', 'standard', 'deep'])),
  outputType: nameField(['searchResults', 'sourcedAnswer', 'structured']),
  // As text, as the vendor has it, or as it is.
  structuredOutputSchema: optional(z.union([z.string(), z.looseObject({})])),
  includeSources: optional(booleanField),
  includeInlineCitations: optional(booleanField),
  includeImages: withoutEffect(optional(booleanField)),
  includeDomains: domainListField(100),
  excludeDomains: domainListField(100),
  fromDate: optional(isoDateField),
  toDate: optional(isoDateField),
  maxResults: optional(integerField(1, 100)),
})

type LinkupSearchInput = z.output<typeof schema>

/** Linkup's search: rows, a written answer, or JSON by a schema. */
export const linkupSearch = searchDialect({
  schema,
  reference: {
    summary: 'Web search, a written answer with sources, or JSON by your schema',
    example: { q: 'heat pumps in the cold', depth: 'standard', outputType: 'searchResults', maxResults: 5 },
  },
  parse(input) {
    const { q, depth = 'standard', outputType, fromDate, toDate, maxResults } = input
    if (fromDate && toDate && fromDate > toDate) {
      throw invalid({
        path: ['toDate'],
        type: 'value_error',
        message: 'The end date should not be before the start date',
      })
    }
    const { includeDomains, excludeDomains } = input
    const filters = { includeDomains, excludeDomains, publishedAfter: fromDate, publishedBefore: toDate }
    const request = resultsRequest({ query: q, filters })
    if (outputType === 'searchResults') return { ...request, limit: maxResults }
    return { ...request, want: 'answer', effort: depth, schema: schemaOf(input) }
  },
  ignored(input) {
    const { outputType, depth = 'standard' } = input
    return [
      ...(outputType === 'searchResults' ? [] : ignoredFields(input, ['maxResults'])),
      ...(outputType === 'searchResults' && depth !== 'standard' ? ['depth'] : []),
      ...(outputType === 'sourcedAnswer' ? [] : ignoredFields(input, ['includeInlineCitations'])),
      ...(outputType === 'structured' ? [] : ignoredFields(input, ['includeSources', 'structuredOutputSchema'])),
    ]
  },
  format(answer, { input }) {
    const rows = sourcesOf(answer.searches)
    switch (input.outputType) {
      case 'searchResults':
        return { results: rows.slice(0, input.maxResults ?? defaultCount).map(formatResult) }
      case 'sourcedAnswer':
        return {
          answer: input.includeInlineCitations ? answer.text : withoutMarkers(answer),
          sources: rows.map(({ title: name, url, snippet = '' }) => ({
            name,
            url,
            snippet,
            favicon: faviconOf(url) ?? '',
          })),
          ...evidenceField(answer),
        }
      case 'structured': {
        const data: unknown = JSON.parse(answer.text)
        return input.includeSources ? { data, sources: rows.map(formatResult) } : data
      }
    }
  },
})

/** Without `maxResults` the vendor has about as many. */
const defaultCount = 10

/** The schema of structured output. */
function schemaOf({ outputType, structuredOutputSchema: sent }: LinkupSearchInput): JsonSchema | undefined {
  if (outputType !== 'structured') return undefined
  const path = ['structuredOutputSchema']
  if (sent === undefined) throw missingField(path)
  const schema = typeof sent === 'string' ? parseJson(sent) : sent
  if (isObject(schema)) return usableSchema(schema, path)
  throw invalid({ path, type: 'json_invalid', message: 'Input should be a JSON Schema, as text' })
}

function formatResult({ title: name, url, snippet = '', passages = [] }: SearchResult): object {
  const content = (snippet ? [snippet, ...passages] : passages).join('\n')
  return { type: 'text', name, url, content, favicon: faviconOf(url) ?? '' }
}
