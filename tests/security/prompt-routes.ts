import { searchRoutes } from '../support/routes.ts'
import { callOf } from './every-route.ts'

/** One request that has the same text wherever its route lets a caller write one. */
export interface PromptRequest {
  readonly query?: Readonly<Record<string, string>> | undefined
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** What can be asked of the routes whose path matches, by this method. */
interface Rule {
  readonly method: 'GET' | 'POST'
  readonly path: RegExp
  /** How much text the shortest of its fields takes. */
  readonly room: number
  readonly asks: readonly ((text: string) => PromptRequest)[]
}

/** The routes that search, one for each handler: what it does with a text does not depend on the path. */
export function distinctRoutes(): readonly { readonly method: 'GET' | 'POST'; readonly path: string }[] {
  const byHandler = new Map<unknown, Set<string>>()
  return searchRoutes.flatMap(({ path, methods }) =>
    (['GET', 'POST'] as const).flatMap((method) => {
      const { vendor, name } = methods[method] ?? {}
      const handler = `${vendor?.name} ${name}`
      const known = byHandler.get(handler) ?? new Set()
      if (!vendor || known.has(method)) return []
      byHandler.set(handler, known.add(method))
      return [{ method, path }]
    }),
  )
}

/** The rule for a route, less `/v1` or Azure's beginning before it; `undefined` where it has none yet. */
export function ruleFor(method: string, path: string): Rule | undefined {
  const bare = path.replace(/^(?:\/openai)?(?:\/v1)?(?=\/)/, '')
  return rules.find((rule) => rule.method === method && rule.path.test(bare))
}

const ordinary = 3_900
const brave = 590

const functionOf = (text: string) => ({
  name: 'look_up',
  description: text,
  parameters: {
    type: 'object',
    title: text,
    properties: { place: { type: 'string', description: text, enum: [text] } },
  },
})
const schemaOf = (text: string) => ({
  type: 'object',
  title: text,
  properties: { answer: { type: 'string', description: text } },
  required: ['answer'],
})
const formatOf = (text: string) => ({ type: 'json_schema', json_schema: { name: 'shape', schema: schemaOf(text) } })

/** The sandbox repeats the question, and JSON with a URL that no source has is refused. */
const withoutUrls = (text: string) => text.replaceAll('://', ':')

/** A conversation in which everybody has said it, a tool among them. */
const talkOf = (text: string) => [
  { role: 'system', content: text },
  { role: 'developer', content: [{ type: 'text', text }] },
  { role: 'user', content: text },
  {
    role: 'assistant',
    content: text,
    tool_calls: [{ id: 'c1', function: { name: text, arguments: JSON.stringify({ a: text }) } }],
  },
  { role: 'tool', tool_call_id: 'c1', content: text },
  { role: 'user', content: text },
]
/** The instructions of `talkOf` as a model gets them: what has the same can be served by one CLI. */
const instructionsOf = (text: string) => `${text.trim()}\n\n${text.trim()}`
const chatOf = (text: string, more: Readonly<Record<string, unknown>> = {}) => ({
  body: { messages: talkOf(text), user: text, metadata: { note: text }, stop: [`${text}!`], ...more },
})
const questionOf = (text: string, more: Readonly<Record<string, unknown>> = {}) => ({
  body: {
    messages: [
      { role: 'system', content: text },
      { role: 'user', content: text },
    ],
    user: text,
    ...more,
  },
})
const chatAsks: Rule['asks'] = [
  (text) => questionOf(text, { model: 'sonar' }),
  (text) => questionOf(text, { model: 'sonar-pro' }),
  (text) => questionOf(text, { model: 'sonar-reasoning-pro' }),
  (text) => chatOf(text, { model: 'sonar', stream: true }),
  (text) => questionOf(withoutUrls(text), { model: 'sonnet', response_format: formatOf(text) }),
  (text) => chatOf(text, { model: 'sonnet', tools: [{ type: 'function', function: functionOf(text) }] }),
]

const itemsOf = (text: string) => [
  { role: 'developer', content: text },
  { role: 'user', content: [{ type: 'input_text', text }] },
  { role: 'assistant', content: [{ type: 'output_text', text }] },
  { type: 'function_call', call_id: 'c1', name: text, arguments: JSON.stringify({ a: text }) },
  { type: 'function_call_output', call_id: 'c1', output: text },
]
const responseAsks: Rule['asks'] = [
  (text) => ({ body: { input: text, instructions: text, tools: [{ type: 'web_search' }], metadata: { note: text } } }),
  (text) => ({
    body: {
      input: itemsOf(text),
      instructions: text,
      tools: [{ type: 'web_search' }, { type: 'function', ...functionOf(text) }],
      user: text,
    },
  }),
]

const blocksOf = (text: string) => [
  { role: 'user', content: [{ type: 'text', text }] },
  {
    role: 'assistant',
    content: [
      { type: 'text', text },
      { type: 'tool_use', id: 'c1', name: 'look_up', input: { a: text } },
    ],
  },
  {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'c1', content: text },
      { type: 'text', text },
    ],
  },
]
const messageOf = (text: string, more: Readonly<Record<string, unknown>>) => ({
  body: {
    model: 'claude-sonnet-4-5',
    max_tokens: 500,
    system: [{ type: 'text', text }],
    metadata: { user_id: text },
    ...more,
  },
})
const webSearch = { type: 'web_search_20250305', name: 'web_search' }
const messageAsks: Rule['asks'] = [
  (text) => messageOf(text, { messages: [{ role: 'user', content: text }], tools: [webSearch] }),
  (text) =>
    messageOf(text, {
      messages: blocksOf(text),
      tools: [webSearch, { name: 'look_up', description: text, input_schema: functionOf(text).parameters }],
      stop_sequences: [`${text}!`],
    }),
]

const contentAsks: Rule['asks'] = [
  (text) => ({
    body: {
      contents: [{ parts: [{ text }] }],
      systemInstruction: { parts: [{ text }] },
      tools: [{ google_search: {} }],
      labels: { note: text },
    },
  }),
  (text) => ({
    body: {
      contents: [
        { role: 'user', parts: [{ text }] },
        { role: 'model', parts: [{ text }, { functionCall: { name: 'look_up', args: { a: text } } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'look_up', response: { output: text } } }, { text }] },
      ],
      systemInstruction: { parts: [{ text: instructionsOf(text) }] },
      tools: [{ functionDeclarations: [functionOf(text)] }],
      generationConfig: { stopSequences: [`${text}!`] },
    },
  }),
]

/** As another csp asks. */
const executeOf = (text: string, want: string, more: Readonly<Record<string, unknown>> = {}) => ({
  body: {
    request: {
      query: text,
      history: [],
      want,
      effort: 'standard',
      filters: {},
      instructions: text,
      exclude: [text],
      ...more,
    },
  },
})
const executeAsks: Rule['asks'] = [
  (text) => executeOf(text, 'results'),
  (text) =>
    executeOf(text, 'answer', {
      history: [
        { role: 'user', text },
        { role: 'assistant', text, toolCalls: [{ id: text, name: 'look_up', arguments: text }] },
        { role: 'tool', text, callId: text },
      ],
    }),
  (text) =>
    executeOf(text, 'text', { instructions: instructionsOf(text), tools: [functionOf(text)], stop: [`${text}!`] }),
]

const byQuery = (name: string): Rule['asks'] => [(text) => ({ query: { [name]: text, format: 'json' } })]
const byBody = (more: (text: string) => Readonly<Record<string, unknown>> = () => ({})): Rule['asks'] => [
  (text) => ({ body: { query: text, q: text, format: 'json', ...more(text) } }),
]

const rules: readonly Rule[] = [
  { method: 'POST', path: /^\/execute$/, room: ordinary, asks: executeAsks },
  {
    method: 'POST',
    path: /^\/res\/v1\/chat\/completions$/,
    room: ordinary,
    asks: [(text) => ({ body: { messages: [{ role: 'user', content: text }], stream: false } })],
  },
  {
    method: 'POST',
    path: /^(\/deployments\/:model)?(\/chat\/completions|\/sonar)$/,
    room: ordinary,
    asks: chatAsks,
  },
  { method: 'POST', path: /^\/(responses|agent)$/, room: ordinary, asks: responseAsks },
  { method: 'POST', path: /^\/messages(\/count_tokens)?$|\/:model\{\.\+\}$/, room: ordinary, asks: messageAsks },
  { method: 'POST', path: /\/models\/:id\{\.\+\}$/, room: ordinary, asks: contentAsks },
  {
    method: 'POST',
    path: /^\/alpha\/search$/,
    room: ordinary,
    asks: [(text) => ({ body: { commands: { search_query: [{ q: text }] } } })],
  },
  {
    method: 'POST',
    path: /^\/mcp$/,
    room: ordinary,
    asks: [
      (text) => ({ body: callOf('web_search', { query: text }) }),
      (text) => ({ body: callOf('ask_web', { question: text, effort: 'fast' }) }),
      (text) => ({
        body: callOf('ask_web', {
          question: text,
          conversation: [
            { role: 'user', content: text },
            { role: 'assistant', content: text },
          ],
        }),
      }),
    ],
  },
  {
    method: 'POST',
    path: /^\/exa\/findSimilar$/,
    room: ordinary,
    asks: [
      (text) => ({
        // An address has room for the beginning of a text alone.
        body: { url: `https://bees.example/${encodeURIComponent(text.slice(0, 150).toWellFormed())}`, type: text },
      }),
    ],
  },
  {
    method: 'POST',
    path: /^\/exa\/answer$/,
    room: ordinary,
    asks: [(text) => ({ body: { query: withoutUrls(text), systemPrompt: text, outputSchema: schemaOf(text) } })],
  },
  {
    method: 'POST',
    path: /^\/linkup\/(v1\/)?search$/,
    room: ordinary,
    asks: [
      (text) => ({ body: { q: text, outputType: 'searchResults' } }),
      (text) => ({ body: { q: text, outputType: 'sourcedAnswer', depth: 'standard' } }),
      (text) => ({
        body: {
          q: withoutUrls(text),
          outputType: 'structured',
          depth: 'standard',
          structuredOutputSchema: JSON.stringify(schemaOf(text)),
        },
      }),
    ],
  },
  {
    method: 'POST',
    path: /^\/parallel\/v1(beta)?\/search$/,
    room: ordinary,
    asks: [
      (text) => ({ body: { search_queries: [text], objective: text, client_model: text } }),
      (text) => ({ body: { objective: text } }),
    ],
  },
  { method: 'POST', path: /^\/res\/v1\//, room: brave, asks: byBody() },
  { method: 'POST', path: /^\/(searxng\/)?search$/, room: ordinary, asks: byBody((text) => ({ engines: text })) },
  {
    method: 'POST',
    path: /^\/tavily\/search$/,
    room: ordinary,
    asks: byBody((text) => ({ include_answer: true, user: text })),
  },
  {
    method: 'POST',
    path: /^\/(search\/:tool|(exa|open-webui|v2|firecrawl\/v[12])\/search|jina|(bocha\/v1\/)?web-search|serper\/\w+)$/,
    room: ordinary,
    asks: byBody(),
  },
  { method: 'POST', path: /^\/api\/(experimental\/)?web_search$/, room: ordinary, asks: byBody() },
  {
    method: 'GET',
    path: /^\/res\/v1\/summarizer\/search$/,
    room: brave,
    asks: [(text) => ({ query: { key: JSON.stringify({ q: text }) } })],
  },
  {
    method: 'GET',
    path: /^\/res\/v1\/local\//,
    room: brave,
    asks: [(text) => ({ query: { ids: text.replaceAll(',', ' '), q: text } })],
  },
  { method: 'GET', path: /^\/res\/v1\//, room: brave, asks: byQuery('q') },
  { method: 'GET', path: /^\/(bing\/)?v7\.0\/(news\/)?search$/, room: ordinary, asks: byQuery('q') },
  {
    method: 'GET',
    path: /^\/(google\/)?customsearch\/v1(\/siterestrict)?$/,
    room: 1_900,
    asks: [
      (text) => ({ query: { q: text } }),
      (text) => ({ query: { q: 'bees', exactTerms: text, cx: text } }),
      (text) => ({ query: { q: 'bees', hq: text, relatedSite: text } }),
      (text) => ({ query: { q: 'bees', orTerms: text } }),
      (text) => ({ query: { q: 'bees', excludeTerms: text } }),
    ],
  },
  {
    method: 'GET',
    path: /^\/(serper\/\w+|(serpapi\/)?search\.json|serpapi\/search)$/,
    room: ordinary,
    asks: [(text) => ({ query: { q: text, location: text } })],
  },
  { method: 'GET', path: /^\/((searxng\/)?search|jina)$/, room: ordinary, asks: byQuery('q') },
  // The text in its path goes the way of `q` above.
  { method: 'GET', path: /^\/jina\/:q\{\.\+\}$/, room: ordinary, asks: byQuery('note') },
]
