import { counted } from '@csp/lib/text'
import { sourcesOf } from '../../../domain/answer.ts'
import { listPriceOf } from '../../../domain/claude-models.ts'
import { SearchError, toSearchError } from '../../../domain/error.ts'
import { createLog } from '../../log/log.ts'
import { openComposition } from '../../server/composition.ts'
import { csp } from '../../shell/program.ts'
import { interruption } from '../../shell/shell.ts'
import type { Call } from '../command.ts'
import { type Finding, resultsOf } from './finding.ts'
import {
  countRows,
  isGrounded,
  type MeasuredSearch,
  measureSearch,
  requestFor,
  type Strategy,
  strategies,
} from './live-search.ts'

const question = 'What is new in the latest release of Node.js?'

/**
 * Makes one search with each strategy, with the real model: about six searches. Says of each what came, how long it took, how
 * many model calls and what the list price is, and what to do where something is missing.
 */
export async function* checkLive({ shell, loaded: { config } }: Call, signIn: string): AsyncGenerator<Finding> {
  const stop = interruption(shell)
  const composition = openComposition(config, shell.environment, createLog('silent', shell.errors))
  const now = () => performance.now()
  try {
    for (const strategy of strategies) {
      const request = requestFor(strategy, question)
      yield findingOf(strategy, await measureSearch(composition.executor, request, stop.first, now))
    }
  } catch (error) {
    const { code, message } = toSearchError(error)
    const { fail } = resultsOf('live')
    if (stop.first.aborted || code === 'cancelled') yield fail('stopped before the end')
    else if (code === 'rate-limited') yield fail(limited)
    else yield { ...fail(message, signIn), concernsClaude: true }
  } finally {
    await composition.close()
    stop.end()
  }
}

const limited = 'a usage limit is reached: wait until it resets, or add another backend (docs/backends.md)'

/** What one strategy did, and what to do where something is missing. */
export function findingOf(strategy: Strategy, { ms, searches, modelCalls, reply }: MeasuredSearch): Finding {
  const { ok, warn, fail } = resultsOf(`live ${strategy}`)
  const time = `${(ms / 1000).toFixed(1)} s`
  if (reply instanceof SearchError) {
    return fail(`${reply.code}, after ${time}`, `Try ${csp} ask --log-level debug; docs/errors.md has each code.`)
  }
  const { rows, rowsWithExcerpt, rowsWithDate } = countRows(sourcesOf(reply.searches))
  const price = listPriceOf(reply.model, { ...reply.usage, searches })
  const message = [
    counted(rows, 'page'),
    strategy === 'results' && `${rowsWithExcerpt} with excerpt`,
    strategy === 'results' && `${rowsWithDate} with date`,
    strategy !== 'results' && counted(reply.citations.length, 'citation'),
    counted(searches, 'search', 'searches'),
    modelCalls > 0 && counted(modelCalls, 'model call'),
    time,
    price === undefined ? 'list price unknown' : `list price $${price.toFixed(3)}`,
  ]
  const told = message.filter(Boolean).join(', ')
  if (rows === 0) return warn(told, `It found nothing. Try ${csp} search with words of your own.`)
  if (strategy === 'results' && rowsWithExcerpt * 2 < rows) return warn(told, fewExcerpts)
  if (strategy !== 'results' && !isGrounded(reply)) return warn(told, invented)
  if (strategy !== 'results' && reply.citations.length === 0) return warn(told, noCitations)
  return ms > slowMs[strategy] ? warn(told, slow) : ok(told)
}

const fewExcerpts =
  'Few rows have an excerpt: their pages were not read in time, or the model wrote no lines. Compare --excerpts lines and --excerpts pages.'
const invented = 'The answer names a page that it did not find. Please report this.'
const noCitations = 'The answer cites nothing. Another --model may write better.'
const slow = 'Slow: agents may give up. A smaller --model or --search-model is faster.'

/** Agents give up after 15 to 30 s. */
const slowMs: Readonly<Record<Strategy, number>> = { results: 10_000, fast: 15_000, standard: 15_000, deep: 60_000 }
