import { describe, expect, test } from 'bun:test'
import { vendors } from '../../src/api/vendors.ts'
import { answered } from '../support/scripted-executor.ts'
import { vendorOf } from './support/vendor-of.ts'
import { testApp, usual } from './test-app.ts'

// Every field that a vendor documents either acts or is named in `x-csp-ignored`: a filter is never lost in silence.

type Fields = Readonly<Record<string, unknown>>

interface Row {
  readonly path: string
  readonly base: Fields
  /** Each field with a value that is not its default. */
  readonly fields: Fields
  readonly get?: boolean
}

const messages = [{ role: 'user', content: 'Why do bees hum?' }]
const day = '03/01/2026'
const perplexityFilters: Fields = {
  search_domain_filter: ['a.com'],
  search_language_filter: ['de'],
  search_recency_filter: 'week',
  search_after_date_filter: day,
  search_before_date_filter: day,
  search_after_date: day,
  search_before_date: day,
  last_updated_after_filter: day,
  last_updated_before_filter: day,
  country: 'DE',
}
const sampling: Fields = {
  max_tokens: 5,
  max_completion_tokens: 5,
  temperature: 0.1,
  top_p: 0.1,
  top_k: 4,
  presence_penalty: 1,
  frequency_penalty: 1,
  seed: 4,
  logit_bias: { 1: 2 },
  logprobs: true,
  top_logprobs: 2,
}
const chat: Fields = {
  ...sampling,
  ...perplexityFilters,
  stop: ['hum'],
  response_format: { type: 'json_object' },
  search_mode: 'academic',
  language_preference: 'French',
  num_search_results: 3,
  disable_search: true,
  enable_search_classifier: true,
  return_images: true,
  return_related_questions: true,
  image_domain_filter: ['a.com'],
  image_format_filter: ['png'],
  reasoning_effort: 'high',
  safe_search: true,
  web_search_options: { search_context_size: 'high' },
  user: 'ada',
  service_tier: 'flex',
  verbosity: 'low',
  tools: [{ type: 'function', function: { name: 'weather' } }],
}
const braveSearch: Fields = {
  country: 'DE',
  search_lang: 'de',
  freshness: 'pw',
  goggles: 'https://a.com/x.goggle',
  spellcheck: true,
}
const bravePaged: Fields = {
  ...braveSearch,
  ui_lang: 'de-DE',
  count: 2,
  offset: 2,
  safesearch: 'strict',
  extra_snippets: true,
  include_fetch_metadata: true,
}
const bingSearch: Fields = {
  ...{ offset: 2, mkt: 'de-DE', cc: 'DE', setLang: 'de', freshness: 'Week', textDecorations: true },
  customconfig: 1,
}
const googlePage: Fields = { num: 2, gl: 'DE', hl: 'de', location: 'Ulm', tbs: 'qdr:w', safe: 'active', filter: 0 }

const rows: Readonly<Record<string, Row>> = {
  native: {
    path: '/v1/search',
    get: true,
    base: { q: 'bees' },
    fields: {
      ...{ count: 2, limit: 2, n: 2, max_results: 2, offset: 3, page: 2, freshness: 'week' },
      ...{ include_domains: 'a.com', exclude_domains: 'a.com', country: 'DE', region: 'de-de', language: 'de' },
      ...{ safesearch: 'strict', category: 'news', max_tokens: 5, temperature: 1, last_updated_after_filter: day },
    },
  },
  'perplexity search': {
    path: '/search',
    base: { query: 'bees' },
    fields: {
      ...perplexityFilters,
      ...{ max_results: 2, max_tokens: 1, max_tokens_per_page: 1, search_mode: 'sec', search_type: 'people' },
      ...{ search_context_size: 'high', display_server_time: true },
    },
  },
  sonar: { path: '/chat/completions', base: { model: 'sonar', messages }, fields: chat },
  'openai chat': { path: '/v1/chat/completions', base: { messages }, fields: { ...chat, stream_mode: 'concise' } },
  responses: {
    path: '/v1/responses',
    base: { model: 'sonnet', input: 'bees', tools: [{ type: 'web_search' }] },
    fields: {
      ...{ instructions: 'Be brief.', max_output_tokens: 5, temperature: 0.1, top_p: 0.1, top_logprobs: 2 },
      ...{ text: { verbosity: 'low' }, reasoning: { effort: 'high' }, max_tool_calls: 2, truncation: 'auto' },
      ...{ service_tier: 'flex', user: 'ada', safety_identifier: 'x', prompt_cache_key: 'x' },
      tools: [{ type: 'web_search', search_context_size: 'high' }],
    },
  },
  agent: {
    path: '/v1/agent',
    base: { preset: 'low', input: 'bees', tools: [{ type: 'web_search' }] },
    fields: {
      ...{ instructions: 'Be brief.', max_output_tokens: 5, max_steps: 2, reasoning: { effort: 'high' } },
      ...{ language_preference: 'French', store: true, response_format: { type: 'json_object' } },
      tools: [{ type: 'web_search', max_tokens_per_page: 100 }],
    },
  },
  messages: {
    path: '/v1/messages',
    base: { model: 'sonnet', messages, tools: [{ type: 'web_search_20250305', name: 'web_search' }], max_tokens: 10 },
    fields: {
      ...{
        max_tokens: 20,
        system: 'Be brief.',
        temperature: 0.1,
        top_p: 0.1,
        top_k: 2,
        thinking: { type: 'adaptive' },
      },
      ...{ stop_sequences: ['hum'], metadata: { user_id: 'ada' }, service_tier: 'auto', container: 'x' },
    },
  },
  gemini: {
    path: '/v1beta/models/gemini-flash-latest:generateContent',
    base: { contents: [{ parts: [{ text: 'bees' }] }], tools: [{ googleSearch: {} }] },
    fields: {
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      toolConfig: { retrievalConfig: { latLng: { latitude: 1 } }, includeServerSideToolInvocations: true },
      generationConfig: {
        temperature: 0,
        topP: 0.1,
        topK: 2,
        maxOutputTokens: 5,
        thinkingConfig: { thinkingBudget: 1 },
      },
      tools: [{ googleSearch: { blockingConfidence: 'BLOCK_LOW_AND_ABOVE', searchTypes: { imageSearch: {} } } }],
      ...{ safetySettings: [{ category: 'x' }], labels: { a: 'b' }, serviceTier: 'flex', store: true },
    },
  },
  'brave web': {
    path: '/res/v1/web/search',
    get: true,
    base: { q: 'bees site:a.com' },
    fields: {
      ...bravePaged,
      ...{ text_decorations: true, result_filter: 'news', goggles_id: 'x', units: 'metric', summary: true },
      ...{ operators: 'false', enable_rich_callback: true },
    },
  },
  'brave news': { path: '/res/v1/news/search', get: true, base: { q: 'bees' }, fields: bravePaged },
  'brave context': {
    path: '/res/v1/llm/context',
    get: true,
    base: { q: 'bees' },
    fields: {
      ...braveSearch,
      ...{ count: 2, maximum_number_of_urls: 1, maximum_number_of_snippets: 1, context_threshold_mode: 'strict' },
      ...{ enable_local: true, enable_source_metadata: true },
    },
  },
  tavily: {
    path: '/tavily/search',
    base: { query: 'bees' },
    fields: {
      ...{ max_results: 2, topic: 'news', include_answer: true, include_favicon: true, include_usage: true },
      ...{ include_domains: ['a.com'], exclude_domains: ['a.com'], time_range: 'week', days: 3, max_hours: 3 },
      ...{ start_date: '2026-03-01', end_date: '2026-03-02', country: 'germany', language: 'de' },
      ...{ search_depth: 'advanced', chunks_per_source: 2, include_raw_content: true, include_images: true },
      ...{ auto_parameters: true, exact_match: true, include_image_descriptions: true },
    },
  },
  'exa search': {
    path: '/exa/search',
    base: { query: 'bees' },
    fields: {
      ...{ type: 'keyword', numResults: 2, category: 'news', includeDomains: ['a.com'], excludeDomains: ['a.com'] },
      ...{ startPublishedDate: '2026-03-01', endPublishedDate: '2026-03-01', userLocation: 'DE', includeText: ['x'] },
      ...{ excludeText: ['x'], startCrawlDate: '2026-03-01', moderation: true, additionalQueries: ['x'] },
      contents: { text: true, livecrawl: 'always' },
    },
  },
  bing: {
    path: '/v7.0/search',
    get: true,
    base: { q: 'bees' },
    fields: {
      ...bingSearch,
      ...{ count: 2, responseFilter: 'News', answerCount: 2, promote: 'News', safeSearch: 'Strict' },
    },
  },
  'bing news': {
    path: '/v7.0/news/search',
    get: true,
    base: { q: 'bees' },
    fields: { ...bingSearch, count: 2, sortBy: 'Date', category: 'Sports', since: 1_770_000_000, originalImg: true },
  },
  bocha: {
    path: '/v1/web-search',
    base: { query: 'bees' },
    fields: {
      ...{
        freshness: 'oneWeek',
        summary: true,
        count: 2,
        page: 2,
        include: 'a.com',
        exclude: 'a.com',
        market: 'zh-CN',
      },
    },
  },
  google: {
    path: '/customsearch/v1',
    get: true,
    base: { q: 'bees' },
    fields: {
      ...{ num: 2, start: 2, cx: 'engine', dateRestrict: 'w1', siteSearch: 'a.com', siteSearchFilter: 'e' },
      ...{ lr: 'lang_de', hl: 'de', cr: 'countryDE', gl: 'DE', safe: 'active', sort: 'date:r:20260301:20260331' },
      ...{ exactTerms: 'hum', excludeTerms: 'hum', orTerms: 'hum', hq: 'hum', fileType: 'pdf', filter: 1 },
      ...{ rights: 'cc_publicdomain', linkSite: 'a.com', relatedSite: 'a.com', c2coff: 1, imgSize: 'LARGE' },
    },
  },
  serper: { path: '/serper/search', base: { q: 'bees' }, fields: { ...googlePage, page: 2, autocorrect: true } },
  serpapi: {
    path: '/search.json',
    get: true,
    base: { q: 'bees' },
    fields: {
      ...{ ...googlePage, engine: 'google_news', tbm: 'nws', start: 2, google_domain: 'google.de', device: 'mobile' },
      ...{ no_cache: true, lr: 'lang_de', nfpr: 1 },
    },
  },
  linkup: {
    path: '/linkup/v1/search',
    base: { q: 'bees', outputType: 'searchResults' },
    fields: {
      ...{ depth: 'deep', includeImages: true, includeDomains: ['a.com'], excludeDomains: ['a.com'], maxResults: 2 },
      ...{ fromDate: '2026-03-01', toDate: '2026-03-02', includeSources: true, includeInlineCitations: true },
      ...{ structuredOutputSchema: '{}', outputType: 'sourcedAnswer', country: 'DE' },
    },
  },
  jina: {
    path: '/jina',
    base: { q: 'bees' },
    fields: { num: 2, count: 2, page: 2, gl: 'DE', hl: 'de', type: 'news', provider: 'google', location: 'Berlin' },
  },
  parallel: {
    path: '/parallel/v1/search',
    base: { search_queries: ['bees'] },
    fields: {
      ...{ objective: 'hum', mode: 'fast', processor: 'base', max_results: 2, max_chars_total: 3, session_id: 's' },
      ...{ max_chars_per_result: 3, excerpts: { max_chars_per_result: 3 }, client_model: 'x', beta: true },
      ...{ source_policy: { after_date: '2026-03-01' }, fetch_policy: { max_age_seconds: 600 } },
      advanced_settings: { location: 'DE' },
    },
  },
  'exa answer': {
    path: '/exa/answer',
    base: { query: 'bees' },
    fields: { text: true, model: 'exa-pro', systemPrompt: 'Be brief.', userLocation: 'DE' },
  },
  searxng: {
    path: '/searxng/search',
    get: true,
    base: { q: 'bees', format: 'json' },
    fields: {
      ...{ categories: 'news', language: 'de', pageno: 2, time_range: 'week', safesearch: 2, engines: 'x' },
      ...{ theme: 'x', image_proxy: 'True', autocomplete: 'x', enabled_plugins: 'x' },
    },
  },
  firecrawl: {
    path: '/v2/search',
    base: { query: 'bees' },
    fields: {
      ...{ limit: 2, sources: ['news'], includeDomains: ['a.com'], excludeDomains: ['a.com'], tbs: 'qdr:w' },
      ...{ country: 'DE', location: 'Berlin', categories: ['github'], scrapeOptions: { formats: ['markdown'] } },
      ...{ timeout: 100, ignoreInvalidURLs: true },
    },
  },
  litellm: {
    path: '/search/web',
    base: { query: 'bees' },
    fields: { ...perplexityFilters, max_results: 2, max_tokens_per_page: 1, search_mode: 'academic' },
  },
  ollama: { path: '/api/web_search', base: { query: 'bees' }, fields: { max_results: 2, language: 'de' } },
  'open webui': { path: '/open-webui/search', base: { query: 'bees' }, fields: { count: 2, language: 'de' } },
}

const cases = Object.entries(rows).flatMap(([name, row]) =>
  Object.entries(row.fields).map(([field, value]) => [name, field, value, row] as const),
)

/** What the reply and the search are, and which fields the reply says have no effect. */
async function effectOf({ path, get }: Row, fields: Fields) {
  const { request, executor } = testApp(fields['response_format'] || fields['outputSchema'] ? answered : usual())
  const query = new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)]))
  const response = get
    ? await request(`${path}?${query}`)
    : await request(path, { method: 'POST', body: JSON.stringify(fields) })
  expect(response.status).toBe(200)
  const ignored = response.headers.get('x-csp-ignored')?.split(', ') ?? []
  return { effect: JSON.stringify([executor.requests, await response.json()]), ignored }
}

/** What a request of each row without its fields does. */
const effects = new Map<Row, string>()

test('every vendor that searches has a row', async () => {
  const tested = new Set<string>()
  for (const { path, get } of Object.values(rows)) tested.add(await vendorOf(get ? 'GET' : 'POST', path))
  const others = new Set(['execute', 'mcp'])
  const missing = vendors.filter(
    (vendor) => vendor.routes.length > 0 && !tested.has(vendor.name) && !others.has(vendor.name),
  )
  expect(missing.map(({ name }) => name)).toEqual([])
})

test.each(cases)('%s: the field %s acts or is named in x-csp-ignored', async (_name, field, value, row) => {
  if (!effects.has(row)) effects.set(row, (await effectOf(row, row.base)).effect)
  const { effect, ignored } = await effectOf(row, { ...row.base, [field]: value })
  const isNamed = ignored.some((name) => name === field || name.startsWith(`${field}.`) || name.startsWith(`${field}[`))
  expect({ acts: effect !== effects.get(row) || isNamed }).toEqual({ acts: true })
})

test('each field of Gemini that has no effect is named, with its place', async () => {
  const { gemini } = rows
  if (!gemini) throw new Error('There is no such row.')
  const { ignored } = await effectOf(gemini, { ...gemini.base, ...gemini.fields })
  expect(ignored.toSorted()).toEqual([
    ...['maxOutputTokens', 'temperature', 'thinkingConfig', 'topK', 'topP'].map((name) => `generationConfig.${name}`),
    ...['labels', 'safetySettings', 'serviceTier', 'store'],
    ...['includeServerSideToolInvocations', 'retrievalConfig.latLng'].map((name) => `toolConfig.${name}`),
    ...['blockingConfidence', 'searchTypes'].map((name) => `tools.googleSearch.${name}`),
  ])
})

describe('fields that no vendor defines', () => {
  test('are named with their path and break nothing', async () => {
    const body = {
      messages,
      fresness: 'week',
      web_search_options: { user_location: { country: 'DE', planet: 'Earth' } },
    }
    const { status, headers } = await testApp().post('/v1/chat/completions', body)
    expect(status).toBe(200)
    expect(headers.get('x-csp-ignored')).toBe('fresness, web_search_options.user_location.planet')
  })

  test('are not named when they are unset, or when the name cannot stand in a header', async () => {
    const body = { messages, seed: null, store: false, user: '', metadata: {}, 'a\r\nb: c': 1, ['x'.repeat(100)]: 1 }
    const { headers } = await testApp().post('/v1/chat/completions', body)
    expect(headers.get('x-csp-ignored')).toBeNull()
  })

  test('are named up to a maximum of twenty', async () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`field${index}`, 1]))
    const { headers } = await testApp().post('/v1/chat/completions', { messages, ...many })
    expect(headers.get('x-csp-ignored')?.split(', ')).toHaveLength(20)
  })
})
