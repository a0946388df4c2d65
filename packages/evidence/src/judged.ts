import { isObject, parseJson } from '@csp/lib/json'
import { readClaim } from './claim.ts'
import { cleanedText } from './cleaned.ts'
import { type Evidence, type Judgement, judgements, type Passage, passagesOf } from './evidence.ts'
import { quotedParts, rowEnd } from './quotes.ts'
import { scan } from './scan.ts'

/** What a model wrote of one claim. Its words are not looked for yet. */
interface Written {
  readonly says: (typeof judgements)[number]
  readonly words: string
}

/**
 * Reads `{ "judgements": [{ "claim": 1, "verdict": "supported", "words": "…" }] }`, as a model wrote it of `count` claims.
 * The first judgement of a claim counts. Malformed or overlong ones are skipped.
 */
export function readJudgements(text: string, count: number): ReadonlyMap<number, Written> {
  const read = new Map<number, Written>()
  const value = text.length <= maxReply ? parseJson(text) : undefined
  const list = isObject(value) && Array.isArray(value['judgements']) ? value['judgements'].slice(0, maxItems) : []
  for (const item of list) {
    if (!isObject(item)) continue
    const { claim, verdict, words } = item
    const says = judgements.find((one) => one === verdict)
    const isKnown = typeof claim === 'number' && Number.isInteger(claim) && claim >= 1 && claim <= count
    if (!isKnown || !says || typeof words !== 'string' || words.length > maxWords || read.has(claim)) continue
    read.set(claim, { says, words })
  }
  return read
}

/**
 * A verdict as a judgement leaves it. One whose words stand in none of the passages that the model was shown does not
 * count. What counts may lower any verdict, and raise `partly` where its words are about the sentence at all.
 */
export function judgedEvidence(one: Evidence, written: Written | undefined, model: string): Evidence {
  const words = written && wordsOf(written.words, passagesOf(one))
  const isSilent = written?.says === 'not-said' && written.words.trim() === ''
  if (!written || (words === undefined && !isSilent)) return { ...one, judge: { model, problem: 'not-counted' } }
  const { says } = written
  const judge: Judgement = { model, says, ...(words !== undefined && { words }) }
  const { verdict } = one
  if (says === 'contradicted') return { ...one, verdict: 'not-found', judge }
  if (says === 'not-said') {
    const lower = verdict === 'found' ? 'partly' : verdict === 'partly' && isSilent ? 'not-found' : verdict
    return { ...one, verdict: lower, judge }
  }
  if (verdict !== 'partly') return { ...one, judge }
  // Nobody's words but those of a page make a quotation.
  const isQuoted = one.missing?.some(({ kind }) => kind === 'quotation') ?? false
  if (isQuoted || !isAbout(one, words ?? '')) return { ...one, judge: { model, problem: 'not-counted' } }
  const { missing: _, doubt: __, reason: ___, ...found } = one
  return { ...found, verdict: 'found', judge }
}

/** Whether words share as much with a sentence as a page that bears it out has to: some of its own words. */
function isAbout({ sentence, reason }: Evidence, words: string): boolean {
  const { terms } = readClaim(cleanedText(sentence).text)
  const stems = new Set(scan(cleanedText(words).text).stems)
  const shared = terms.filter((term) => stems.has(term)).length
  return shared >= Math.min(reason === 'other-language' ? 1 : 2, terms.length)
}

/** Words that stand in one of some passages, as that has them: all in a row, or in several where some are left out between. */
function wordsOf(words: string, passages: readonly Passage[]): string | undefined {
  const rows = quotedParts(words).map((part) => scan(cleanedText(part).text).words)
  const length = rows.reduce((sum, row) => sum + row.length, 0)
  for (const { text } of passages) {
    const cleaned = cleanedText(text)
    const { words: known, starts, ends } = scan(cleaned.text)
    if (length < Math.min(minWords, known.length)) continue
    const found = rows.map((row) => {
      const end = rowEnd(known, row)
      return end && text.slice(cleaned.place(starts[end - row.length] ?? 0), cleaned.place(ends[end - 1] ?? 0))
    })
    if (length > 0 && found.every((row) => row !== undefined)) return found.join(' … ')
  }
  return undefined
}

/** Fewer words stand on every page. */
const minWords = 3
/** In characters: of a reply, and of what one judgement rests on. */
const maxReply = 100_000
const maxWords = 1000
const maxItems = 100
