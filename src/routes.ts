import type { Handler } from 'hono'
import { anthropicCountTokens } from './api/anthropic-count-tokens.ts'
import { anthropicDoor } from './api/anthropic-door.ts'
import { anthropicMessages } from './api/anthropic-messages.ts'
import { braveAnswers } from './api/brave-answers.ts'
import { braveContext } from './api/brave-context.ts'
import {
  braveDescriptions,
  braveImages,
  bravePlaces,
  bravePois,
  braveSpellcheck,
  braveSuggest,
  braveVideos,
} from './api/brave-empty.ts'
import { braveNews } from './api/brave-news.ts'
import { braveSummarizer } from './api/brave-summarizer.ts'
import { braveWeb } from './api/brave-web.ts'
import type { Dialect } from './api/dialect.ts'
import { exaAnswer } from './api/exa-answer.ts'
import { exaSearch } from './api/exa-search.ts'
import type { AppEnvironment } from './api/exchange.ts'
import { firecrawlSearch } from './api/firecrawl-search.ts'
import { formOrJson } from './api/form-or-json.ts'
import { litellmSearch } from './api/litellm-search.ts'
import { nativeSearch } from './api/native-search.ts'
import { ollamaSearch } from './api/ollama-search.ts'
import { openWebuiSearch } from './api/open-webui-search.ts'
import { openaiChat } from './api/openai-chat.ts'
import { openaiResponses } from './api/openai-responses.ts'
import { perplexityAgent } from './api/perplexity-agent.ts'
import { perplexityChat } from './api/perplexity-chat.ts'
import { perplexitySearch } from './api/perplexity-search.ts'
import { responsesDoor } from './api/responses-door.ts'
import { type RouteOptions, serve } from './api/route.ts'
import { searxngSearch } from './api/searxng-search.ts'
import { tavilySearch } from './api/tavily-search.ts'

export type Method = 'GET' | 'HEAD' | 'POST'

/** One path and what answers there. */
export interface Route {
  readonly path: string
  readonly methods: Readonly<Partial<Record<Method, (options: RouteOptions) => Handler<AppEnvironment>>>>
}

/**
 * Every path that costs a search, and the dialect spoken there. A path of a vendor answers bare and under `/v1`, since
 * clients differ in their base URL; two paths mean one vendor bare and another under `/v1`.
 */
export const searchRoutes: readonly Route[] = [
  ...everywhere('/res/v1/web/search', { GET: speak(braveWeb('query')), POST: speak(braveWeb('body')) }),
  ...everywhere('/res/v1/news/search', { GET: speak(braveNews('query')), POST: speak(braveNews('body')) }),
  ...everywhere('/res/v1/llm/context', { GET: speak(braveContext('query')), POST: speak(braveContext('body')) }),
  ...everywhere('/res/v1/chat/completions', { POST: speak(braveAnswers) }),
  ...everywhere('/res/v1/summarizer/search', { GET: speak(braveSummarizer) }),
  ...everywhere('/res/v1/videos/search', { GET: speak(braveVideos('query')), POST: speak(braveVideos('body')) }),
  ...everywhere('/res/v1/images/search', { GET: speak(braveImages) }),
  ...everywhere('/res/v1/suggest/search', { GET: speak(braveSuggest) }),
  ...everywhere('/res/v1/spellcheck/search', { GET: speak(braveSpellcheck) }),
  ...everywhere('/res/v1/local/place_search', { GET: speak(bravePlaces) }),
  ...everywhere('/res/v1/local/pois', { GET: speak(bravePois) }),
  ...everywhere('/res/v1/local/descriptions', { GET: speak(braveDescriptions) }),
  { path: '/chat/completions', methods: { POST: speak(perplexityChat) } },
  ...everywhere('/sonar', { POST: speak(perplexityChat) }),
  ...everywhere('/agent', { POST: speak(perplexityAgent) }),
  ...everywhere('/responses', { POST: speakResponses }),
  { path: '/v1/chat/completions', methods: { POST: speak(openaiChat) } },
  ...everywhere('/messages', { POST: anthropicDoor(speak(anthropicMessages)) }),
  ...everywhere('/messages/count_tokens', { POST: anthropicDoor(anthropicCountTokens) }),
  { path: '/search', methods: { GET: speak(searxngSearch), POST: speakByBody(searxngSearch, perplexitySearch) } },
  { path: '/v1/search', methods: { GET: speak(nativeSearch('query')), POST: speak(nativeSearch('body')) } },
  ...everywhere('/search/:tool', { POST: speak(litellmSearch) }),
  ...everywhere('/searxng/search', { GET: speak(searxngSearch), POST: speak(searxngSearch) }),
  ...everywhere('/tavily/search', { POST: speak(tavilySearch) }),
  ...everywhere('/exa/search', { POST: speak(exaSearch) }),
  ...everywhere('/exa/answer', { POST: speak(exaAnswer) }),
  ...everywhere('/api/web_search', { POST: speak(ollamaSearch) }),
  ...everywhere('/api/experimental/web_search', { POST: speak(ollamaSearch) }),
  ...everywhere('/open-webui/search', { POST: speak(openWebuiSearch) }),
  { path: '/v2/search', methods: { POST: speak(firecrawlSearch(2)) } },
  { path: '/firecrawl/v2/search', methods: { POST: speak(firecrawlSearch(2)) } },
  { path: '/firecrawl/v1/search', methods: { POST: speak(firecrawlSearch(1)) } },
]

function speak<Input>(dialect: Dialect<Input>) {
  return (options: RouteOptions) => serve(dialect, options)
}

/** Two dialects on one path: forms and query strings are the first one's, JSON is the other's. */
function speakByBody<Form, Json>(form: Dialect<Form>, json: Dialect<Json>) {
  return (options: RouteOptions) =>
    formOrJson({ form: serve(form, options), json: serve(json, options) }, options.maximumBodyBytes)
}

function speakResponses(options: RouteOptions): Handler<AppEnvironment> {
  const doors = { openai: serve(openaiResponses, options), agent: serve(perplexityAgent, options) }
  return responsesDoor(doors, options.maximumBodyBytes)
}

function everywhere(path: string, methods: Route['methods']): readonly Route[] {
  return [
    { path, methods },
    { path: `/v1${path}`, methods },
  ]
}
