import { TurnClock } from '@csp/lib/turn-clock'
import { interruptible } from '../../../domain/abort.ts'
import { accountOf } from '../../../domain/account.ts'
import { AnswerFold, totalUsage } from '../../../domain/answer.ts'
import { SearchError } from '../../../domain/error.ts'
import type { Receipts } from '../../../domain/receipt.ts'
import type { Answer, EvidenceMode, SearchEvent, SearchEvents, SearchRequest } from '../../../domain/search.ts'
import type { Executor, Layer, SearchContext } from '../../executor.ts'
import { layer } from '../layer.ts'
import { CitedPages } from './cited-pages.ts'
import { judged } from './judge.ts'

export interface CheckedOptions {
  /** For requests that do not say; `report` by default. */
  readonly mode?: Exclude<EvidenceMode, 'off'> | undefined
  /** Where each answer that is compared leaves a receipt. Absent: none is kept. */
  readonly receipts?: Receipts | undefined
  /** For an answer with its judgement; 0 by default: no limit. */
  readonly timeoutMs?: number | undefined
  /** For pages that were not read before they were cited; 0.8 s by default, and 0.3 s for a fast answer. */
  readonly waitMs?: number | undefined
}

/**
 * Compares each sentence of a written answer with the pages that it cites, and says in `done` what it found, where answers
 * rest on pages. Those that it was written over are there already; others are read as soon as they are cited, and waited
 * for a little. The search is over by then, so it holds no place in a queue. No text is held back, and no model is asked,
 * unless the answer is to be judged. Each such answer leaves a receipt where they are kept.
 */
export function checked(options: CheckedOptions = {}): Layer {
  const { waitMs } = options
  const waits = {
    fast: new PageWait(waitMs ?? maxFastWaitMs, waitMs === undefined),
    others: new PageWait(waitMs ?? maxWaitMs),
  }
  return (inner) => layer(inner, { search: (...asked) => check(inner, { ...options, waits }, ...asked) })
}

/** Keeps what the receipts are written to: `health` says what is wrong, and `close` waits for it. */
export function keepingReceipts(receipts: Receipts): Layer {
  return (inner) =>
    layer(inner, {
      search: (request, context) => inner.search(request, context),
      health: async () => ({ ...(await inner.health()), receipts: { problem: receipts.problem } }),
      async close() {
        await inner.close()
        await receipts.flush()
      },
    })
}

async function* check(
  inner: Executor,
  options: CheckedOptions & { readonly waits: { readonly fast: PageWait; readonly others: PageWait } },
  asked: SearchRequest,
  context: SearchContext,
): SearchEvents {
  if (asked.want !== 'answer') return yield* inner.search(asked, context)
  const { mode: usual = 'report', receipts } = options
  const { evidence: mode = usual } = asked
  // A remote csp must use the same mode.
  const request = mode === 'report' ? asked : { ...asked, evidence: mode }
  const { pages } = context
  // JSON has no sentences.
  if (request.schema || mode === 'off') return yield* inner.search(request, context)
  const beganAt = performance.now()
  const isRead = pages?.source === 'pages'
  const cited = new CitedPages(isRead ? pages : undefined)
  const { answer, done } = yield* written(inner.search(request, context), cited)
  if (!isRead && !cited.isQuoted) return yield done
  const wait = options.waits[request.effort === 'fast' ? 'fast' : 'others']
  const compared = async () => {
    await interruptible(cited.settled(wait.begin(cited)), context.signal)
    return cited.evidenceOf(answer)
  }
  // Another csp may have looked at it already.
  const found = done.evidence ?? (await compared())
  const leftMs = (options.timeoutMs || Number.POSITIVE_INFINITY) - (performance.now() - beganAt)
  const asksJudge = mode === 'judge' && !done.evidence
  const judgement = asksJudge ? await judged(inner, found, context, leftMs) : undefined
  const evidence = judgement?.evidence ?? found
  const isKept = answer.text !== '' && context.cache !== 'no-store'
  const owner = accountOf(context.caller)
  const draft = async () => ({ owner, ...(await cited.receiptOf(request, answer, evidence)) })
  const id = isKept ? await receipts?.keep(draft) : undefined
  yield {
    ...done,
    usage: totalUsage([done.usage, ...(judgement ? [judgement.usage] : [])]),
    ...(evidence.length > 0 && { evidence }),
    ...(id !== undefined && { receipt: { id, owner } }),
  }
}

interface Written {
  readonly answer: Answer
  readonly done: Extract<SearchEvent, { type: 'done' }>
}

/** Passes on a search to its end, without its `done`. */
async function* written(
  events: AsyncIterable<SearchEvent>,
  cited: CitedPages,
): AsyncGenerator<SearchEvent, Written, undefined> {
  const fold = new AnswerFold()
  let done: Written['done'] | undefined
  let text = ''
  const turns = new TurnClock()
  for await (const one of events) {
    await turns.rest()
    if (one.type === 'text-delta') text += one.text
    const event = one.type === 'citation' ? await withQuote(one, cited, text) : one
    fold.add(event)
    if (event.type === 'search-results') for (const { url } of event.results) cited.prepare(url)
    if (event.type === 'citation') cited.read(event.citation.url)
    if (event.type === 'done') done = event
    else yield event
  }
  const answer = fold.finish()
  if (!done) throw new SearchError('failed', 'The search ended without a result.')
  return { answer, done }
}

async function withQuote(event: CitationEvent, cited: CitedPages, text: string): Promise<CitationEvent> {
  const { quote: _, ...citation } = event.citation
  const quote = await cited.quote(text, event.citation)
  return { ...event, citation: { ...citation, ...(quote !== undefined && { quote }) } }
}

type CitationEvent = Extract<SearchEvent, { type: 'citation' }>

/**
 * How long answers wait for pages that were not read before they were cited. Where none came in time for the last one,
 * the next does not wait: its pages are read behind the reply all the same, and once one comes in time, answers wait again.
 */
export class PageWait {
  readonly #waitMs: number
  #isVain: boolean
  #begun = 0
  /** The latest answer that has shown whether its pages come in time. */
  #learnt = 0

  /** `isVain`: the first answer does not wait either. */
  constructor(waitMs: number, isVain = false) {
    this.#waitMs = waitMs
    this.#isVain = isVain
  }

  /** For an answer whose text is whole. */
  begin(cited: Pick<CitedPages, 'comeWithin'>): number {
    const waitMs = this.#isVain ? knownMs : this.#waitMs
    const turn = ++this.#begun
    cited.comeWithin(this.#waitMs).then((come) => {
      // What an older answer learns late says nothing of now.
      if (come === undefined || turn < this.#learnt) return
      this.#learnt = turn
      this.#isVain = !come
    })
    return waitMs
  }
}

const maxWaitMs = 800
const maxFastWaitMs = 300
/** A page that csp has read before comes sooner, on a busy machine too. */
const knownMs = 100
