import { type BackendHealth, type ExecutorHealth, kindsInWords, limitInWords, windowInWords } from './health.ts'

/** What can be searched now: one line for `/health`, the page, `csp status` and `csp doctor`. */
export interface SearchState {
  /** `limited`: no new search before `until`, since a limit is reached. `signed-out`: none before a login. */
  readonly status: 'ok' | 'degraded' | 'limited' | 'signed-out' | 'down'
  /** Times in it are ISO 8601. */
  readonly text: string
  /** ISO 8601. */
  readonly until?: string | undefined
  /** Whether pages that csp has seen answer in place of a search. */
  readonly fromMemory: boolean
}

/** Why nothing is searched, and until when. */
interface Hold {
  readonly until: string
  readonly reason: string
}

export function searchState(health: ExecutorHealth): SearchState {
  const { ready, backends, budget, cache, memory } = health
  const fromMemory = (memory?.pages ?? 0) > 0
  // All limits have to end, and one backend is enough.
  const spent = (budget?.limits ?? [])
    .filter(({ left, caller }) => left === 0 && caller === undefined)
    .map((limit): Hold => ({ until: limit.resetsAt, reason: limitInWords(limit) }))
    .toSorted((a, b) => b.until.localeCompare(a.until))[0]
  const held = backends
    .flatMap((backend) => holdOf(backend) ?? [])
    .toSorted((a, b) => a.until.localeCompare(b.until))[0]
  const hold = spent ?? (ready ? undefined : held)
  if (hold) {
    const known = fromMemory ? ' Works from memory.' : cache ? ' Repeated searches come from the cache.' : ''
    const text = `No new searches until ${hold.until}: ${withoutStop(hold.reason)}.${known}`
    return { status: 'limited', text, until: hold.until, fromMemory }
  }
  if (!ready) {
    const isSignedOut = backends.some(({ signedIn }) => signedIn === false)
    const without = isSignedOut ? 'Signed out: no new searches until `csp login`.' : 'No new searches now.'
    const text = fromMemory ? `${without} Works from memory.` : isSignedOut ? without : 'Searches cannot work now.'
    return { status: isSignedOut ? 'signed-out' : 'down', text, fromMemory }
  }
  const paused = backends.filter((backend) => backend.ready).map(({ plan }) => plan?.paused)
  const [first] = paused
  if (first && paused.every(Boolean)) {
    const text = `Searches work, but no ${kindsInWords(first.kinds)} until ${first.until}: ${withoutStop(first.reason)}.`
    return { status: 'degraded', text, until: first.until, fromMemory }
  }
  if (backends.some((backend) => !backend.ready))
    return { status: 'degraded', text: 'Searches work, but not on every backend.', fromMemory }
  if (backends.some(({ lastSearchFailed }) => lastSearchFailed))
    return { status: 'degraded', text: 'The last search failed.', fromMemory }
  return { status: 'ok', text: 'Searches work.', fromMemory }
}

/** The limit that holds a backend back, if it is one that ends. */
function holdOf({ name, ready, plan, breaker, rateLimit }: BackendHealth): Hold | undefined {
  if (ready) return undefined
  if (plan?.paused?.kinds.includes('lists')) return plan.paused
  if (breaker?.state !== 'open' || rateLimit?.status !== 'rejected') return undefined
  const until = rateLimit.resetsAt ?? breaker.retryAt
  return until === undefined ? undefined : { until, reason: `${windowInWords(rateLimit.window)} of ${name}` }
}

/** A reason may be a sentence. */
function withoutStop(reason: string): string {
  return reason.replace(/\.$/, '')
}
