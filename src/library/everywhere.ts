// What the library exports on every runtime. docs/library.md describes it; the list is tested, since each name is a promise.
export { collect, sourcesOf } from '../domain/answer.ts'
export { SearchError, type SearchErrorCode } from '../domain/error.ts'
export type { BackendHealth, ExecutorHealth } from '../domain/health.ts'
export type {
  Answer,
  Citation,
  Search,
  SearchEvent,
  SearchFilters,
  SearchRequest,
  SearchResult,
  Usage,
} from '../domain/search.ts'
export type { Executor, SearchContext } from '../executor/executor.ts'
export { version } from '../runtime/version.ts'
export {
  brave,
  exa,
  type MessagesOptions,
  messages,
  type RemoteOptions,
  remote,
  type SearchApiOptions,
  type SearxngOptions,
  searxng,
  serper,
  tavily,
} from './backends.ts'
export type { ClaudeOptions } from './claude-options.ts'
export {
  type AnswerStore,
  type App,
  type AppOptions,
  createApp,
  type RequestEntry,
  type SearchInput,
  type SearchOptions,
} from './create-app.ts'
