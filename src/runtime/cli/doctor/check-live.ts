import { counted } from '@csp/lib/text'
import { sourcesOf } from '../../../domain/answer.ts'
import { listPriceOf } from '../../../domain/claude-models.ts'
import { SearchError, toSearchError } from '../../../domain/error.ts'
import { type RateLimitHealth, windowInWords } from '../../../domain/health.ts'
import { type Config, usedBackends } from '../../config/settings.ts'
import { createLog } from '../../log/log.ts'
import { type Composition, openComposition } from '../../server/composition.ts'
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
 * Makes one search with each strategy, with the real model, and a standard answer in each of the two ways that Claude has:
 * about seven searches. Says of each what came, how long it took, how many model calls and what the list price is, and
 * what to do where something is missing; and of both ways what the plan has counted.
 */
export async function* checkLive(call: Call, signIn: string): AsyncGenerator<Finding> {
  const { config } = call.loaded
  const stop = interruption(call.shell)
  const open = (answers: Config['answers']) =>
    openComposition({ ...config, answers }, call.shell.environment, createLog('silent', call.shell.errors))
  const main = config.answers === 'pages' ? 'pages' : 'search'
  const counted: WayCount[] = []
  try {
    yield* checkStrategies(open(main), strategies, main, counted, stop.first)
    const hasTwoWays = usedBackends(config)[0] === 'claude' && config.writers === undefined
    if (!hasTwoWays) return
    const other = main === 'pages' ? 'search' : 'pages'
    yield* checkStrategies(open(other), ['standard'], other, counted, stop.first, `live ${other}`)
    if (config.auth === 'subscription') yield resultsOf('live plan').ok(countInWords(counted))
  } catch (error) {
    const { code, message } = toSearchError(error)
    const { fail } = resultsOf('live')
    if (stop.first.aborted || code === 'cancelled') yield fail('stopped before the end')
    else if (code === 'rate-limited') yield fail(limited)
    else yield { ...fail(message, signIn), concernsClaude: true }
  } finally {
    stop.end()
  }
}

/** The two ways in which Claude makes an answer. */
type Way = 'search' | 'pages'
const wayNames: Readonly<Record<Way, string>> = { search: 'one call', pages: 'two calls' }

/** The plan before and after a standard answer. */
export interface WayCount {
  readonly way: Way
  readonly before: RateLimitHealth | undefined
  readonly after: RateLimitHealth | undefined
}

async function* checkStrategies(
  composition: Composition,
  asked: readonly Strategy[],
  way: Way,
  counted: WayCount[],
  signal: AbortSignal,
  check?: string,
): AsyncGenerator<Finding> {
  const now = () => performance.now()
  const usage = () => composition.planUsage(signal).catch(() => undefined)
  try {
    await composition.executor.health() // until then there is no CLI to ask
    for (const strategy of asked) {
      const before = strategy === 'standard' ? await usage() : undefined
      const measured = await measureSearch(composition.executor, requestFor(strategy, question), signal, now)
      if (strategy === 'standard') counted.push({ way, before, after: before && (await usage()) })
      yield findingOf(strategy, measured, check)
    }
  } finally {
    await composition.close()
  }
}

/** What the plan has counted for each way, or that it does not say. */
export function countInWords(counted: readonly WayCount[]): string {
  const told = counted.flatMap(({ way, before, after }) => {
    const windows = (after?.windows ?? []).flatMap(({ window, utilization = 0 }) => {
      const was = before?.windows?.find((one) => one.window === window)?.utilization
      return was === undefined ? [] : [`${windowInWords(window)} ${percent(was)} → ${percent(utilization)}`]
    })
    return windows.length > 0 ? [`a standard answer in ${wayNames[way]}: ${windows.join(', ')}`] : []
  })
  return told.join('; ') || 'Claude does not say what the plan counts: it is signed in with a token, or the CLI is old'
}

const percent = (share: number) => `${Math.round(share * 1000) / 10} %`

const limited = 'a usage limit is reached: wait until it resets, or add another backend (docs/backends.md)'

/** What one strategy did, and what to do where something is missing. */
export function findingOf(
  strategy: Strategy,
  { ms, searches, modelCalls, reply }: MeasuredSearch,
  check = `live ${strategy}`,
): Finding {
  const { ok, warn, fail } = resultsOf(check)
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
