import { sourcesOf } from '../../../domain/answer.ts'
import { countVerdicts, doubtText, type Evidence, isDoubtful } from '../../../domain/evidence.ts'
import type { Repair } from '../../../domain/receipt.ts'
import type { Answer, SearchRequest, SearchResult } from '../../../domain/search.ts'
import { plainLine } from '../../../lib/text.ts'
import { choosePassages } from '../../answer/passages/passages.ts'

/** An answer and what the check says of it. */
export interface CheckedAnswer {
  readonly answer: Answer
  readonly evidence: readonly Evidence[]
}

/** What is known of a draft besides the request it answers. */
interface Pages {
  /** The text of a page, if it is there. */
  textOf(url: string): string | undefined
}

/** The request that has an answer rewritten. `undefined` if nothing of it is in doubt. */
export function repairRequest(
  request: SearchRequest,
  { answer, evidence }: CheckedAnswer,
  pages: Pages,
): SearchRequest | undefined {
  const doubtful = evidence.filter(isDoubtful).slice(0, maxDoubts)
  if (doubtful.length === 0 || answer.reason !== 'stop' || answer.toolCalls.length > 0 || answer.isDegraded)
    return undefined
  const sources = sourcesOf(answer.searches).map((source, place): SearchResult => {
    const sentences = doubtful.filter((one) => one.sources.includes(place + 1)).map(({ sentence }) => sentence)
    const text = pages.textOf(source.url)
    return text === undefined ? source : withPassages(source, text, sentences)
  })
  const doubts = doubtful.map(({ sentence, missing = [], doubt }) => ({
    sentence,
    missing: [...missing.map(({ text }) => text), ...(doubt ? [doubtText(doubt)] : [])],
  }))
  const { tools: _, toolChoice: __, ...rest } = request
  return { ...rest, effort: 'standard', evidence: 'off', sources, draft: { text: answer.text, doubts } }
}

/** With the words of its page that bear on the sentences, the best of each first. */
function withPassages(source: SearchResult, text: string, sentences: readonly string[]): SearchResult {
  const lists = sentences.map((sentence) => choosePassages(text, sentence, { maxPassages }).map(plainLine))
  const inTurn = Array.from({ length: maxPassages }, (_, place) => lists.flatMap((list) => list[place] ?? [])).flat()
  const known = [...(source.snippet ? [source.snippet] : []), ...(source.passages ?? [])]
  const [snippet, ...passages] = new Set([...inTurn, ...known])
  return { ...source, snippet, passages }
}

/**
 * Tells which of two answers is given. The second one: it has fewer sentences in doubt, and in exchange no fewer that are
 * found, no fewer without doubt, and no more that could not be compared.
 */
export function compareRepair(first: CheckedAnswer, second: CheckedAnswer): Repair {
  const [before, after] = [countsOf(first), countsOf(second)]
  const isTaken =
    second.answer.text.trim() !== '' &&
    !second.answer.isDegraded &&
    second.answer.reason === 'stop' &&
    after.doubtful < before.doubtful &&
    after.found >= before.found &&
    after.undoubted >= before.undoubted &&
    after['not-read'] <= before['not-read']
  return { first: countVerdicts(first.evidence), second: countVerdicts(second.evidence), isTaken }
}

function countsOf({ evidence }: CheckedAnswer) {
  const doubtful = evidence.filter(isDoubtful).length
  const counts = countVerdicts(evidence)
  return { ...counts, doubtful, undoubted: counts.found + counts.partly + counts['not-found'] - doubtful }
}

/** More would be another answer. */
const maxDoubts = 20
/** Passages of one page for one sentence. */
const maxPassages = 3
