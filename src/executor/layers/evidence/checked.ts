import { interruptible } from '../../../domain/abort.ts'
import { AnswerFold } from '../../../domain/answer.ts'
import type { Receipts } from '../../../domain/receipt.ts'
import type { SearchEvent, SearchEvents, SearchRequest } from '../../../domain/search.ts'
import type { Executor, SearchContext } from '../../executor.ts'
import { layer } from '../layer.ts'
import { accountOf } from '../metering/metered.ts'
import { CitedPages } from './cited-pages.ts'

/**
 * Compares each sentence of a written answer with the pages that it cites, and says in `done` what it found, where answers
 * rest on pages. Those that it was written over are there already; others are read as soon as they are cited, and waited
 * for a little. The search is over by then, so it holds no place in a queue. No model is asked, and no text is held back. Each such answer leaves a receipt where they are kept.
 */
export function checked(inner: Executor, receipts?: Receipts): Executor {
  return layer(inner, {
    search: (request, context) => check(inner, receipts, request, context),
    ...(receipts && {
      health: async () => ({ ...(await inner.health()), receipts: { problem: receipts.problem } }),
      async close() {
        await inner.close()
        await receipts.flush()
      },
    }),
  })
}

async function* check(
  inner: Executor,
  receipts: Receipts | undefined,
  request: SearchRequest,
  context: SearchContext,
): SearchEvents {
  const { pages, signal } = context
  // JSON has no sentences.
  const isChecked = request.want === 'answer' && !request.schema && pages?.source === 'pages'
  if (!isChecked) return yield* inner.search(request, context)
  const cited = new CitedPages(pages)
  const fold = new AnswerFold()
  let done: Extract<SearchEvent, { type: 'done' }> | undefined
  for await (const event of inner.search(request, context)) {
    fold.add(event)
    if (event.type === 'search-results') for (const { url } of event.results) cited.prepare(url)
    if (event.type === 'citation') cited.read(event.citation.url)
    if (event.type === 'done') done = event
    else yield event
  }
  const answer = fold.finish()
  if (!done) return
  // Another csp may have looked at it already.
  if (!done.evidence) await interruptible(cited.settled(request.effort === 'fast' ? maxFastWaitMs : maxWaitMs), signal)
  const evidence = done.evidence ?? cited.evidenceOf(answer)
  const isKept = answer.text !== '' && context.cache !== 'no-store'
  const owner = accountOf(context.caller)
  const draft = async () => ({ owner, ...(await cited.receiptOf(request, answer, evidence)) })
  const id = isKept ? receipts?.keep(draft) : undefined
  yield {
    ...done,
    ...(evidence.length > 0 && { evidence }),
    ...(id !== undefined && { receipt: { id, owner } }),
  }
}

/** For pages that were not read before they were cited. */
const maxWaitMs = 800
const maxFastWaitMs = 300
