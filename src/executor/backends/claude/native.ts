import { BoundedMap } from '@csp/lib/bounded-map'
import { counted } from '@csp/lib/text'
import type { SearchRequest } from '../../../domain/search.ts'
import type { ClientTools } from '../../answer/client-tools.ts'
import { isOneQuestion } from '../../answer/listed.ts'
import { nativeTool } from '../../answer/native-search.ts'
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
export function nativeSettings(request: SearchRequest, tools: ClientTools | undefined): TurnSettings {
  const isDeep = request.effort === 'deep'
  const maxUses = request.maxSearches ?? (isDeep ? maxDeepSearches : 1)
  const search = nativeTool(request, 'web_search_20250305', maxUses)
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

/** What is known of a model that searches within its own call. */
interface Known {
  hasSearched: boolean
  /** What the results of its last searches weigh. */
  weights: readonly number[]
  /** Answers without a search: in all, and the last ones in a row. */
  vain: number
  vainInRow: number
  cites: boolean | undefined
  offUntil: number
  reason: string
}

/** Whether answers are made in one call, by what each model and the account have shown. */
export class NativeSearch {
  readonly #by: AnswersBy
  readonly #now: () => Date
  readonly #models = new BoundedMap<string, Known>(maxModels)

  constructor(by: AnswersBy, now: () => Date) {
    this.#by = by
    this.#now = now
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
    return this.#by === 'search' || !isOneQuestion(request) || isLight(known)
  }

  /** Whether the API has told what this model's texts rest on. `false`: it does not, so the model is asked for links. */
  cites(model: string): boolean {
    return this.#models.get(model)?.cites ?? true
  }

  /** An answer has been made. One without a search has none that could be passed on. */
  note(model: string, { searches, resultTokens, cites }: SeenAnswer): void {
    const known = this.#of(model)
    if (searches === 0) {
      this.#noteVain(known)
      return
    }
    known.hasSearched = true
    known.vainInRow = 0
    if (resultTokens !== undefined) known.weights = [...known.weights, resultTokens].slice(-keptWeights)
    if (cites === true || (cites === false && known.cites === undefined)) known.cites = cites
  }

  /** The API refuses the tool. */
  noteRefusal(model: string): void {
    this.#turnOff(this.#of(model), refusedMs, 'the API refuses the search tool')
  }

  /** A line for health: which way answers take, and why. */
  get state(): string {
    const rule =
      this.#by === 'search' ? 'one call (--answers search)' : 'one call, for standard answers where a search is light'
    const models = [...this.#models].map(([model, known]) => `${model}: ${this.#words(known)}`)
    return [rule, ...models].join('; ')
  }

  #words(known: Known): string {
    const { weights, vain, cites, offUntil, reason, hasSearched } = known
    const weight = medianOf(weights)
    const isOff = offUntil > this.#now().getTime()
    return [
      isOff && `not until ${new Date(offUntil).toISOString().slice(0, 16)}Z, since ${reason}`,
      !isOff && hasSearched && 'works',
      weight !== undefined && `a search weighs ${Math.round(weight)} tokens${isLight(known) ? '' : ', too many'}`,
      vain > 0 && `${counted(vain, 'answer')} without a search`,
      cites === false && 'no citations, so links',
    ]
      .filter(Boolean)
      .join(', ')
  }

  #noteVain(known: Known): void {
    known.vain++
    known.vainInRow++
    if (!known.hasSearched && known.vainInRow >= maxVain) {
      known.vainInRow = 0
      this.#turnOff(known, vainMs, 'it does not search')
    }
  }

  #turnOff(known: Known, ms: number, reason: string): void {
    known.offUntil = this.#now().getTime() + ms
    known.reason = reason
  }

  #of(model: string): Known {
    const known = this.#models.get(model) ?? {
      ...{ hasSearched: false, weights: [], vain: 0, vainInRow: 0, cites: undefined, offUntil: 0, reason: '' },
    }
    this.#models.set(model, known)
    return known
  }
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
const refusedMs = 6 * hourMs
const maxVain = 2
const vainMs = hourMs
