import { type MessagesRequest, messagesRequest } from '@csp/messages-api/request'

/** Bodies in the shape that the CLI sends, for tests that need no CLI. */
export const sampleRequests = {
  search: (query: string, domains: { allowed_domains?: string[]; blocked_domains?: string[] } = {}) =>
    requestOf([{ role: 'user', content: [{ type: 'text', text: `Perform a web search for the query: ${query}` }] }], {
      tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 8, ...domains }],
    }),
  /** The CLI's main call with the server tool, as csp makes it. */
  answer: (question: string, { tools = [], maxUses = 1, since = [] }: AnswerSample = {}) =>
    requestOf(
      [
        { role: 'user', content: `<question>\n${question}\n</question>\n\nSearch, then answer.` },
        environment,
        ...since,
      ],
      {
        system: [{ type: 'text', text: 'You answer.\n- Always search with web_search before you answer, even if.' }],
        tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: maxUses }, ...tools],
        tool_choice: { type: 'auto' },
      },
    ),
  decide: (question: string) => requestOf([{ role: 'user', content: question }, environment], { tools: [webSearch] }),
  write: (prompt: string) => requestOf([{ role: 'user', content: prompt }]),
  /** The agent loop's call after its search. */
  afterSearch: (question: string, toolResult: string) =>
    requestOf(
      [
        { role: 'user', content: question },
        environment,
        { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'WebSearch', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: toolResult }] },
      ],
      { tools: [webSearch] },
    ),
}

interface AnswerSample {
  readonly tools?: readonly object[]
  readonly maxUses?: number
  /** The messages after the question. */
  readonly since?: readonly object[]
}

/** Any body, less what a test has no need to name. */
export function requestOf(messages: readonly object[], rest: object = {}): MessagesRequest {
  return messagesRequest.parse({ model: 'claude-test', stream: true, messages, ...rest })
}

const environment = { role: 'system', content: '# Environment' }
const webSearch = { name: 'WebSearch', input_schema: {} }
