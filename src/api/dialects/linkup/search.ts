import { isObject, parseJson } from '@csp/lib/json'
import { z } from 'zod'
import { sourcesOf } from '../../../domain/answer.ts'
import type { JsonSchema, SearchResult } from '../../../domain/search.ts'
import { invalid, missingField } from '../../exchange/refusal.ts'
import { isoDateField, publishedBetween } from '../../fields/dates.ts'
import { booleanField, ignoredFields, integerField, nameField, optional } from '../../fields/field.ts'
import { domainListField } from '../../fields/places.ts'
import { ordinaryQuery, queryField } from '../../fields/query.ts'
import { withoutEffect } from '../../http/unread.ts'
import { listDialect } from '../../list-dialect.ts'
import { withoutMarkers } from '../shared/cited-text.ts'
import { evidenceField } from '../shared/evidence.ts'
import { passagesOf } from '../shared/row.ts'
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
export const linkupSearch = listDialect({
  schema,
  reference: {
    summary: 'Web search, a written answer with sources, or JSON by your schema',
    example: { q: 'heat pumps in the cold', depth: 'standard', outputType: 'searchResults', maxResults: 5 },
  },
  // The vendor has about as many.
  pageSize: 10,
  page: ({ outputType, maxResults }) => ({ rows: outputType === 'searchResults' ? maxResults : undefined }),
  request(input) {
    const { q: query, depth = 'standard', outputType, includeDomains, excludeDomains } = input
    const published = publishedBetween(input.fromDate, input.toDate, ['toDate'])
    const filters = { includeDomains, excludeDomains, ...published }
    if (outputType === 'searchResults') return { query, filters }
    return { query, filters, want: 'answer', effort: depth, schema: schemaOf(input) }
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
  reply(shown, { input, answer }) {
    const rows = input.outputType === 'searchResults' ? shown : sourcesOf(answer.searches)
    switch (input.outputType) {
      case 'searchResults':
        return { results: rows.map(formatResult) }
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

/** The schema of structured output. */
function schemaOf({ outputType, structuredOutputSchema: sent }: LinkupSearchInput): JsonSchema | undefined {
  if (outputType !== 'structured') return undefined
  const path = ['structuredOutputSchema']
  if (sent === undefined) throw missingField(path)
  const schema = typeof sent === 'string' ? parseJson(sent) : sent
  if (isObject(schema)) return usableSchema(schema, path)
  throw invalid({ path, type: 'json_invalid', message: 'Input should be a JSON Schema, as text' })
}

function formatResult(row: SearchResult): object {
  const { title: name, url } = row
  return { type: 'text', name, url, content: passagesOf(row).join('\n'), favicon: faviconOf(url) ?? '' }
}
