/** A route that writes answers: how it is asked, and how its reply is streamed, if it can be. */
export interface AnswerRoute {
  readonly path: string
  readonly body: (question: string) => object
  /** What is added to the body. */
  readonly streamed: object | null
}

const chat = (model: string, more: object = {}) => ({
  body: (question: string) => ({ model, messages: [{ role: 'user', content: question }], ...more }),
  streamed: { stream: true },
})
const webSearch = [{ type: 'web_search_20250305', name: 'web_search' }]

/** Each dialect that writes answers with evidence beside them, in each strategy. */
export const answerRoutes: readonly AnswerRoute[] = [
  { path: '/v1/chat/completions', ...chat('sonnet') },
  { path: '/v1/chat/completions', ...chat('sonar') },
  { path: '/v1/chat/completions', ...chat('sonar-reasoning-pro') },
  { path: '/chat/completions', ...chat('sonar-pro') },
  { path: '/chat/completions', ...chat('sonar-pro', { stream_mode: 'concise' }) },
  {
    path: '/v1/responses',
    body: (input) => ({ input, tools: [{ type: 'web_search' }] }),
    streamed: { stream: true },
  },
  { path: '/v1/agent', body: (input) => ({ preset: 'low', input }), streamed: { stream: true } },
  { path: '/v1/messages', ...chat('claude-sonnet-4-5', { max_tokens: 2000, tools: webSearch }) },
  { path: '/res/v1/chat/completions', ...chat('brave', { stream: false }) },
  { path: '/exa/answer', body: (query) => ({ query }), streamed: { stream: true } },
  {
    path: '/linkup/v1/search',
    body: (q) => ({ q, outputType: 'sourcedAnswer', depth: 'standard' }),
    streamed: null,
  },
  { path: '/tavily/search', body: (query) => ({ query, include_answer: true }), streamed: null },
]

interface Evident {
  readonly evidence?: readonly { readonly verdict: string; readonly missing?: readonly unknown[] }[]
  readonly response?: Evident
}

/** The evidence in a stream's last event, wherever that has it. */
export function streamedEvidence(text: string): NonNullable<Evident['evidence']> {
  return [...text.matchAll(/^data: (\{.*)$/gm)].flatMap(([, data = '']) => {
    const { evidence, response }: Evident = JSON.parse(data)
    return evidence ?? response?.evidence ?? []
  })
}
