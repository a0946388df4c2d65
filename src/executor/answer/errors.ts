import { SearchError } from '../../domain/error.ts'

/** Maps the error code of the web search tool, for when every search of a call failed. */
export function searchToolError(code: string): SearchError {
  switch (code) {
    case 'too_many_requests':
      // It passes within seconds and says nothing about the subscription: no usage limit, which would stop every caller.
      return new SearchError('unavailable', 'The web search tool is limiting requests for a moment.', {
        retryAfterSeconds: 2,
      })
    case 'session_budget':
      return new SearchError('rate-limited', 'This session of the Claude CLI has used up its budget of web searches.')
    case 'query_too_long':
    case 'invalid_input':
    case 'invalid_tool_input':
      return new SearchError('invalid-request', `The web search tool refused the query (${code}).`)
    default:
      return new SearchError('unavailable', `The web search tool failed (${code}).`, {
        forOthers: 'The web search tool failed.',
      })
  }
}

/** The model did not search, not even when it was asked again. */
export function ungrounded(): SearchError {
  return new SearchError('ungrounded', 'Claude answered twice without searching the web. Its text was dropped.')
}

/** The model refused to search for a list of results, which has no text that could say so. */
export function searchRefused(): SearchError {
  return new SearchError('ungrounded', 'Claude refused to search the web for this query.')
}
