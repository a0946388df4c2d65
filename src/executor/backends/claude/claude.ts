import { abortError } from '../../../domain/abort.ts'
import type { OfferedModel } from '../../../domain/claude-models.ts'
import { type SearchError, toSearchError } from '../../../domain/error.ts'
import type { BackendHealth, LastError, RateLimitHealth } from '../../../domain/health.ts'
import type { SearchEvents, SearchRequest } from '../../../domain/search.ts'
import { endAtStop } from '../../answer/stop-sequences.ts'
import type { Executor, Prepared, SearchContext } from '../../executor.ts'
import { signInAdvice } from './cli/errors.ts'
import type { EngineOptions } from './engine-options.ts'
import { Engines, taskFor } from './engines.ts'
import { isInOneCall, isOfTwoCalls, modelsOf, needsNoWorker, reliefOf, runStrategy } from './strategies.ts'
import { usageFrom } from './worker/usage.ts'

export type ClaudeOptions = EngineOptions

/** The executor that runs the Claude Code CLI of this machine. It also writes answers from results of other backends. */
export interface ClaudeExecutor extends Executor {
  /** Finds the CLI and starts what the first search would have to wait for. Never throws. */
  warm(): Promise<void>
  /** Whether a request costs one search of a process that runs many at once, and no worker. */
  isLight(request: SearchRequest): boolean
  /** How a request is served where no worker is free: see `LightLane`. */
  reliefOf(request: SearchRequest): 'light' | 'list' | undefined
  /** The models that would serve a request. */
  modelsOf(request: SearchRequest): readonly string[]
  /** The models that the CLI offers, as it said when it was warmed; none before. */
  offered(): readonly OfferedModel[]
  /** Somebody has signed in: what runs with the old login is replaced, and the CLI is asked again. */
  renewLogin(): void
  /** What the plan has left, as the CLI asks for it. Calls no model. `undefined` if the CLI cannot know it. */
  planUsage(signal: AbortSignal): Promise<RateLimitHealth | undefined>
}

/**
 * Searches with the CLI's WebSearch: over MCP where one model call is enough, with warm workers where text must be
 * written or the search needs an agent. `strategies.ts` says which request takes which.
 */
export function claude(options: ClaudeOptions): ClaudeExecutor {
  const engines = new Engines(options)
  let lastError: LastError | undefined

  const note = (error: SearchError) => {
    if (error.code === 'cancelled' || error.code === 'invalid-request') return
    if (engines.isClosing) return // csp stops its processes itself, and what they leave undone is no fault
    const at = engines.now().toISOString()
    lastError = { code: error.code, message: error.forOthers, at }
    if (error.code === 'signed-out') engines.restart() // a running process may never read a new login
  }

  async function* search(request: SearchRequest, context: SearchContext): SearchEvents {
    const { signal } = context
    try {
      if (signal.aborted) throw abortError(signal)
      const enough = new AbortController()
      const task = taskFor(engines, request, { ...context, enough: enough.signal })
      const { stop = [] } = request
      yield* stop.length > 0 ? endAtStop(runStrategy(task), stop, () => enough.abort()) : runStrategy(task)
    } catch (error) {
      const failure = signal.aborted ? abortError(signal) : toSearchError(error)
      note(failure)
      throw failure
    }
  }

  return {
    name: 'claude',
    search,
    async answers(request, { signal }) {
      // Where the CLI cannot be used, a search says why.
      const found = await engines.ready(signal).catch(() => undefined)
      if (found?.direct) engines.native.mayTry(request, engines.modelFor(request))
      return !found || !isOfTwoCalls(request, found.direct) || isInOneCall(engines, request)
    },
    async prepare(request, { signal, caller }) {
      let isOver = false
      let prepared: Prepared | undefined
      // A list need not wait until the CLI is known, but without that no worker starts.
      const known = engines.ready(signal).then(() => {
        if (!isOver) prepared = engines.writers.prepare(engines.modelFor(request), caller)
      })
      known.catch(() => {})
      return {
        release() {
          isOver = true
          prepared?.release()
        },
      }
    },
    isLight: (request) => needsNoWorker(engines, request),
    reliefOf: (request) => reliefOf(engines, request),
    modelsOf: (request) => modelsOf(engines, request),
    offered: () => engines.offered,
    renewLogin() {
      if (lastError?.code === 'signed-out') lastError = undefined
      engines.native.forget()
      engines.restart()
    },
    async planUsage(signal) {
      // With a token in its environment the CLI does not know the plan.
      if (options.environment['CLAUDE_CODE_OAUTH_TOKEN']) return undefined
      return usageFrom(await engines.planUsage(signal))
    },
    async warm() {
      try {
        await engines.warm()
      } catch (error) {
        if (engines.isClosing) return
        const failure = toSearchError(error)
        note(failure)
        // Health reports what is wrong with the CLI itself.
        const { problem } = await engines.probed()
        if (!problem) options.log?.('warning', `Claude is not warm: ${failure.forOthers}`)
      }
    },
    async health() {
      const backend = { ...(await describe(engines, lastError)), ...(!options.findBinary() && { isMissing: true }) }
      return { ready: backend.ready, backends: [backend] }
    },
    close: () => engines.close(),
  }
}

async function describe(engines: Engines, lastError: LastError | undefined): Promise<BackendHealth> {
  const { problem, version, signedIn, authMethod, subscription } = await engines.knownSoon()
  const signedOut = signedIn === false ? `Claude is not signed in. ${signInAdvice}` : undefined
  return {
    name: 'claude',
    ready: !problem && signedIn !== false,
    problem: problem ?? signedOut,
    version,
    signedIn,
    authMethod,
    subscription,
    engines: engines.state,
    rateLimit: engines.rateLimit,
    lastError,
  }
}
