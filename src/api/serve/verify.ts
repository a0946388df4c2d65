import { checkingClaims } from '@csp/evidence/check'
import { type CitedPage, type Passage, passagesOf } from '@csp/evidence/evidence'
import { guardedText } from '@csp/grounding/answer-guard'
import { inPieces } from '@csp/lib/pieces'
import { Semaphore } from '@csp/lib/semaphore'
import type { PageRequest } from '@csp/page-reader/page'
import { SearchError } from '../../domain/error.ts'
import { writtenPageCode } from '../../domain/unread-pages.ts'
import type { Asker, PageOutcome } from '../dialect.ts'

/** The longest claim. */
export const maxClaimCharacters = 5000

/** A page by its address, or a text that the caller has. */
export interface ClaimSource {
  readonly url?: string | undefined
  readonly text?: string | undefined
  readonly title?: string | undefined
}

/** What is to be looked for, and where. */
export interface Claim {
  readonly text: string
  readonly sources: readonly ClaimSource[]
}

/** The pages that have to be read for some claims, each once. */
export function pagesOfClaims(claims: readonly Claim[]): readonly PageRequest[] {
  const urls = claims.flatMap(({ sources }) =>
    sources.flatMap(({ url, text }) => (text === undefined ? (url ?? []) : [])),
  )
  return [...new Set(urls)].map((url) => ({ url }))
}

/** Texts are compared for one request at a time: that is work of csp's own processor. Callers take turns. */
const places = new Semaphore(1, 100)

/** Works when it is the caller's turn. Throws a `SearchError` when too many wait. */
async function inTurn<Result>({ signal, caller }: Asker, work: () => Promise<Result>): Promise<Result> {
  const leave = await places.take(signal, caller)
  if (leave === 'full') throw new SearchError('busy', 'Too many claims wait to be checked. Try again in a moment.')
  if (!leave) throw new SearchError('cancelled', 'The request was cancelled.')
  try {
    return await work()
  } finally {
    leave()
  }
}

/** What each claim has on its side, as it is sent. Sources are numbered from 1, as the claim names them. */
export async function verifyClaims(claims: readonly Claim[], outcomes: readonly PageOutcome[], asker?: Asker) {
  const byUrl = new Map(outcomes.map((outcome) => [outcome.url, outcome]))
  // Claims share sources, and each is read once: equal texts are one.
  const keys = new Map<string, number>()
  const pages: (CitedPage | undefined)[] = []
  const numberOf = (source: ClaimSource): number => {
    const key = source.text === undefined ? `url ${source.url}` : `text ${source.title ?? ''}\n${source.text}`
    const known = keys.get(key)
    if (known !== undefined) return known
    const page = source.text === undefined ? byUrl.get(source.url ?? '')?.page : undefined
    keys.set(key, pages.push(page ? { ...page, text: page.content } : citedText(source)))
    return pages.length
  }
  const numbered = claims.map(({ text, sources }) => ({ text, sources: sources.map(numberOf) }))
  const compare = () => inPieces(checkingClaims(numbered, (number) => pages[number - 1]))
  const compared = asker ? await inTurn(asker, compare) : await compare()
  asker?.onChecked?.()
  const evidence = asker?.judge ? await asker.judge(compared) : compared
  return evidence.map(({ verdict, score, missing, unseen, doubt, reason, judge: judgement, ...found }, place) => {
    const sources = claims[place]?.sources ?? []
    const sent = ({ text, source, place: at }: Passage) => ({
      text: guardedText(text),
      source: (numbered[place]?.sources.indexOf(source) ?? 0) + 1,
      place: at,
    })
    return {
      claim: claims[place]?.text ?? '',
      verdict,
      score,
      passage: found.passage ? sent(found.passage) : null,
      passages: passagesOf(found).map(sent),
      missing: missing ?? [],
      unseen: unseen ?? [],
      doubt: doubt ? { ...doubt, page: guardedText(doubt.page) } : null,
      reason: reason ?? null,
      judge: judgement ?? null,
      sources: sources.map((one, at) => ({ number: at + 1, ...describe(one, byUrl) })),
    }
  })
}

export type VerifiedClaim = Awaited<ReturnType<typeof verifyClaims>>[number]

function citedText({ text, title }: ClaimSource): CitedPage | undefined {
  return text === undefined ? undefined : { text, title }
}

/** A source as it was named, with why it could not be read. */
function describe({ url, text, title }: ClaimSource, byUrl: ReadonlyMap<string, PageOutcome>) {
  const outcome = text === undefined && url !== undefined ? byUrl.get(url) : undefined
  const error = outcome?.error
  return {
    url: url ?? null,
    title: title ?? outcome?.page?.title ?? null,
    error: error ? { code: writtenPageCode(error.code), message: error.message } : null,
  }
}
