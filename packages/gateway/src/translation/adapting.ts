import { type ErrorWords, errorWords } from '../catalogue/error-within.ts'
import { type Understood, type UpstreamFailure, understand } from '../catalogue/understand.ts'
import type { LearnedCapabilities } from './capabilities.ts'
import { ProviderReplyError } from './provider-error.ts'

/** A thing that can be left out of a request: a parameter by its name, or another. */
export interface Refused {
  readonly feature: string
  /** Whether the model never takes it; otherwise it was wrong in this request only. */
  readonly isOfModel: boolean
}

/** An error, with what is known of it. */
export interface Refusal {
  readonly failure: UpstreamFailure
  readonly words: ErrorWords
  readonly understood: Understood | undefined
}

/** The form that a request has to have for a model. */
export interface RequestForm {
  /** What the model refuses. `plain`: leave out all that can be left out. */
  readonly without: ReadonlySet<string>
  /** The most tokens that the model may write. */
  readonly maxTokens: number
}

/** One API, as far as the request of one call goes. */
export interface AdaptingOptions<Body, Reply> {
  readonly capabilities: LearnedCapabilities
  /** The address and the model: what is learned counts for both together. */
  readonly place: string
  readonly model: string
  readonly body: (form: RequestForm) => Body
  /** The tokens that a body asks for. */
  readonly asked: (body: Body) => number | undefined
  /** What is refused of a body, if the error says so. */
  readonly refused: (refusal: Refusal, body: Body, without: ReadonlySet<string>) => Refused | undefined
  /** Sends a body. Throws a `ProviderReplyError` as long as nothing of the reply has gone out. */
  readonly begin: (body: Body) => Promise<Reply>
  /** About how many tokens the prompt has. */
  readonly promptTokens: () => number
  readonly signal: AbortSignal
  readonly note: (message: string, error?: unknown) => void
}

/**
 * Makes a call until the upstream takes it. What an error refuses is left out of the next try, and a limit that it tells is
 * kept to. One that does not say why gets one try in the plainest form. What has helped is learned for the model.
 */
export async function adapting<Body, Reply>(options: AdaptingOptions<Body, Reply>): Promise<Reply> {
  const { begin, asked, signal, note } = options
  const known = await knownOf(options)
  const ofModel = new Set(known)
  const ofRequest = new Set<string>()
  let maxTokens = Math.min(told(ofModel, limitPrefix), roomIn(told(ofModel, contextPrefix), options))
  /** An error that does not say why. */
  let unexplained: unknown
  for (let attempt = 1; ; attempt++) {
    const without = ofModel.union(ofRequest)
    const body = options.body({ without, maxTokens })
    try {
      const reply = await begin(body)
      if (!known || ofModel.size > known.length) await learn(options, [...ofModel])
      return reply
    } catch (error) {
      if (!(error instanceof ProviderReplyError) || signal.aborted) throw error
      if (attempt === maxAttempts) throw unexplained ?? error
      const { failure } = error
      const words = errorWords(failure.body)
      const refusal = { failure, words, understood: understand(failure, words) }
      const limit = limitIn(refusal.understood, asked(body))
      if (limit) {
        maxTokens = limit.tokens
        ofModel.add(limit.learned)
        note(`writes at most ${limit.tokens} tokens, asked again`)
        continue
      }
      const refused = options.refused(refusal, body, without) ?? plainer(refusal)
      if (!refused || without.has(refused.feature)) throw unexplained ?? error
      if (refused.feature === plain) unexplained = error
      note(`refused ${refused.feature}, asked again without`)
      const refusals = refused.isOfModel ? ofModel : ofRequest
      refusals.add(refused.feature)
    }
  }
}

const maxAttempts = 8

/** How a limit of tokens stands among what a model refuses: more than so many. */
const limitPrefix = 'max_tokens>'
const contextPrefix = 'context>'
const plain = 'plain'

/** Infinite where none is known. */
function told(without: ReadonlySet<string>, prefix: string): number {
  const limits = [...without].filter((name) => name.startsWith(prefix))
  return Math.min(...limits.map((name) => Number(name.slice(prefix.length))))
}

/** What the prompt leaves of a context, by an estimate; no limit where that says too little. */
function roomIn(context: number, { promptTokens }: Pick<AdaptingOptions<never, never>, 'promptTokens'>): number {
  if (context === Number.POSITIVE_INFINITY) return context
  const room = context - Math.ceil(promptTokens() * caution)
  return room >= minEstimatedRoom ? room : Number.POSITIVE_INFINITY
}

/** Code has more tokens than its length says. */
const caution = 1.1
const minEstimatedRoom = 1024

/**
 * How much the model may write, by an error about the tokens that were asked for: what the prompt leaves of its context, until
 * hardly anything is left, or the most that it ever writes.
 */
function limitIn(understood: Understood | undefined, asked: number | undefined) {
  if (asked === undefined || !understood) return undefined
  const { context, prompt, more = 0, max } = understood.holes
  const isFull = understood.meaning === 'full' && context !== undefined && prompt !== undefined
  const tokens = isFull ? context - prompt - more : understood.meaning === 'limit' ? max : undefined
  if (tokens === undefined || tokens < minUsefulTokens || tokens >= asked) return undefined
  return { tokens, learned: isFull ? contextPrefix + context : limitPrefix + tokens }
}

const minUsefulTokens = 256

/** The plainest form, for an error that says nothing of a cause. */
function plainer({ failure: { status }, words, understood }: Refusal): Refused | undefined {
  const saysWhy = understood !== undefined || words.param !== undefined
  return saysWhy || (status !== 400 && status !== 422) ? undefined : { feature: plain, isOfModel: true }
}

type Place = Pick<AdaptingOptions<never, never>, 'capabilities' | 'place' | 'model' | 'note'>

async function knownOf({ capabilities, place, model, note }: Place): Promise<readonly string[] | undefined> {
  try {
    const known = await capabilities.refusedBy(place, model)
    note(known ? `HIT${known.length > 0 ? `, without ${known.join(', ')}` : ''}` : 'MISS')
    return known
  } catch (error) {
    note('cannot be read', error)
    return undefined
  }
}

async function learn({ capabilities, place, model, note }: Place, refused: readonly string[]): Promise<void> {
  note(`learned${refused.length > 0 ? `, without ${refused.join(', ')}` : ''}`)
  await capabilities.learn({ baseUrl: place, model, refused }).catch((error: unknown) => note('cannot be kept', error))
}
