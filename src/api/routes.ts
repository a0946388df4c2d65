import type { Handler } from 'hono'
import type { Dialect } from './dialect.ts'
import type { AppEnvironment } from './http/exchange.ts'
import type { RouteOptions } from './serve/route.ts'

export type Method = 'GET' | 'HEAD' | 'POST'

/** One path and what answers there. */
export interface Route {
  readonly path: string
  readonly methods: Readonly<Partial<Record<Method, LoadHandler>>>
}

/** Loads a dialect when it is first spoken: all of them at once would take longer than the whole rest of the start. */
export type LoadHandler = () => Promise<MakeHandler>

type MakeHandler = (options: RouteOptions) => Handler<AppEnvironment>

/**
 * Every path that costs a search, and the dialect spoken there. A path of a vendor answers bare and under `/v1`, since
 * clients differ in their base URL; two paths mean one vendor bare and another under `/v1`.
 */
export const searchRoutes: readonly Route[] = [
  ...everywhere('/res/v1/web/search', {
    GET: speak(async () => (await import('./dialects/brave/web.ts')).braveWeb('query')),
    POST: speak(async () => (await import('./dialects/brave/web.ts')).braveWeb('body')),
  }),
  ...everywhere('/res/v1/news/search', {
    GET: speak(async () => (await import('./dialects/brave/news.ts')).braveNews('query')),
    POST: speak(async () => (await import('./dialects/brave/news.ts')).braveNews('body')),
  }),
  ...everywhere('/res/v1/llm/context', {
    GET: speak(async () => (await import('./dialects/brave/context.ts')).braveContext('query')),
    POST: speak(async () => (await import('./dialects/brave/context.ts')).braveContext('body')),
  }),
  ...everywhere('/res/v1/chat/completions', {
    POST: speak(async () => (await import('./dialects/brave/answers.ts')).braveAnswers),
  }),
  ...everywhere('/res/v1/summarizer/search', {
    GET: speak(async () => (await import('./dialects/brave/summarizer.ts')).braveSummarizer),
  }),
  ...everywhere('/res/v1/videos/search', {
    GET: speak(async () => (await braveEmpty()).braveVideos('query')),
    POST: speak(async () => (await braveEmpty()).braveVideos('body')),
  }),
  ...everywhere('/res/v1/images/search', { GET: speak(async () => (await braveEmpty()).braveImages) }),
  ...everywhere('/res/v1/suggest/search', { GET: speak(async () => (await braveEmpty()).braveSuggest) }),
  ...everywhere('/res/v1/spellcheck/search', { GET: speak(async () => (await braveEmpty()).braveSpellcheck) }),
  ...everywhere('/res/v1/local/place_search', { GET: speak(async () => (await braveEmpty()).bravePlaces) }),
  ...everywhere('/res/v1/local/pois', { GET: speak(async () => (await braveEmpty()).bravePois) }),
  ...everywhere('/res/v1/local/descriptions', { GET: speak(async () => (await braveEmpty()).braveDescriptions) }),
  { path: '/chat/completions', methods: { POST: speak(perplexityChat) } },
  { path: '/v1/chat/completions', methods: { POST: speak(openaiChat) } },
  ...everywhere('/sonar', { POST: speak(perplexityChat) }),
  ...everywhere('/agent', { POST: speak(perplexityAgent) }),
  ...everywhere('/responses', { POST: speakResponses }),
  ...everywhere('/messages', { POST: speakAnthropic }),
  ...everywhere('/messages/count_tokens', { POST: countTokens }),
  { path: '/search', methods: { GET: speak(searxngSearch), POST: speakByBody } },
  {
    path: '/v1/search',
    methods: {
      GET: speak(async () => (await import('./dialects/native/search.ts')).nativeSearch('query')),
      POST: speak(async () => (await import('./dialects/native/search.ts')).nativeSearch('body')),
    },
  },
  ...everywhere('/execute', { POST: speak(async () => (await import('./dialects/native/execute.ts')).execute) }),
  ...everywhere('/search/:tool', {
    POST: speak(async () => (await import('./dialects/litellm/search.ts')).litellmSearch),
  }),
  ...everywhere('/searxng/search', { GET: speak(searxngSearch), POST: speak(searxngSearch) }),
  ...everywhere('/tavily/search', {
    POST: speak(async () => (await import('./dialects/tavily/search.ts')).tavilySearch),
  }),
  ...everywhere('/exa/search', { POST: speak(async () => (await import('./dialects/exa/search.ts')).exaSearch) }),
  ...everywhere('/exa/answer', { POST: speak(async () => (await import('./dialects/exa/answer.ts')).exaAnswer) }),
  ...everywhere('/api/web_search', { POST: speak(ollamaSearch) }),
  ...everywhere('/api/experimental/web_search', { POST: speak(ollamaSearch) }),
  ...everywhere('/open-webui/search', {
    POST: speak(async () => (await import('./dialects/open-webui/search.ts')).openWebuiSearch),
  }),
  { path: '/v2/search', methods: { POST: speak(() => firecrawl(2)) } },
  { path: '/firecrawl/v2/search', methods: { POST: speak(() => firecrawl(2)) } },
  { path: '/firecrawl/v1/search', methods: { POST: speak(() => firecrawl(1)) } },
]

/** Loads every dialect, so that no first request waits for its own. */
export async function loadRoutes(): Promise<void> {
  await Promise.all(searchRoutes.flatMap(({ methods }) => Object.values(methods).map((load) => load())))
}

function everywhere(path: string, methods: Route['methods']): readonly Route[] {
  return [
    { path, methods },
    { path: `/v1${path}`, methods },
  ]
}

function speak<Input>(load: () => Promise<Dialect<Input>>): LoadHandler {
  return async () => {
    const [dialect, { serve }] = await Promise.all([load(), import('./serve/route.ts')])
    return (options) => serve(dialect, options)
  }
}

/** SearXNG's clients send forms and query strings to the path where Perplexity's send JSON. */
async function speakByBody(): Promise<MakeHandler> {
  const { formOrJson } = await import('./http/form-or-json.ts')
  const [form, json] = await Promise.all([speak(searxngSearch)(), speak(perplexitySearch)()])
  return (options) => formOrJson({ form: form(options), json: json(options) }, options.maximumBodyBytes)
}

async function speakResponses(): Promise<MakeHandler> {
  const { responsesDoor } = await import('./dialects/openai/responses-dispatcher.ts')
  const [openai, agent] = await Promise.all([speak(openaiResponses)(), speak(perplexityAgent)()])
  return (options) => responsesDoor({ openai: openai(options), agent: agent(options) }, options.maximumBodyBytes)
}

async function speakAnthropic(): Promise<MakeHandler> {
  const { anthropicDoor } = await import('./dialects/anthropic/middleware.ts')
  return anthropicDoor(await speak(anthropicMessages)())
}

async function countTokens(): Promise<MakeHandler> {
  const { anthropicDoor } = await import('./dialects/anthropic/middleware.ts')
  return anthropicDoor((await import('./dialects/anthropic/count-tokens.ts')).anthropicCountTokens)
}

function braveEmpty() {
  return import('./dialects/brave/empty.ts')
}

async function firecrawl(version: 1 | 2) {
  return (await import('./dialects/firecrawl/search.ts')).firecrawlSearch(version)
}

async function searxngSearch() {
  return (await import('./dialects/searxng/search.ts')).searxngSearch
}

async function ollamaSearch() {
  return (await import('./dialects/ollama/search.ts')).ollamaSearch
}

async function perplexitySearch() {
  return (await import('./dialects/perplexity/search.ts')).perplexitySearch
}

async function perplexityChat() {
  return (await import('./dialects/perplexity/chat.ts')).perplexityChat
}

async function perplexityAgent() {
  return (await import('./dialects/perplexity/agent.ts')).perplexityAgent
}

async function openaiChat() {
  return (await import('./dialects/openai/chat.ts')).openaiChat
}

async function openaiResponses() {
  return (await import('./dialects/openai/responses.ts')).openaiResponses
}

async function anthropicMessages() {
  return (await import('./dialects/anthropic/messages.ts')).anthropicMessages
}
