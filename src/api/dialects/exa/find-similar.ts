import { normaliseUrl, parseUrl } from '@csp/lib/url'
import { z } from 'zod'
import { onlyRequest, searchDialect } from '../../dialect.ts'
import { optional, Rejection, textField } from '../../fields/field.ts'
import { exaSearch, exaSearchSchema } from './search.ts'

const addressField = textField((text) => {
  const isAddress = /^https?:\/\//i.test(text.trim()) && normaliseUrl(text) !== undefined
  return isAddress
    ? text.trim()
    : new Rejection('value_error', 'Input should be a URL such as https://example.org/page')
})

const schema = exaSearchSchema.omit({ query: true, outputSchema: true, stream: true, type: true }).extend({
  url: addressField,
  excludeSourceDomain: optional(z.boolean()),
})

type FindSimilarInput = z.output<typeof schema>

/** Exa's search for pages like one: among those that csp has seen, that one included. */
export const exaFindSimilar = searchDialect({
  schema,
  reference: {
    summary: 'Pages like one, among those in memory',
    example: { url: 'https://example.org/heat-pumps', numResults: 5 },
  },
  parse(input, models, headers) {
    const asked = onlyRequest(exaSearch.parse(asSearch(input), models, headers))
    const { filters } = asked
    const source = input.excludeSourceDomain ? parseUrl(input.url)?.hostname : undefined
    const excludeDomains = source === undefined ? filters.excludeDomains : [...(filters.excludeDomains ?? []), source]
    const limit = asked.limit ?? defaultResults
    return { ...asked, limit, filters: { ...filters, excludeDomains }, memory: { similarTo: input.url } }
  },
  ignored: (input) => exaSearch.ignored?.(asSearch(input)) ?? [],
  pages: (input) => exaSearch.pages?.(asSearch(input)),
  format: (answer, reply) => exaSearch.format(answer, { ...reply, input: asSearch(reply.input) }),
})

const defaultResults = 10

/** The address stands for the words of a query, which memory finds by itself. */
function asSearch({ url, excludeSourceDomain: _, ...input }: FindSimilarInput) {
  return { ...input, query: url, type: undefined, stream: undefined, outputSchema: undefined }
}
