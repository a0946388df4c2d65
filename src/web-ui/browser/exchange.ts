// One question of this tab with what comes of it, while it comes.

import { forPeople } from '../../domain/own-prompts.ts'
import { CallError, stream } from './api.ts'
import { createStore, type Store } from './store.ts'
import type { SentenceEvidence, Source } from './verdict.ts'
import { count, span } from './words.ts'

export const efforts = [
  ['sonar', 'Fast'],
  ['sonar-pro', 'Standard'],
  ['sonar-reasoning-pro', 'Deep'],
  ['sonar-deep-research', 'Report'],
] as const

export type Model = (typeof efforts)[number][0]

/** What a follow-up is asked with: csp answers it as a deep question anyhow. */
export const followUpModel: Model = 'sonar-reasoning-pro'

export function effortName(model: string): string {
  return efforts.find(([name]) => name === model)?.[1] ?? 'Standard'
}

/** A page that is read while the answer is made. */
export interface ReadPage {
  readonly title: string
  readonly url: string
}

export type Phase = 'search' | 'read' | 'write' | 'done' | 'stopped' | 'failed'

export interface ExchangeState {
  readonly phase: Phase
  readonly text: string
  readonly sources: readonly Source[]
  readonly pages: readonly ReadPage[]
  readonly evidence: readonly SentenceEvidence[]
  readonly receipt: string | undefined
  /** What is waited for, or has not come, in csp's words. */
  readonly waiting: string
  /** What a report has done so far. */
  readonly thoughts: readonly string[]
  /** When each phase began, in milliseconds of this page. */
  readonly began: Readonly<Partial<Record<Phase, number>>>
  /** `from the cache, 2 min old` */
  readonly freshness: string
  readonly error: unknown
}

interface Step {
  readonly type: string | null
  readonly thought?: string
  readonly web_search?: { readonly search_results?: readonly Source[] }
  readonly fetch_url_content?: { readonly contents?: readonly ReadPage[] }
}

interface Chunk {
  readonly object?: string
  readonly choices?: readonly {
    readonly delta?: { readonly content?: string; readonly reasoning_steps?: readonly Step[] }
    readonly message?: { readonly content?: string }
  }[]
  readonly search_results?: readonly Source[]
  readonly evidence?: readonly SentenceEvidence[]
  readonly receipt?: string
}

interface Message {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

let made = 0

export class Exchange {
  readonly id = ++made
  readonly question: string
  readonly model: Model
  readonly store: Store<ExchangeState> = createStore(atFirst())
  #controller: AbortController | undefined

  constructor(question: string, model: Model) {
    this.question = question
    this.model = model
  }

  get isRunning(): boolean {
    return ['search', 'read', 'write'].includes(this.store.get().phase)
  }

  stop(): void {
    this.#controller?.abort()
  }

  /** Asks; what was said before goes along. `isFresh`: past the cache of answers. */
  async run(earlier: readonly Message[], isFresh = false): Promise<void> {
    this.stop()
    const controller = new AbortController()
    this.#controller = controller
    this.store.set(atFirst())
    const messages: readonly Message[] = [
      { role: 'system', content: forPeople },
      ...earlier,
      { role: 'user', content: this.question },
    ]
    const body = { model: this.model, stream: true, stream_mode: 'concise', messages }
    const pending: Chunk[] = []
    const draw = () => {
      if (controller !== this.#controller || pending.length === 0) return
      this.#change(pending.splice(0).reduce(taken, this.store.get()))
    }
    try {
      const onReply = ({ headers }: Response) => this.#change({ freshness: freshnessOf(headers) })
      for await (const chunk of stream<Chunk>('chat/completions', body, controller.signal, { isFresh, onReply })) {
        // At most once a frame.
        if (pending.push(chunk) === 1) later(draw)
      }
      draw()
      this.#enter('done')
    } catch (error) {
      if (controller !== this.#controller) return
      draw()
      if (controller.signal.aborted) this.#enter('stopped')
      else {
        this.#change({ error: error instanceof CallError ? error : new CallError(0, String(error), 'lost') })
        this.#enter('failed')
      }
    }
  }

  #enter(phase: Phase): void {
    const { began } = this.store.get()
    this.#change({ phase, began: { ...began, [phase]: performance.now() } })
  }

  #change(part: Partial<ExchangeState>): void {
    this.store.set({ ...this.store.get(), ...part })
  }
}

/** With the next frame, and soon where the page is not seen and has none. */
function later(work: () => void): void {
  const timer = setTimeout(work, 200)
  requestAnimationFrame(() => {
    clearTimeout(timer)
    work()
  })
}

function atFirst(): ExchangeState {
  return {
    ...{ phase: 'search', text: '', sources: [], pages: [], evidence: [], receipt: undefined, waiting: '' },
    ...{ thoughts: [], began: { search: performance.now() }, freshness: '', error: undefined },
  }
}

function taken(state: ExchangeState, chunk: Chunk): ExchangeState {
  const [choice] = chunk.choices ?? []
  let { sources, pages, waiting, thoughts, text } = state
  for (const step of choice?.delta?.reasoning_steps ?? []) {
    sources = joined(sources, step.web_search?.search_results)
    pages = joined(pages, step.fetch_url_content?.contents)
    if (step.type === null) waiting = step.thought ?? ''
    if (step.type === null && step.thought)
      thoughts = [...thoughts.filter((one) => one !== step.thought), step.thought].slice(-8)
  }
  if (chunk.search_results) sources = chunk.search_results
  if (chunk.object === 'chat.completion.chunk') text += choice?.delta?.content ?? ''
  if (chunk.object === 'chat.completion.done') text = choice?.message?.content ?? text
  const phase = text ? 'write' : sources.length > 0 || pages.length > 0 ? 'read' : 'search'
  const began = state.began[phase] === undefined ? { ...state.began, [phase]: performance.now() } : state.began
  const { evidence = state.evidence, receipt = state.receipt } = chunk
  return { ...state, sources, pages, waiting, thoughts, text, phase, began, evidence, receipt }
}

function joined<T extends { readonly url: string }>(known: readonly T[], found: readonly T[] = []): readonly T[] {
  const urls = new Set(known.map(({ url }) => url))
  const news = found.filter(({ url }) => !urls.has(url))
  return news.length > 0 ? [...known, ...news] : known
}

function freshnessOf(headers: Headers): string {
  if (['miss', null].includes(headers.get('x-cache'))) return ''
  const age = Number(headers.get('age') ?? 0)
  return age > 0 ? `from the cache, ${span(age)} old` : 'from the cache'
}

/** How long each part took. */
export function factsOf({ sources, pages, began, freshness }: ExchangeState): readonly string[] {
  const read = pages.length > 0 ? `, ${count(pages.length, 'page')} read` : ''
  const ended = began.done ?? began.stopped ?? began.failed ?? performance.now()
  const seconds = ((ended - (began.search ?? ended)) / 1000).toFixed(1)
  return [`${count(sources.length, 'result')}${read}`, `${seconds} s`, ...(freshness ? [freshness] : [])]
}
