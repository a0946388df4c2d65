import { BoundedMap } from '@csp/lib/bounded-map'
import { counted } from '@csp/lib/text'
import type { SearchRequest } from '../../../domain/search.ts'
import type { ClientTools } from '../../answer/client-tools.ts'
import { isOneQuestion } from '../../answer/listed.ts'
import { nativeTool, RefusedPlaces } from '../../answer/native-search.ts'
import type { KnownModel, KnownOf, NativeMemory, OffReason } from './native-memory.ts'
import type { TurnSettings } from './worker/controls.ts'

/**
 * How answers are made. `search`: in one call of the model, which searches within it. `pages`: by a search of its own,
 * and over its pages. `auto`: in one call where that costs a plan no more than the other way, or hardly more.
 */
export type AnswersBy = 'auto' | 'search' | 'pages'

/**
 * What the CLI adds to each call of a turn: the API's search tool with what the request narrows its search to, and the
 * caller's functions, since the list of tools is replaced as a whole. The CLI has the model think, so the API lets
 * nobody demand the search.
 */
export function nativeSettings(
  request: SearchRequest,
  tools: ClientTools | undefined,
  places?: RefusedPlaces,
): TurnSettings {
  const isDeep = request.effort === 'deep'
  const maxUses = request.maxSearches ?? (isDeep ? maxDeepSearches : 1)
  const search = nativeTool(request, 'web_search_20250305', maxUses, places)
  const body = { tools: [search, ...(tools?.definitions ?? [])], tool_choice: { type: 'auto' } }
  return { body: JSON.stringify(body), effort: isDeep ? 'medium' : 'low' }
}

const maxDeepSearches = 5

/** What a worker starts with: most turns need nothing else. */
export const usualSettings = nativeSettings(
  { want: 'answer', query: '', history: [], effort: 'fast', filters: {} },
  undefined,
)

/** What an answer in one call has shown of its model and the account. */
export interface SeenAnswer {
  readonly searches: number
  /** What the results of its one search weigh, in tokens, where that could be told. */
  readonly resultTokens?: number | undefined
  /** Whether the API told what the text rests on. `undefined`: the text is too short to tell, or is no prose. */
  readonly cites?: boolean | undefined
}

interface Known extends KnownModel {
  /** Answers without a search, the last ones in a row. */
  readonly vainInRow: number
}

/** Whether answers are made in one call, by what each model and the account have shown. */
export class NativeSearch {
  readonly #by: AnswersBy
  readonly #now: () => Date
  readonly #memory: NativeMemory | undefined
  readonly #models = new BoundedMap<string, Known>(maxModels)
  /** Whose models they are, and that as one text. */
  #of: KnownOf | undefined
  #identity = ''
  /** The `standard` answer of each model that finds out what its searches weigh, until it begins. */
  readonly #trials = new BoundedMap<string, Trial>(maxModels)
  /** Places that searches of answers in one call go without. */
  readonly places = new RefusedPlaces()
  #saving: ReturnType<typeof setTimeout> | undefined

  constructor(by: AnswersBy, now: () => Date, memory?: NativeMemory) {
    this.#by = by
    this.#now = now
    this.#memory = memory
  }

  /** The CLI and its login were looked at: what is known of others says nothing of them. */
  belongsTo({ version, authMethod, subscription }: KnownOf): void {
    const of = { version, authMethod, subscription }
    const identity = JSON.stringify([version, authMethod, subscription])
    if (!this.isOn || identity === this.#identity) return
    this.#identity = identity
    this.#of = of
    this.#forgetAll()
    for (const [model, known] of Object.entries(this.#memory?.recall(of) ?? {}))
      this.#models.set(model, { ...known, vainInRow: 0 })
  }

  /** Somebody has signed in, perhaps as somebody else. */
  forget(): void {
    this.#forgetAll()
    this.#save()
  }

  /** Has kept what is known. */
  async close(): Promise<void> {
    if (this.#saving) await this.#saveNow()
  }

  /** Whether any answer is made in one call. */
  get isOn(): boolean {
    return this.#by !== 'pages'
  }

  /** Whether answers are made in one call however long they have to wait. */
  get isAlways(): boolean {
    return this.#by === 'search'
  }

  /** Whether an answer to a request is made in one call of this model. */
  serves(request: SearchRequest, model: string): boolean {
    if (this.#by === 'pages' || request.want !== 'answer' || request.sources) return false
    const known = this.#models.get(model)
    if (known && known.offUntil > this.#now().getTime()) return false
    return (
      this.#by === 'search' ||
      !isOneQuestion(request) ||
      isLight(known) ||
      this.#trials.get(model)?.query === request.query
    )
  }

  /**
   * Where nothing is known of what a model's searches weigh, one `standard` answer a day is made in one call, to find out:
   * who asks for nothing else would never know. It is this one, if no other is about to.
   */
  mayTry(request: SearchRequest, model: string): void {
    if (this.#by !== 'auto' || !isOneQuestion(request)) return
    const now = this.#now().getTime()
    const { weights = [], triedAt = 0, offUntil = 0 } = this.#models.get(model) ?? {}
    if (weights.length > 0 || offUntil > now || Math.abs(now - triedAt) < trialMs) return
    const about = this.#trials.get(model)
    if (!about || Math.abs(now - about.at) > trialWaitMs) this.#trials.set(model, { query: request.query, at: now })
  }

  /** An answer is asked for in one call: that is the trial, if there was to be one. */
  begins(request: SearchRequest, model: string): void {
    if (this.#trials.get(model)?.query !== request.query) return
    this.#change(model, { triedAt: this.#now().getTime() })
  }

  /** It has ended, one way or another. */
  ended(request: SearchRequest, model: string): void {
    if (this.#trials.get(model)?.query === request.query) this.#trials.delete(model)
  }

  /** Whether the API has told what this model's texts rest on. `false`: it does not, so the model is asked for links. */
  cites(model: string): boolean {
    return this.#models.get(model)?.cites ?? true
  }

  /** An answer has been made. One without a search has none that could be passed on. */
  note(model: string, { searches, resultTokens, cites }: SeenAnswer): void {
    const known = this.#known(model)
    if (searches === 0) {
      this.#noteVain(model, known)
      return
    }
    const weights = resultTokens === undefined ? known.weights : [...known.weights, resultTokens].slice(-keptWeights)
    const isNews = cites === true || (cites === false && known.cites === undefined)
    this.#change(model, { hasSearched: true, vainInRow: 0, weights, cites: isNews ? cites : known.cites })
  }

  /** The API refuses the tool. */
  noteRefusal(model: string): void {
    this.#change(model, this.#off(refusedMs, 'refused'))
  }

  /** A line for health: which way answers take, and why. */
  get state(): string {
    const rule =
      this.#by === 'search' ? 'one call (--answers search)' : 'one call, for standard answers where a search is light'
    const models = [...this.#models].map(([model, known]) => `${model}: ${this.#words(known)}`)
    return [rule, ...models].join('; ')
  }

  #words(known: Known): string {
    const { weights, vain, cites, offUntil, reason = 'vain', hasSearched } = known
    const weight = medianOf(weights)
    const isOff = offUntil > this.#now().getTime()
    return [
      isOff && `not until ${new Date(offUntil).toISOString().slice(0, 16)}Z, since ${reasons[reason]}`,
      !isOff && hasSearched && 'works',
      weight !== undefined && `a search weighs ${Math.round(weight)} tokens${isLight(known) ? '' : ', too many'}`,
      vain > 0 && `${counted(vain, 'answer')} without a search`,
      cites === false && 'no citations, so links',
    ]
      .filter(Boolean)
      .join(', ')
  }

  #noteVain(model: string, { hasSearched, vain, vainInRow }: Known): void {
    const isOff = !hasSearched && vainInRow + 1 >= maxVain
    const off = isOff && { ...this.#off(vainMs, 'vain'), vainInRow: 0 }
    this.#change(model, { vain: vain + 1, vainInRow: vainInRow + 1, ...off })
  }

  #off(ms: number, reason: OffReason) {
    return { offUntil: this.#now().getTime() + ms, reason }
  }

  #known(model: string): Known {
    return (
      this.#models.get(model) ?? { hasSearched: false, weights: [], vain: 0, vainInRow: 0, offUntil: 0, triedAt: 0 }
    )
  }

  #change(model: string, change: Partial<Known>): void {
    this.#models.set(model, { ...this.#known(model), ...change })
    this.#save()
  }

  #forgetAll(): void {
    for (const [model] of [...this.#models]) this.#models.delete(model)
    for (const [model] of [...this.#trials]) this.#trials.delete(model)
  }

  /** Soon: answers of a burst are kept at once. */
  #save(): void {
    if (!this.#memory || this.#saving) return
    this.#saving = setTimeout(() => void this.#saveNow(), saveMs)
    this.#saving.unref()
  }

  async #saveNow(): Promise<void> {
    clearTimeout(this.#saving)
    this.#saving = undefined
    const models = Object.fromEntries([...this.#models].map(([model, { vainInRow: _, ...known }]) => [model, known]))
    if (this.#of) await this.#memory?.remember(this.#of, models)
  }
}

interface Trial {
  readonly query: string
  readonly at: number
}

const reasons: Readonly<Record<OffReason, string>> = {
  refused: 'the API refuses the search tool',
  vain: 'it does not search',
}

/** Whether a search is known to weigh so little that a standard answer costs hardly more in one call. */
function isLight(known: Known | undefined): boolean {
  const weight = medianOf(known?.weights ?? [])
  return weight !== undefined && weight <= maxResultTokens
}

/**
 * In one call a search's results are read by the model that writes, otherwise by the search model, at about a third of
 * the cost, and that model's passages weigh the same whatever the results do. With R tokens of results a standard answer
 * costs about 3 × R + 7,200 units in one call, and R + 17,600 in two: the same at 5,200, a fifth more at 7,700. So much
 * are the API's own citations and an answer that begins a second sooner worth.
 */
const maxResultTokens = 7700

function medianOf(numbers: readonly number[]): number | undefined {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]
}

const maxModels = 20
const keptWeights = 20
const hourMs = 3_600_000
const trialMs = 24 * hourMs
/** A trial that has not begun by then, or not ended, is another's. */
const trialWaitMs = 60_000
const saveMs = 1000
const refusedMs = 6 * hourMs
const maxVain = 2
const vainMs = hourMs
