/** How the sandbox behaves in tests. A scenario that does not apply to a kind of call leaves that call `ok`. */
export type Scenario = (typeof scenarios)[number]

/** The names of all scenarios. */
export const scenarios = [
  'ok',
  // HTTP errors, in the envelope and with the headers of the real API.
  'error-400',
  'error-401',
  'error-403',
  'error-404',
  'error-413',
  'error-429',
  'error-429-week', // the limit of seven days, not that of five hours
  'error-429-bare', // does not say when the limit resets
  'error-500',
  'error-529',
  'tool-refused', // 400 for the search tool in a call that searches in order to answer
  // An account that cannot pay: 400, and only the message says so.
  'error-third-party',
  'error-extra-usage',
  'error-credit-balance',
  'near-limit', // both usage limits are almost reached
  // The connection.
  'hang',
  'hang-midway',
  'cut', // after half of the reply
  'cut-in-text', // after the first words of its text, which it has not ended
  'cut-after-text', // after its text, before the reply is ended
  'error-midway', // an `error` event after half of the stream: overloaded
  'garbage',
  'slow',
  // What the web search server tool returns instead of results.
  'search-too-many-requests',
  'search-max-uses-exceeded',
  'search-unavailable',
  'search-query-too-long',
  'empty',
  'no-summary',
  // What the model does.
  'no-search',
  'search-twice', // the second within what the tool's `max_uses` allows
  'no-citations',
  'non-compliant',
  'preamble',
  'invented-url',
  'trailing-sources',
  'recite', // the sentences of the question, each with the page that a number behind it names: It rained. [1]
  'max-tokens',
  'refusal',
  'refusal-after-search', // of a call that searches in order to answer
  'use-tool',
  'use-two-tools',
  'pause-turn',
] as const
