import { type SearchError, toSearchError } from '../../domain/error.ts'
import type { SearchRequest } from '../../domain/search.ts'
import { abortError } from '../abort-error.ts'
import type { BackendHealth, Executor, LastError } from '../executor.ts'
import { answerByAgent, listResultsByAgent } from './agent-loop.ts'
import { type EngineOptions, Engines } from './engines.ts'
import type { RateLimit } from './events.ts'
import { answerFast, answerFromSources, listResults, type Road, writeText } from './roads.ts'

export type ClaudeOptions = EngineOptions

/** The executor that runs the Claude Code CLI of this machine. */
export interface ClaudeExecutor extends Executor {
  /** Finds the CLI and starts what a first search would have to wait for. Never throws. */
  warm(): Promise<void>
}

/**
 * Searches with the CLI's WebSearch: over MCP where one model call is enough, with warm workers where text is to be
 * written or the search needs an agent. See `roads.ts` for which request takes which.
 */
export function claude(options: ClaudeOptions): ClaudeExecutor {
  const engines = new Engines(options)
  let lastError: LastError | undefined

  const note = (error: SearchError) => {
    if (error.code === 'cancelled' || error.code === 'invalid-request') return
    const at = engines.now().toISOString()
    lastError = { code: error.code, message: error.message, at }
    options.log?.('warning', `${error.code}: ${error.message}`)
    if (error.code === 'signed-out') engines.restart() // a process that was signed out may never look again
  }

  return {
    name: 'claude',
    async *search(request, { signal }) {
      try {
        if (signal.aborted) throw abortError(signal)
        yield* takeRoad(engines, request, signal)
      } catch (error) {
        const failure = signal.aborted ? abortError(signal) : toSearchError(error)
        note(failure)
        throw failure
      }
    },
    async warm() {
      await engines.warm().catch((error) => note(toSearchError(error)))
    },
    async health() {
      const backend = await describe(engines, lastError)
      return { ready: backend.ready, backends: [backend] }
    },
    close: () => engines.close(),
  }
}

/** One model call where it is enough; the agent loop where the earlier conversation or the question asks for it. */
async function* takeRoad(engines: Engines, request: SearchRequest, signal: AbortSignal): Road {
  const { direct } = await engines.ready(signal)
  const { want, effort, history } = request
  if (want === 'text') yield* writeText(engines, request, signal)
  else if (want === 'results')
    yield* direct ? listResults(engines, request, signal) : listResultsByAgent(engines, request, signal)
  else if (!direct || effort === 'deep' || history.length > 0) yield* answerByAgent(engines, request, signal)
  else if (effort === 'fast') yield* answerFast(engines, request, signal)
  else yield* answerFromSources(engines, request, signal)
}

async function describe(engines: Engines, lastError: LastError | undefined): Promise<BackendHealth> {
  const { problem, version, signedIn, authMethod, subscription } = await engines.probed()
  const signedOut = signedIn === false ? 'Claude is not signed in. Run `claude` and then `/login`.' : undefined
  return {
    name: 'claude',
    ready: !problem && signedIn !== false,
    problem: problem ?? signedOut,
    version,
    signedIn,
    authMethod,
    subscription,
    engines: engines.state,
    rateLimit: engines.rateLimit && describeLimit(engines.rateLimit),
    lastError,
  }
}

function describeLimit({ status, window, utilization, resetsAt }: RateLimit): BackendHealth['rateLimit'] {
  return { status, window, utilization, resetsAt: resetsAt?.toISOString() }
}
