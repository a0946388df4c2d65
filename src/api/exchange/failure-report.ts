import { crashReport, messageOf } from '@csp/lib/errors'
import { withoutWordsOf } from '@csp/lib/quoted-words'
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
