import { sourcesOf } from '../../../domain/answer.ts'
import type { Receipt } from '../../../domain/receipt.ts'
import type { Answer, SearchRequest } from '../../../domain/search.ts'
import type { ShownFrame } from '../run-search.ts'

/** What is known here of an answer's receipt, without the texts of the pages: `csp receipt ID` has those. */
export function receiptOfAnswer(
  { model, backend, text, searches, evidence = [], receipt }: Answer,
  { query: question, research, effort }: SearchRequest,
  { createdAt }: Pick<ShownFrame, 'createdAt'>,
): Receipt {
  const sources = sourcesOf(searches).map(({ url, title, publishedAt: date, snippet, passages = [] }, place) => ({
    number: place + 1,
    url,
    title,
    date,
    passages: [...(snippet ? [snippet] : []), ...passages],
  }))
  return {
    // Another csp that made the answer does not name it.
    id: receipt?.id ?? 'not known here',
    time: createdAt.toISOString(),
    question,
    model,
    backend,
    strategy: research ? 'research' : effort,
    answer: text,
    sentences: evidence,
    sources,
  }
}
