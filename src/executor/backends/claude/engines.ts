import { closedError, interruptible } from '../../../domain/abort.ts'
import type { OfferedModel } from '../../../domain/claude-models.ts'
import { SearchError } from '../../../domain/error.ts'
import type { RateLimitHealth } from '../../../domain/health.ts'
import type { SearchRequest } from '../../../domain/search.ts'
import { type ClientTools, clientToolsFor } from '../../answer/client-tools.ts'
import { JsonShape } from '../../answer/json/shape.ts'
import { isOneQuestion } from '../../answer/listed.ts'
import { nativeSystemPrompt } from '../../answer/prompt/native.ts'
import type { SearchTrace, SourcePages } from '../../executor.ts'
import {
  childEnvironment,
  directArguments,
  ensureDirectory,
  strayCredentials,
  usageEnvironment,
  type WorkerKind,
  workerArguments,
} from './cli/launch.ts'
import { type ClaudeProbe, unusableFailure } from './cli/probe.ts'
import type { EngineOptions } from './engine-options.ts'
import { InstalledClaude } from './installed.ts'
import { NativeSearch, usualSettings } from './native.ts'
import { ownSystemPrompt, systemPrompts } from './prompts.ts'
import { DirectEngine } from './search-server/direct.ts'
import { settingsEnvironment } from './worker/controls.ts'
import { offeredModels } from './worker/models.ts'
import { Pool, PreparedWriters } from './worker/pool.ts'
import { limitNews } from './worker/usage.ts'
import { Worker } from './worker/worker.ts'

/** Both engines on one CLI: finds it, probes it, starts its processes and knows their state. */
export class Engines {
  readonly #options: EngineOptions
  /** Searches with the search model. */
  readonly direct: DirectEngine
  /** Searches whose own summary is the answer, with the model that writes answers: often the same engine. */
  readonly fast: DirectEngine
  readonly pool: Pool
  readonly writers: PreparedWriters
  /** Whether answers are made in one call. */
  readonly native: NativeSearch
  readonly #installed: InstalledClaude
  readonly #closing = new AbortController()
  /** Asked for the use of the plan last. */
  #asker: Worker | undefined
  /** The models that the CLI offers, once it was started ahead. */
  offered: readonly OfferedModel[] = []
  /** Whether the model of `fast` has been seen to mark the end of its summary. */
  closesSummaries = false
  rateLimit: RateLimitHealth | undefined

  constructor(options: EngineOptions) {
    this.#options = options
    const { version, model, maxSessionSearches, sessionContext, idleMs = defaultIdleMs, livenessMs } = options
    const debug = (message: string) => options.log?.('debug', message)
    const start = (kind: WorkerKind, model: string, systemPrompt?: string) =>
      this.#startWorker(kind, model, { systemPrompt })
    this.pool = new Pool({ start, maxSessionSearches, sessionContext, idleMs, log: debug })
    this.writers = new PreparedWriters(this.pool)
    const now = () => this.now()
    this.native = new NativeSearch(options.answers ?? 'pages', now, options.nativeMemory)
    const directWith = (model: string) => {
      const place = () => this.#place(directArguments, model, 'low')
      return new DirectEngine({ process: place, version, idleMs, maxSearches: 1000, now, livenessMs, log: debug })
    }
    this.direct = directWith(this.searchModel)
    this.fast = this.searchModel === model ? this.direct : directWith(model)
    this.#installed = new InstalledClaude({
      engines: options,
      offersSearch: () => this.direct.warm(),
      onFound: (found) => this.native.belongsTo(found),
      onUpdate: () => this.#renew(),
      closing: this.#closing.signal,
    })
  }

  /** Whether the CLI offers WebSearch over MCP, as last found out. */
  get hasDirect(): boolean {
    return this.#installed.hasDirect
  }

  /** What the search call writes of each page: nothing where csp reads the pages itself. */
  excerptsFor({ excerpts = this.#options.excerpts }: SearchRequest): 'lines' | 'none' {
    return excerpts === 'none' ? 'none' : 'lines'
  }

  get model(): string {
    return this.#options.model
  }

  get searchModel(): string {
    return this.#options.searchModel ?? this.#options.model
  }

  /** The model that writes for a request, or that makes its list where only workers can search; the same judges. */
  modelFor({ want, claims, model = this.model }: SearchRequest): string {
    return want === 'results' || claims ? this.searchModel : model
  }

  /** The system prompt of an answerer with an operator's words, where there are some for such an answer. */
  answererPrompt(request: SearchRequest): string | undefined {
    const { standard, deep } = this.#options.prompts ?? {}
    const own = isOneQuestion(request) ? standard : request.effort === 'fast' ? undefined : deep
    return own === undefined ? undefined : nativeSystemPrompt(own)
  }

  now(): Date {
    return this.#options.now?.() ?? new Date()
  }

  /** Warns once when the limit is near. */
  noteLimit(limit: RateLimitHealth): void {
    const news = limitNews(limit, this.rateLimit)
    this.rateLimit = limit
    this.#options.onRateLimit?.(limit)
    if (news) this.#options.log?.('warning', news)
  }

  /** Resolves once the CLI is known to be usable. Throws `unavailable` otherwise. */
  async ready(signal: AbortSignal): Promise<ClaudeProbe> {
    if (this.#closing.signal.aborted) throw closedError()
    this.#installed.askServerToo()
    const found = await interruptible(this.#installed.probed(Number.POSITIVE_INFINITY), signal)
    if (found.problem) throw unusableFailure(found.problem)
    return found
  }

  /** The last probe of the CLI; probes again when that is old. */
  probed(): Promise<ClaudeProbe> {
    return this.#installed.probed()
  }

  /** What is known of the CLI, within a few seconds even if it hangs. */
  knownSoon(): Promise<ClaudeProbe> {
    return this.#installed.knownSoon()
  }

  /** Starts what the first search would wait for. Throws when the CLI cannot be used. */
  async warm(): Promise<void> {
    for (const name of this.#options.auth === 'subscription' ? strayCredentials(this.#options.environment) : []) {
      this.#options.log?.(
        'warning',
        `${name} is set, and ignored: searches run on your subscription. To use it: --auth api-key.`,
      )
    }
    this.#installed.askServerToo()
    const { problem, direct } = await this.probed()
    if (problem) throw unusableFailure(problem)
    const kind = direct && this.native.isOn ? 'answerer' : 'searcher'
    const worker = this.pool.take(kind, this.#options.model)
    try {
      await worker.ready
      this.offered = await offeredModels(worker, this.#closing.signal)
    } finally {
      this.pool.giveBack(kind, worker)
    }
    const offersSearch = worker.offered.includes('WebSearch')
    if (!direct && !offersSearch) throw new SearchError('unavailable', 'This Claude CLI offers no WebSearch.')
  }

  /** What the CLI says of the use of the plan, without a model call, in a process of its own: it ends at once. */
  async planUsage(signal: AbortSignal): Promise<unknown> {
    await this.ready(signal)
    const worker = this.#startWorker('writer', this.model, { environmentOf: usageEnvironment })
    this.#asker = worker
    try {
      const asking = AbortSignal.any([signal, this.#closing.signal])
      return await worker.ask({ subtype: 'get_usage', skip_behaviors: true }, asking)
    } finally {
      await worker.stop()
    }
  }

  get state(): Readonly<Record<string, string>> {
    const hasTwo = this.fast !== this.direct
    const { isOn, state: answers } = this.native
    return {
      direct: this.direct.state,
      ...(hasTwo && { fast: this.fast.state }),
      agent: this.pool.state,
      ...(isOn && { answers }),
    }
  }

  /** After a lost login: a process that runs may never read the new one. */
  restart(): void {
    this.#replace('it may not know of a new login')
    this.#installed.forget()
  }

  /** After an update of the CLI: what was started ahead is started again, and may offer other models. */
  #renew(): void {
    this.#replace('another CLI was installed')
    if (this.offered.length > 0) void this.warm().catch(() => {})
  }

  /** Stops every process once it is idle; the next search starts new ones. */
  #replace(reason: string): void {
    for (const engine of new Set([this.direct, this.fast])) engine.recycle(reason)
    this.pool.recycle(reason)
  }

  /** Whether `close` was called. */
  get isClosing(): boolean {
    return this.#closing.signal.aborted
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all([
      this.native.close(),
      this.#installed.settled(),
      this.#asker?.stop(),
      this.pool.close(),
      this.direct.close(),
      this.fast.close(),
    ])
  }

  #startWorker(kind: WorkerKind, model: string, { environmentOf, ...extras }: WorkerExtras): Worker {
    const systemPrompt = extras.systemPrompt ?? ownSystemPrompt(kind, this.#options.prompts)
    const args = workerArguments(kind, systemPrompts[kind], this.#installed.flags)
    const { environment, ...place } = this.#place(args, model, kind === 'searcher' ? 'medium' : 'low', environmentOf)
    const tools = kind === 'searcher' ? ['WebSearch'] : []
    const settings = kind === 'answerer' ? usualSettings : undefined
    return new Worker({
      ...{ ...place, environment: { ...environment, ...(settings && settingsEnvironment(settings)) } },
      ...{ model, systemPrompt, settings, tools, livenessMs: this.#options.livenessMs },
    })
  }

  #place(args: readonly string[], model: string, effort: 'low' | 'medium', environmentOf = childEnvironment) {
    const { findBinary, environment, auth, workingDirectory } = this.#options
    ensureDirectory(workingDirectory)
    const command = [findBinary() ?? 'claude', ...args]
    return { command, environment: environmentOf({ environment, auth, model, effort }), directory: workingDirectory }
  }
}

const defaultIdleMs = 300_000

interface WorkerExtras {
  /** The caller's own. */
  readonly systemPrompt?: string | undefined
  readonly environmentOf?: typeof childEnvironment | undefined
}

/** One request, and what the strategies need to run it. */
export interface Task {
  readonly engines: Engines
  readonly request: SearchRequest
  /** The caller's tools that the model may call. */
  readonly tools: ClientTools | undefined
  /** Set when the text must be JSON. */
  readonly shape: JsonShape | undefined
  readonly signal: AbortSignal
  /** Whose session goes on, where sessions are kept. */
  readonly caller?: string | undefined
  /** Where each model call is noted. */
  readonly trace?: SearchTrace | undefined
  /** The pages of an answer. Absent if none may be read. */
  readonly pages?: Pick<SourcePages, 'begin'> | undefined
  /** Whether the caller reads nothing before the end. */
  readonly isWhole?: boolean | undefined
  /** Whether no worker is free, so that a way without one is sooner. */
  readonly isSparing?: boolean | undefined
  /** Aborts when no more text is wanted: the turn is interrupted, and its cost still reported. */
  readonly enough: AbortSignal
}

/** Validates schema and tools before any model call. Throws `invalid-request`. */
export function taskFor(
  engines: Engines,
  request: SearchRequest,
  context: Pick<Task, 'signal' | 'enough' | 'caller' | 'trace' | 'pages' | 'isWhole' | 'isSparing'>,
): Task {
  const shape = request.schema && new JsonShape(request.schema)
  return { engines, request, tools: clientToolsFor(request), shape, ...context }
}
