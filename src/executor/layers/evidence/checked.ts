import { abortError, interruptible } from '../../../domain/abort.ts'
import { accountOf } from '../../../domain/account.ts'
import { AnswerFold, collect, totalUsage } from '../../../domain/answer.ts'
import { SearchError } from '../../../domain/error.ts'
import { type EvidenceMode, verdictsText } from '../../../domain/evidence.ts'
import type { Receipts, Repair } from '../../../domain/receipt.ts'
import type { Answer, Citation, SearchEvent, SearchEvents, SearchRequest, Usage } from '../../../domain/search.ts'
import { TurnClock } from '../../../lib/turn-clock.ts'
import type { SourcePages } from '../../answer/source-pages.ts'
import type { Executor, Layer, SearchContext } from '../../executor.ts'
import { layer } from '../layer.ts'
import { CitedPages } from './cited-pages.ts'
import { judged } from './judge.ts'
import { maxFastWaitMs, maxWaitMs, PageWait } from './page-wait.ts'
import { type CheckedAnswer, compareRepair, repairRequest } from './repair.ts'

export interface CheckedOptions {
  /** For requests that do not say; `report` by default. */
  readonly mode?: Exclude<EvidenceMode, 'off'> | undefined
  /** Where each answer that is compared leaves a receipt. Absent: none is kept. */
  readonly receipts?: Receipts | undefined
  /** For an answer with its repair or judgement; 0 by default: no limit. */
  readonly timeoutMs?: number | undefined
}

/**
 * Compares each sentence of a written answer with the pages that it cites, and says in `done` what it found, where answers
 * rest on pages. Those that it was written over are there already; others are read as soon as they are cited, and waited
 * for a little. The search is over by then, so it holds no place in a queue. No model is asked, and no text is held back,
 * unless the answer is to be repaired: then its text waits for the check, and the writer may be asked once more. Each such
 * answer leaves a receipt where they are kept.
 */
export function checks(options: CheckedOptions = {}): Checks {
  const waits = { fast: new PageWait(maxFastWaitMs, true), others: new PageWait(maxWaitMs) }
  return (inner, pages) => layer(inner, { search: (...asked) => check(inner, pages, { ...options, waits }, ...asked) })
}

/** Puts the check around what makes one answer over these pages. */
export type Checks = (inner: Executor, pages: SourcePages | undefined) => Executor

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
  pages: SourcePages | undefined,
  options: CheckedOptions & { readonly waits: { readonly fast: PageWait; readonly others: PageWait } },
  asked: SearchRequest,
  context: SearchContext,
): SearchEvents {
  const { mode: usual = 'report', receipts } = options
  const { evidence: mode = usual } = asked
  // A remote csp must use the same mode.
  const request = mode === 'report' ? asked : { ...asked, evidence: mode }
  const { signal } = context
  // JSON has no sentences.
  const isChecked = request.want === 'answer' && !request.schema && pages?.source === 'pages' && mode !== 'off'
  if (!isChecked) return yield* inner.search(request, context)
  const beganAt = performance.now()
  const cited = new CitedPages(pages)
  const { answer, done, held, sourcesAt } = yield* written(inner.search(request, context), cited, mode === 'repair')
  const wait = options.waits[request.effort === 'fast' ? 'fast' : 'others']
  const check = async (one: Answer): Promise<CheckedAnswer> => {
    await interruptible(cited.settled(wait.begin(cited, mode)), signal)
    return { answer: one, evidence: await cited.evidenceOf(one) }
  }
  // Another csp may have looked at it already, and have repaired it.
  const first = done.evidence ? { answer, evidence: done.evidence } : await check(answer)
  const leftMs = () => (options.timeoutMs || Number.POSITIVE_INFINITY) - (performance.now() - beganAt)
  const asksJudge = mode === 'judge' && !done.evidence
  const judgement = asksJudge ? await judged(inner, first.evidence, context, leftMs()) : undefined
  const draft = held && !done.evidence && repairRequest(request, first, cited)
  const writingMs = performance.now() - sourcesAt
  const rewriting = { inner, first, cited, check, context, writingMs, leftMs: leftMs() }
  const second = draft ? await rewritten({ ...rewriting, draft }) : undefined
  const given = second?.repair.isTaken ? second : judgement ? { answer, evidence: judgement.evidence } : first
  yield* given === second ? textOf(given.answer) : (held ?? [])
  const isKept = given.answer.text !== '' && context.cache !== 'no-store'
  const owner = accountOf(context.caller)
  const receiptDraft = async () => ({ owner, ...(await cited.receiptOf(request, given, second?.repair)) })
  const id = isKept ? await receipts?.keep(receiptDraft) : undefined
  const { model, stopSequence } = given.answer
  yield {
    ...done,
    model,
    usage: second?.usage ?? totalUsage([done.usage, ...(judgement ? [judgement.usage] : [])]),
    stopSequence, // of the text that is given
    ...(given.evidence.length > 0 && { evidence: given.evidence }),
    ...(id !== undefined && { receipt: { id, owner } }),
  }
}

interface Written {
  readonly answer: Answer
  readonly done: Extract<SearchEvent, { type: 'done' }>
  /** Its text with its citations, where that was held back. */
  readonly held: readonly SearchEvent[] | undefined
  /** When its sources were there. */
  readonly sourcesAt: number
}

/** Passes on a search to its end, without its `done`, and without its text where that is held. */
async function* written(
  events: AsyncIterable<SearchEvent>,
  cited: CitedPages,
  holds: boolean,
): AsyncGenerator<SearchEvent, Written, undefined> {
  const fold = new AnswerFold()
  let held: SearchEvent[] | undefined = holds ? [] : undefined
  let sourcesAt = performance.now()
  let done: Written['done'] | undefined
  let text = ''
  const turns = new TurnClock()
  for await (const one of events) {
    await turns.rest()
    if (one.type === 'text-delta') text += one.text
    const event = one.type === 'citation' ? await withQuote(one, cited, text) : one
    fold.add(event)
    if (event.type === 'search-results') {
      sourcesAt = performance.now()
      for (const { url } of event.results) cited.prepare(url)
    }
    if (event.type === 'citation') cited.read(event.citation.url)
    // What calls the caller's functions is not written again.
    if (held && event.type === 'tool-call-start') {
      yield* held
      held = undefined
    }
    if (event.type === 'done') done = event
    else if (held && (event.type === 'text-delta' || event.type === 'citation')) held.push(event)
    else yield event
  }
  const answer = fold.finish()
  if (!done) throw new SearchError('failed', 'The search ended without a result.')
  return { answer, done, held, sourcesAt }
}

async function withQuote(event: CitationEvent, cited: CitedPages, text: string): Promise<CitationEvent> {
  const quote = await cited.quote(text, event.citation)
  return quote === undefined ? event : { ...event, citation: { ...event.citation, quote } }
}

type CitationEvent = Extract<SearchEvent, { type: 'citation' }>

interface Rewriting {
  readonly inner: Executor
  readonly draft: SearchRequest
  readonly first: CheckedAnswer
  readonly cited: CitedPages
  readonly check: (answer: Answer) => Promise<CheckedAnswer>
  readonly context: SearchContext
  /** How long the writing took. */
  readonly writingMs: number
  readonly leftMs: number
}

interface Rewritten extends CheckedAnswer {
  readonly repair: Repair
  /** What both answers cost. */
  readonly usage: Usage
}

/** The answer as it is rewritten, once. `undefined` if there is no time for that, or where it fails. */
async function rewritten(rewriting: Rewriting): Promise<Rewritten | undefined> {
  const { inner, draft, first, cited, check, context, writingMs, leftMs } = rewriting
  const { signal, trace } = context
  if (leftMs < Math.max(writingMs, minWritingMs)) {
    trace?.note(`No repair: writing took ${Math.ceil(writingMs)} ms, and ${Math.floor(leftMs)} ms are left`)
    return undefined
  }
  const limit = Number.isFinite(leftMs) ? [AbortSignal.timeout(leftMs)] : []
  try {
    const again = await collect(
      inner.search(draft, { ...context, signal: AbortSignal.any([signal, ...limit]), isWhole: true }),
    )
    const answer = { ...again, searches: first.answer.searches }
    for (const { url } of answer.citations) cited.read(url)
    const second = await check(answer)
    const repair = compareRepair(first, second)
    const given = repair.isTaken ? 'second' : 'first'
    trace?.note(`Repair: the ${given} of ${verdictsText(repair.first)} and ${verdictsText(repair.second)} is given`)
    const citations: Citation[] = []
    for (const one of answer.citations) citations.push({ ...one, quote: await cited.quote(answer.text, one) })
    return { ...second, answer: { ...answer, citations }, repair, usage: totalUsage([first.answer.usage, again.usage]) }
  } catch (error) {
    if (signal.aborted) throw abortError(signal)
    trace?.note('The repair failed, so the first answer is given', error)
    return undefined
  }
}

function textOf({ text, citations }: Answer): readonly SearchEvent[] {
  return [{ type: 'text-delta', text }, ...citations.map((citation) => ({ type: 'citation', citation }) as const)]
}

/** The shortest time in which a model writes an answer. */
const minWritingMs = 1500
