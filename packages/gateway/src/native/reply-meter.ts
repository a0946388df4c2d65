import { isObject } from '@csp/lib/json'
import { toldCount } from '@csp/lib/told-count'
import { plainUrl } from '@csp/lib/url'
import type { UpstreamContext } from '../upstream.ts'

/** Counts the tokens of one reply, as the reply names them, and reports them once when it is over. */
export class ReplyMeter {
  readonly #baseUrl: string
  readonly #model: string
  readonly #trace: UpstreamContext['trace']
  readonly #startedAt = performance.now()
  /** Totals: a later one replaces an earlier one, and the others stay. */
  readonly #counts = new Map<string, number>()
  #isOver = false

  /** `model`: the provider's name of it. */
  constructor(baseUrl: string, model: string, trace: UpstreamContext['trace']) {
    this.#baseUrl = baseUrl
    this.#model = model
    this.#trace = trace
  }

  /** Reads the usage of a message or of its end, where there is one. */
  read(usage: unknown): void {
    if (!isObject(usage)) return
    for (const name of fields) {
      const { data: count } = toldCount.safeParse(usage[name])
      if (count !== undefined) this.#counts.set(name, count)
    }
  }

  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    const cachedInputTokens = this.#count('cache_read_input_tokens')
    this.#trace?.answered({
      baseUrl: plainUrl(this.#baseUrl),
      model: this.#model,
      inputTokens: this.#count('input_tokens') + this.#count('cache_creation_input_tokens') + cachedInputTokens,
      cachedInputTokens,
      outputTokens: this.#count('output_tokens'),
      milliseconds: performance.now() - this.#startedAt,
    })
  }

  #count(name: (typeof fields)[number]): number {
    return this.#counts.get(name) ?? 0
  }
}

const fields = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens', 'output_tokens'] as const
