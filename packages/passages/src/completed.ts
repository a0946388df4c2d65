import { backReferences } from '@csp/language/word-lists'
import { joined, type PassageLength, type Span } from './spans.ts'

/**
 * The texts of the best spans, without a shared sentence, each with the context that a reader needs: the sentence that
 * "he" or "this" at its start refers to, and a following one that begins so. The best passage, which most callers show,
 * gets one more sentence after it, or before it.
 */
export function* completed(spans: readonly Span[], length: PassageLength): Generator<string, void, undefined> {
  const taken: Taken[] = []
  for (const span of spans) {
    const beside = taken.filter(({ block }) => block === span.block)
    if (beside.some(({ start, end }) => span.start < end && start < span.end)) continue
    const passage = completedSpan(span, beside, length, taken.length === 0)
    if (!passage) continue
    taken.push({ ...span, from: passage.from, to: passage.to })
    yield passage.text
  }
}

/** A span, and which sentences its passage has. */
interface Taken extends Span {
  readonly from: number
  readonly to: number
}

/** `undefined` if better passages have all of its sentences. */
function completedSpan(span: Span, beside: readonly Taken[], length: PassageLength, isBest: boolean) {
  const { sentences, start, end } = span
  const isFree = (at: number): boolean => !beside.some(({ from, to }) => from <= at && at < to)
  let [from, to] = [start, end]
  while (from < to && !isFree(from)) from++
  while (to > from && !isFree(to - 1)) to--
  if (from === to) return undefined
  let text = to - from === end - start ? span.text : sentences.slice(from, to).reduce(joined)
  const takes = (at: number): boolean => {
    const sentence = isFree(at) ? sentences[at] : undefined
    if (sentence === undefined) return false
    const longer = at < from ? joined(sentence, text) : joined(text, sentence)
    if (longer.length > length.most) return false
    text = longer
    if (at < from) from--
    else to++
    return true
  }
  if (refersBack(sentences[from])) takes(from - 1)
  if (isBest || refersBack(sentences[to])) {
    const hasMore = takes(to)
    if (isBest && !hasMore) takes(from - 1)
  }
  return { text, from, to }
}

/** Whether a sentence begins with a word for something that the one before it names. */
function refersBack(sentence = ''): boolean {
  return reference.test(sentence)
}

const reference = new RegExp(
  String.raw`^["'“„«(]?(?:(?:${backReferences.map((words) => words.replaceAll('_', String.raw`\s`)).join('|')})(?![\p{L}\p{M}])|[这该他她它其此]|因此|これ|この|その|それ|彼|また|しかし|なお)`,
  'u',
)
