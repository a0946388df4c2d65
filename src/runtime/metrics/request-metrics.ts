import type { UpstreamCall } from '@csp/gateway/upstream'
import { familyOf } from '@csp/messages-api/claude-families'
import type { RequestLog } from '../../api/exchange/request-log.ts'
import type { Family, Labels } from './families.ts'
import { Counter, Histogram, other } from './series.ts'

/** The names that may stand in labels. What callers and other machines write is `other`. */
export interface KnownNames {
  readonly backends: readonly string[]
  readonly models: readonly string[]
}

/** Counts requests, from what the log is told of them. No label holds a word of a caller. */
export class RequestMetrics {
  readonly #known: { readonly backends: ReadonlySet<string>; readonly models: ReadonlySet<string> }

  readonly #requests = new Counter('csp_requests_total', 'Requests that have ended, by the class of their status.')
  readonly #failures = new Counter(
    'csp_failures_total',
    'Requests that failed, by code; a stream may fail after its 200.',
  )
  readonly #duration = new Histogram('csp_request_duration_seconds', 'From a request to the end of its reply.')
  readonly #phase = new Histogram(
    'csp_request_phase_seconds',
    'Where the time of a search went: queued, upstream (the backend at work), own (the rest).',
  )
  readonly #cache = new Counter('csp_cache_requests_total', 'Searches by what the cache had for them.')
  readonly #replaced = new Counter('csp_replaced_total', 'Failures of a backend for which something else stood in.')
  readonly #searches = new Counter('csp_searches_total', 'Searches that requests cost.')
  readonly #tokens = new Counter('csp_tokens_total', 'Tokens that requests cost.')
  readonly #pages = new Counter('csp_pages_total', 'Pages that requests asked for.')
  readonly #calls = new Counter('csp_upstream_calls_total', 'Replies of upstreams of the gateway.')
  readonly #callDuration = new Histogram('csp_upstream_call_duration_seconds', 'How long replies of upstreams took.')
  readonly #callTokens = new Counter('csp_upstream_tokens_total', 'Tokens of upstreams; cached ones are input as well.')

  constructor({ backends, models }: KnownNames) {
    this.#known = { backends: new Set(backends), models: new Set(models) }
  }

  /** `route`: as it is mounted; `undefined` if nothing is. */
  observe(entry: RequestLog, route: string = other): void {
    const { dialect, status, code, cache, ms, effort = '', backend: name } = entry
    const backend = this.#backendOf(name)
    const model = this.#modelOf(entry.model)
    this.#requests.add({ route, dialect, status: `${Math.floor(status / 100)}xx` })
    if (code !== undefined) this.#failures.add({ dialect, code })
    this.#duration.observe({ route, effort, model, backend }, ms / 1000)
    const { queuedMs, upstreamMs, pagesMs, ownMs, searches, inputTokens, outputTokens, pages, unread } = entry
    for (const [phase, spent] of Object.entries({
      queued: queuedMs,
      upstream: upstreamMs,
      pages: pagesMs,
      own: ownMs,
    })) {
      if (spent !== undefined) this.#phase.observe({ phase, effort, model, backend }, spent / 1000)
    }
    if (cache !== undefined) this.#cache.add({ status: cache })
    this.#searches.add({ backend }, searches ?? 0)
    this.#addTokens(this.#tokens, { backend, model }, { input: inputTokens, output: outputTokens })
    this.#pages.add({ outcome: 'read' }, pages ?? 0)
    this.#pages.add({ outcome: 'unread' }, unread ?? 0)
    for (const failure of entry.replaced ?? []) {
      const [failed = '', reason = ''] = failure.split(': ')
      this.#replaced.add({ backend: this.#backendOf(failed), code: reason })
    }
  }

  observeCall({ upstream, model: name, milliseconds, ...spent }: UpstreamCall): void {
    const labels = { upstream: this.#backendOf(upstream ?? other), model: this.#modelOf(name) }
    this.#calls.add(labels)
    this.#callDuration.observe(labels, milliseconds / 1000)
    const { inputTokens: input, cachedInputTokens: cached, outputTokens: output } = spent
    this.#addTokens(this.#callTokens, labels, { input, cached, output })
  }

  get families(): readonly Family[] {
    return [
      ...[this.#requests, this.#failures, this.#duration, this.#phase, this.#cache, this.#replaced, this.#searches],
      ...[this.#tokens, this.#pages, this.#calls, this.#callDuration, this.#callTokens],
    ].map(({ family }) => family)
  }

  #addTokens(counter: Counter, labels: Labels, kinds: Readonly<Record<string, number | undefined>>): void {
    for (const [kind, count] of Object.entries(kinds)) counter.add({ ...labels, kind }, count ?? 0)
  }

  /** Several where a request was several searches. */
  #backendOf(name: string | undefined): string {
    if (name === undefined) return ''
    return name.split(', ').every((one) => this.#known.backends.has(one)) ? name : other
  }

  /** A model that is configured by its name, others of the vendor by their family. */
  #modelOf(name: string | undefined): string {
    if (name === undefined || this.#known.models.has(name)) return name ?? ''
    return familyOf(name) ?? other
  }
}
