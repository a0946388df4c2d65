import { createApp as createHttpApp } from '../app.ts'
import { collect } from '../domain/answer.ts'
import { SearchError } from '../domain/error.ts'
import {
  type Answer,
  type AnswerRequest,
  type ListRequest,
  resultsRequest,
  type SearchEvent,
  type SearchRequest,
  type TextRequest,
} from '../domain/search.ts'
import type { Executor } from '../executor/executor.ts'
import { Breaker } from '../executor/layers/resilience/breaker.ts'
import { createBackendStack, createStack } from '../executor/layers/stack.ts'
import { researched } from '../research/researched.ts'
import { version } from '../runtime/version.ts'

/**
 * What `createApp` makes an app of. Only the backends have to be given.
 * @example const options: AppOptions = { backends: claude(), keys: ['a-long-secret'], cacheSeconds: 600 }
 */
export interface AppOptions {
  /**
   * Who searches, in the order in which they are asked: the next one where one fails. A backend that only finds pages
   * gets its answers written by `claude` where that is among them, or by `writers`; otherwise they consist of excerpts.
   */
  readonly backends: Executor | readonly Executor[]
  /**
   * Who writes over the pages found, in order: `claude()`, `messages()` or an executor of your own that takes `sources`.
   * They may be among the backends as well.
   */
  readonly writers?: readonly Executor[] | undefined
  /**
   * Keys of callers, 8 characters or more each, as `Authorization: Bearer …` or as the vendor of the API sends them.
   * Without any the app answers only requests for this machine by its loopback names, and none that came through a proxy.
   */
  readonly keys?: readonly string[] | undefined
  /** Host names by which callers may reach the app without a key, loopback names aside. With keys: any. */
  readonly allowedHosts?: readonly string[] | undefined
  /** Origins of web pages that may call the app, such as `https://example.org`; by default none but its own. */
  readonly allowedOrigins?: readonly string[] | undefined
  /** The model that writes where a request names none, in the words of the backend: `sonnet` by default. */
  readonly model?: string | undefined
  /** Prepended to the instructions of every answer with sources. */
  readonly instructions?: string | undefined
  /** How long an answer is fresh, in seconds; 3600 by default. 0: nothing is kept. */
  readonly cacheSeconds?: number | undefined
  /** Keeps answers beyond this process; by default they are in memory only, 32 MB at most. */
  readonly store?: AnswerStore | undefined
  /** How long one search may take, in seconds, the wait in the queue aside; 120 by default. 0: no limit. */
  readonly timeoutSeconds?: number | undefined
  /** Searches of one backend that run at once; 3 by default. More wait, up to 100, and then fail with `busy`. */
  readonly concurrency?: number | undefined
  /** The largest body of a request, in bytes; 1 MiB by default. */
  readonly maxBodyBytes?: number | undefined
  /** Keeps the runtime going for a write to the store: `context.waitUntil` of a Worker. */
  readonly waitUntil?: ((work: Promise<void>) => void) | undefined
  /** Called once for each HTTP request, when its reply has ended. Never with a query or a key. */
  readonly onRequest?: ((entry: RequestEntry) => void) | undefined
}

/**
 * Keeps text by key, such as Redis or Workers KV. What it throws costs a search, not the answer.
 * @example
 * const kept = new Map<string, string>()
 * const store: AnswerStore = {
 *   get: async (key) => kept.get(key) ?? null,
 *   set: async (key, text) => void kept.set(key, text),
 * }
 */
export interface AnswerStore {
  /** `null` where there is nothing. */
  get(key: string): Promise<string | null>
  /** `ttlSeconds`: after that it may be forgotten. */
  set(key: string, text: string, ttlSeconds: number): Promise<void>
}

/**
 * What is known of an HTTP request when it is over.
 * @example const logged = ({ method, path, status, ms }: RequestEntry) => console.log(method, path, status, `${ms} ms`)
 */
export interface RequestEntry {
  /** Also in the reply's `x-request-id`. */
  readonly id: string
  readonly method: string
  readonly path: string
  readonly status: number
  /** From the request's arrival to the end of its reply, in milliseconds. */
  readonly ms: number
  /** The backend that answered, where a search was made. */
  readonly backend?: string | undefined
  /** Why it failed, if it did. */
  readonly code?: string | undefined
}

/**
 * A query, and what else of a `SearchRequest` matters. Absent: a list of results, as many as one search finds.
 * @example const input: SearchInput = { query: 'bun 1.4', want: 'answer', filters: { freshness: 'month' } }
 */
export type SearchInput =
  | (Pick<ListRequest, 'query'> & Partial<ListRequest>)
  | (Pick<AnswerRequest, 'query' | 'want'> & Partial<AnswerRequest>)
  | (Pick<TextRequest, 'query' | 'want'> & Partial<TextRequest>)

/**
 * What goes along with one search.
 * @example const options: SearchOptions = { signal: AbortSignal.timeout(20_000) }
 */
export interface SearchOptions {
  /** Stops the search, which then throws `cancelled`; with a `TimeoutError` for its reason, `timeout`. */
  readonly signal?: AbortSignal | undefined
}

/**
 * All HTTP APIs of csp, and its searches without HTTP, over the same backends, cache and queue.
 * @example
 * const app: App = createApp({ backends: claude() })
 * for await (const event of app.stream({ query: 'What is new in Bun 1.4?', want: 'answer' })) {
 *   if (event.type === 'text-delta') process.stdout.write(event.text)
 * }
 */
export interface App {
  /**
   * Answers an HTTP request; never throws. Takes what servers add to it: Bun's server, so that it does not cut silent
   * connections. It needs no `this`.
   */
  readonly fetch: (request: Request, server?: unknown) => Response | Promise<Response>
  /** Searches, and resolves with the whole answer. Throws a `SearchError`. */
  search(input: SearchInput, options?: SearchOptions): Promise<Answer>
  /** Searches, and yields what happens as it happens. Throws a `SearchError`. */
  stream(input: SearchInput, options?: SearchOptions): AsyncIterable<SearchEvent>
  /** Stops what runs, and closes the backends. Idempotent. */
  close(): Promise<void>
}

/**
 * Creates the app: the APIs of all vendors over some backends, with the layers that csp itself runs behind (cache, queue,
 * retry, circuit breaker, checks of all text that comes from pages). Starts nothing before the first request. Throws a
 * `TypeError` where an option cannot be.
 * @example
 * const app = createApp({ backends: [searxng({ url: 'http://127.0.0.1:8080' }), claude()] })
 * const reply = await app.fetch(new Request('http://localhost/v1/search?q=bun'))
 * const { searches } = await app.search({ query: 'bun 1.4 release notes', limit: 5 })
 */
export function createApp(options: AppOptions): App {
  const { keys = [], allowedHosts = [], onRequest } = options
  if (keys.some((key) => key.length < minKeyLength))
    throw new TypeError(`A key of createApp has less than ${minKeyLength} characters.`)
  const executor = createExecutor(options)
  const http = createHttpApp({
    executor,
    version,
    keys,
    // Keys protect the app, whatever name it is called by.
    allowedHosts: keys.length > 0 && allowedHosts.length === 0 ? ['*'] : allowedHosts,
    allowedOrigins: options.allowedOrigins,
    defaultModel: options.model,
    maximumBodyBytes: options.maxBodyBytes,
    log:
      onRequest &&
      (({ id, method, path, status, ms, backend, code }) => onRequest({ id, method, path, status, ms, backend, code })),
  })
  async function* stream(input: SearchInput, { signal = new AbortController().signal }: SearchOptions = {}) {
    yield* executor.search(requestOf(input), { signal })
  }
  return {
    fetch: (request, server) => http.fetch(request, { connection: connectionOf(request, server) }),
    stream,
    search: (input, given) => collect(stream(input, given)),
    close: () => executor.close(),
  }
}

const minKeyLength = 8

function requestOf(input: SearchInput): SearchRequest {
  if (!input.query.trim()) throw new SearchError('invalid-request', 'query must not be empty.')
  const written = { history: [], effort: 'standard', filters: {} } as const
  if (input.want === 'answer') return { ...written, ...input }
  if (input.want === 'text') return { ...written, ...input }
  return { ...resultsRequest(input), want: 'results' }
}

function createExecutor(options: AppOptions): Executor {
  const { backends: given, cacheSeconds = 3600, store, timeoutSeconds = 120, concurrency = 3 } = options
  const backends = [given].flat()
  if (backends.length === 0) throw new TypeError('createApp needs a backend.')
  const { writers = backends.filter(({ name }) => name === 'claude') } = options
  const inService = (backend: Executor) =>
    createBackendStack(backend, {
      breaker: new Breaker({ name: backend.name }),
      queue: { concurrency, startsPerSecond: 0 },
      timeoutMs: timeoutSeconds * 1000,
      retries: 1,
    })
  // One that searches and writes has one breaker and one queue.
  const stacks = new Map([...backends, ...writers].map((executor) => [executor, inService(executor)]))
  const stacksOf = (executors: readonly Executor[]) => executors.flatMap((executor) => stacks.get(executor) ?? [])
  return createStack(stacksOf(backends), {
    instructions: options.instructions,
    cache: { ttlSeconds: cacheSeconds, storage: store && storageOn(store), onWrite: options.waitUntil },
    research: researched,
    paging: { ttlSeconds: cacheSeconds },
    writers: stacksOf(writers),
    areWritersNamed: options.writers !== undefined,
  })
}

/** The cache's storage on a store of text. */
function storageOn(store: AnswerStore) {
  return {
    async get<T>(key: string): Promise<T | null> {
      const text = await store.get(key)
      // The trust boundary: the cache checks what it reads with a schema.
      return text === null ? null : (JSON.parse(text) as T)
    },
    set: (key: string, value: unknown, { ttl = 86_400 }: { readonly ttl?: number } = {}) =>
      store.set(key, JSON.stringify(value), ttl),
  }
}

/** Bun cuts a connection that is silent for ten seconds, and a search takes longer. */
function connectionOf(request: Request, server: unknown) {
  if (!isBunServer(server)) return undefined
  return {
    keepOpen: () => server.timeout(request, 0),
    release: () => server.timeout(request, bunIdleSeconds),
  }
}

const bunIdleSeconds = 10

interface BunServer {
  timeout(request: Request, seconds: number): void
}

function isBunServer(server: unknown): server is BunServer {
  return typeof server === 'object' && server !== null && 'timeout' in server && typeof server.timeout === 'function'
}
