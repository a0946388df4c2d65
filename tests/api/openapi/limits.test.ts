import { expect, test } from 'bun:test'
import { fakePageReader } from '../../support/fake-page-reader.ts'
import { testApp } from '../test-app.ts'

/** By vendor, what its fields take: numbers from and to, lengths of lists and texts. A field has several in several routes. */
const limits: Readonly<Record<string, string>> = {
  'Another claude-search-proxy':
    'continuation ..10000 items, cursor 0..10000, exclude ..1000 items, excludeDomains ..1000 items, history ..10000 items, includeDomains ..1000 items, limit 1..1000, maxSearches 1..1000, merge 1..100, offset 0..10000, passages 1..100 items, score 0..1000000, sources ..100 items, stop ..100 items, stop 1.. characters, tools ..1000 items',
  'Anthropic Messages': 'max_tokens 1.., messages 1.. items',
  'Bing Web Search':
    'answerCount 1..100, count 1..100, count 1..50, offset 0..1000, promote ..20 items, responseFilter ..20 items',
  Bocha: 'count 1..50, exclude ..100 items, include ..100 items, page 1..100',
  'Brave Search':
    'count 1..20, count 1..200, count 1..50, ids ..20 items, max_completion_tokens 1.., maximum_number_of_snippets 1..256, maximum_number_of_snippets_per_url 1..100, maximum_number_of_tokens 1024..32768, maximum_number_of_tokens_per_url 512..8192, maximum_number_of_urls 1..50, messages 1..1 items, offset 0..9, research_maximum_number_of_iterations 1..5, research_maximum_number_of_queries 1..50, research_maximum_number_of_results_per_query 1..60, research_maximum_number_of_seconds 1..300, research_maximum_number_of_tokens_per_query 1024..16384, result_filter ..20 items',
  Exa: 'excludeDomains ..1200 items, highlightsPerUrl 1..100, ids 1..20 items, includeDomains ..1200 items, links 0..1000, livecrawlTimeout 1..600000, maxCharacters 1..1000000, numResults 1..100, urls 1..20 items',
  Firecrawl:
    'excludeDomains ..100 items, formats ..20 items, includeDomains ..100 items, limit 1..100, maxAge 0.., timeout 1..600000',
  'Google Custom Search':
    'exactTerms ..2000 characters, excludeTerms ..2000 characters, hq ..2000 characters, num 1..10, orTerms ..2000 characters, start 1..100',
  'Jina Reader and Search': 'count 1..100, num 1..100, page 1..100',
  Linkup: 'excludeDomains ..100 items, includeDomains ..100 items, maxResults 1..100',
  'LiteLLM search tool': 'max_results 1..20, search_domain_filter ..20 items, search_language_filter ..10 items',
  'Ollama web search': 'max_results 1..20',
  'Open WebUI': 'count 1..100, urls 1..100 items',
  OpenAI:
    'allowed_domains ..100 items, blocked_domains ..100 items, call_id 1.. characters, click ..5 items, domains ..100 items, find ..5 items, id 0..100000, id 1.. characters, input 1.. items, lineno 0..100000000, max_output_tokens 1..1000000, max_tool_calls 1.., messages 1.. items, n 1.., num_search_results 1..100, open ..5 items, recency 0..100000, ref_id 1..20000 characters, search_domain_filter ..20 items, search_language_filter ..10 items, search_query ..4 items, stop ..4 items, tools ..128 items',
  Parallel:
    'exclude_domains ..200 items, include_domains ..200 items, max_chars_per_result 1..1000000, max_chars_total 1..1000000, max_results 1..40, processor ..100 characters, search_queries ..5 items, session_id ..1000 characters, timeout_seconds 1..600, urls 1..20 items',
  Perplexity:
    'call_id 1.. characters, categories ..50 items, id 1.. characters, input 1.. items, messages 1.. items, models 1..5 items, n 1.., num_search_results 1..100, pageno 1..50, results_per_page 1..50, safesearch 0..2, search_domain_filter ..20 items, search_language_filter ..10 items, stop ..4 items, tools ..128 items',
  SearXNG: 'categories ..50 items, pageno 1..50, results_per_page 1..50, safesearch 0..2',
  SerpApi: 'num 1..100, start 0..200',
  Serper: 'num 1..100, page 1..100',
  Tavily:
    'chunks_per_source 1..5, days 1..100000, exclude_domains ..300 items, include_domains ..300 items, max_hours 1..1000000, max_results 0..20, timeout 1..60, urls 1..20 items',
  'claude-search-proxy':
    'claim 1..5000 characters, claims 1..50 items, count 1..20, days 1..31, exclude_domains ..20 items, include_domains ..20 items, limit 1..100, limit 1..20, max_characters 1..1000000, max_results 1..20, n 1..20, offset 0..100000000, offset 0..200, page 1..20, search_domain_filter ..20 items, search_language_filter ..10 items, site 1..300 characters, sources 1..20 items, text ..1000000 characters, text 1..5000 characters, title ..500 characters, urls 1..20 items',
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly [keyword: string]: unknown
}

const keywords = [
  ['minimum', 'maximum', ''],
  ['minItems', 'maxItems', ' items'],
  ['minLength', 'maxLength', ' characters'],
] as const

/** A line for each limit of a field and of those in it. */
function* limitsOf(schema: Schema, name: string): Generator<string> {
  for (const [least, most, unit] of keywords)
    if (least in schema || most in schema) yield `${name} ${schema[least] ?? ''}..${schema[most] ?? ''}${unit}`
  for (const [inner, property] of Object.entries(schema.properties ?? {})) yield* limitsOf(property, inner)
  for (const part of [schema.items, ...(schema.anyOf ?? [])]) if (part) yield* limitsOf(part, name)
}

test("the limits of each vendor's fields are these", async () => {
  const { body } = await testApp(undefined, { pages: fakePageReader({}) }).get('/openapi.json')
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came, and says what it expects of it
  const document = body as any
  const resolved = (part: { $ref?: string }) =>
    // biome-ignore lint/suspicious/noExplicitAny: as above
    (part.$ref?.split('/').slice(1) ?? []).reduce((found: any, step) => found[step], part.$ref ? document : part)
  const found = new Map<string, Set<string>>()
  for (const operation of Object.values<object>(document.paths).flatMap((methods) => Object.values(methods))) {
    const [vendor] = operation.tags
    const lines = found.get(vendor) ?? new Set()
    found.set(vendor, lines)
    for (const { name, in: place, schema } of operation.parameters.map(resolved))
      if (place === 'query') for (const line of limitsOf(resolved(schema), name)) lines.add(line)
    const contents = operation.requestBody
      ? Object.values<{ schema: object }>(resolved(operation.requestBody).content)
      : []
    for (const { schema } of contents) for (const line of limitsOf(resolved(schema), 'body')) lines.add(line)
  }
  const tables = [...found].flatMap(([vendor, lines]) =>
    lines.size > 0 ? [[vendor, [...lines].toSorted().join(', ')]] : [],
  )
  expect(Object.fromEntries(tables)).toEqual(limits)
})
