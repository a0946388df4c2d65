import { crashReport, messageOf } from '@csp/lib/errors'
import { plainLine } from '@csp/lib/text'
import { PageError } from '@csp/page-reader/page-error'
import { SearchError } from '../../domain/error.ts'
import type { SearchRequest } from '../../domain/search.ts'
import { Refusal } from './refusal.ts'

/** Why a request failed, for the log. The words of the caller's request are cut out of it. */
export interface FailureReport {
  /** Absent for what the caller did wrong: such messages quote the request. */
  readonly message?: string | undefined
  /** What broke and where, for an error that csp did not expect. */
  readonly fault?: string | undefined
}

/** Nothing for a refusal, whose code says all there is to know. */
export function reportFailure(error: unknown, requests: readonly SearchRequest[]): FailureReport | undefined {
  if (error instanceof Refusal) return undefined
  if (error instanceof PageError) {
    // Its message may have the address, which callers keep to themselves.
    return error.code === 'failed' ? { fault: crashReport(error.cause ?? error) } : undefined
  }
  if (!(error instanceof SearchError)) return { fault: crashReport(error) }
  const { forOthers, cause, code } = error
  const isUnexpected = code === 'failed' && cause instanceof Error && !(cause instanceof SearchError)
  return { message: inWords(forOthers, requests), ...(isUnexpected && { fault: crashReport(cause) }) }
}

/** An error and its causes, outermost first, each on a line. */
export function causeChain(error: unknown, requests: readonly SearchRequest[]): readonly string[] {
  const chain: string[] = []
  const add = (link: unknown): void => {
    if (link === undefined || link === null || link === '' || chain.length === maxCauses) return
    const kind = link instanceof SearchError ? `${link.code}: ` : link instanceof Error ? `${link.name}: ` : ''
    const where = link instanceof Error && !(link instanceof SearchError) ? placeOf(link) : ''
    if (!Array.isArray(link)) chain.push(`${kind}${inWords(messageOf(link), requests)}${where}`)
    for (const cause of Array.isArray(link) ? link : link instanceof Error ? [link.cause] : []) add(cause)
  }
  add(error)
  return chain
}

const maxCauses = 10
const maxMessage = 500

function placeOf(error: Error): string {
  const [, place] = crashReport(error).split(/ (?=at )/)
  return place ? ` (${place})` : ''
}

function inWords(message: string, requests: readonly SearchRequest[]): string {
  const written = requests.flatMap(({ query, instructions = '', history, continuation = [] }) => [
    query,
    instructions,
    ...[...history, ...continuation].map(({ text }) => text),
  ])
  return withoutWordsOf(written, plainLine(message.slice(0, maxMessage)))
}

const words = /[\p{L}\p{N}]+/gu

/** The message without what it quotes of these texts: three words in a row that stand in one, or all of a shorter text. */
export function withoutWordsOf(texts: readonly string[], message: string): string {
  // As an address has them.
  const readable = message.replaceAll(/%20|\+/g, ' ')
  const found = [...readable.matchAll(words)]
  const known = new Set(texts.flatMap((text) => runsOf(text.slice(0, maxQuoted))))
  const quoted = new Set<number>()
  for (const [start] of found.entries()) {
    for (const length of [1, 2, 3]) {
      const run = found.slice(start, start + length).map(([word]) => word.toLowerCase())
      if (run.length === length && known.has(run.join(' '))) for (const at of run.keys()) quoted.add(start + at)
    }
  }
  if (quoted.size === 0) return message
  let end = 0
  let kept = ''
  for (const [at, { 0: word, index }] of found.entries()) {
    if (!quoted.has(at)) continue
    kept += quoted.has(at - 1) ? '' : `${readable.slice(end, index)}[…]`
    end = index + word.length
  }
  return kept + readable.slice(end)
}

const maxQuoted = 20_000

function runsOf(text: string): readonly string[] {
  const all = (text.match(words) ?? []).map((word) => word.toLowerCase())
  const length = Math.min(3, all.length)
  return length === 0 ? [] : all.slice(length - 1).map((_, start) => all.slice(start, start + length).join(' '))
}
