import type { Handler } from 'hono'
import { braveWeb } from './api/brave-web.ts'
import type { Dialect } from './api/dialect.ts'
import type { AppEnvironment } from './api/exchange.ts'
import { nativeSearch } from './api/native-search.ts'
import { openaiChat } from './api/openai-chat.ts'
import { perplexityChat } from './api/perplexity-chat.ts'
import { perplexitySearch } from './api/perplexity-search.ts'
import { type RouteOptions, serve } from './api/route.ts'

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
  { path: '/chat/completions', methods: { POST: speak(perplexityChat) } },
  { path: '/v1/chat/completions', methods: { POST: speak(openaiChat) } },
  { path: '/search', methods: { POST: speak(perplexitySearch) } },
  { path: '/v1/search', methods: { GET: speak(nativeSearch('query')), POST: speak(nativeSearch('body')) } },
]

function speak<Input>(dialect: Dialect<Input>) {
  return (options: RouteOptions) => serve(dialect, options)
}

function everywhere(path: string, methods: Route['methods']): readonly Route[] {
  return [
    { path, methods },
    { path: `/v1${path}`, methods },
  ]
}
