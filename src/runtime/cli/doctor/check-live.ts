import { toSearchError } from '../../../domain/error.ts'
import { listPriceOf } from '../../../domain/list-price.ts'
import { type Strategy, strategies } from '../../../eval/contender.ts'
import { evaluate, type Trial } from '../../../eval/evaluate.ts'
import { counted } from '../../../lib/text.ts'
import { createLog } from '../../log/log.ts'
import { openComposition } from '../../server/composition.ts'
import { csp } from '../../shell/program.ts'
import { interruption } from '../../shell/shell.ts'
import type { Call } from '../command.ts'
import { type Finding, resultsOf } from './finding.ts'

const question = {
  id: 'live',
  question: 'What is new in the latest release of Node.js?',
  answers: ['Node'],
  kind: 'live',
  asOf: '',
}

/**
 * Makes one search with each strategy, with the real model: about six searches. Says of each what came, how long it took, how
 * many model calls and what the list price is, and what to do where something is missing.
 */
export async function* checkLive({ shell, loaded: { config } }: Call, signIn: string): AsyncGenerator<Finding> {
  const stop = interruption(shell)
  const composition = openComposition(config, shell.environment, createLog('silent', shell.errors))
  const backend = config.backends.join(', ')
  const contenders = strategies.map((strategy) => ({ backend, strategy, executor: composition.executor }))
  const plan = { questions: [question], contenders, maxSearches: 50, now: () => performance.now(), goesOn: true }
  const running = evaluate(plan, stop.first)
  try {
    for (;;) {
      const { done, value } = await running.next()
      if (!done) yield findingOf(value)
      else if (value === 'complete') return
      else return yield resultsOf('live').fail(endings[value] ?? 'stopped before the end')
    }
  } catch (error) {
    const { message } = toSearchError(error)
    yield { ...resultsOf('live').fail(message, signIn), concernsClaude: true }
  } finally {
    await composition.close()
    stop.end()
  }
}

const endings: Readonly<Record<string, string>> = {
  limit: 'a usage limit is reached: wait until it resets, or add another backend (docs/backends.md)',
}

/** What one strategy did, and what to do where something is missing. */
export function findingOf(trial: Trial): Finding {
  const { ok, warn, fail } = resultsOf(`live ${trial.strategy}`)
  if (trial.failure !== undefined) {
    const message = `${trial.failure}, after ${seconds(trial)}`
    return fail(message, `Try ${csp} ask --log-level debug; docs/errors.md has each code.`)
  }
  const price = listPriceOf(trial.model, trial)
  const message = [
    counted(trial.rows, 'page'),
    trial.strategy === 'results' && `${trial.rowsWithExcerpt} with excerpt`,
    trial.strategy === 'results' && `${trial.rowsWithDate} with date`,
    trial.strategy !== 'results' && counted(trial.citations ?? 0, 'citation'),
    counted(trial.searches, 'search', 'searches'),
    trial.modelCalls > 0 && counted(trial.modelCalls, 'model call'),
    seconds(trial),
    price === undefined ? 'list price unknown' : `list price $${price.toFixed(3)}`,
  ]
  const remedy = remedyFor(trial)
  const told = message.filter(Boolean).join(', ')
  return remedy === undefined ? ok(told) : warn(told, remedy)
}

/** What to change where the model did not do its part. */
function remedyFor({ strategy, rows, rowsWithExcerpt, citations = 0, isGrounded, ms }: Trial): string | undefined {
  if (rows === 0) return `It found nothing. Try ${csp} search with words of your own.`
  if (isGrounded === false) return 'The answer names a page that it did not find. Please report this.'
  if (strategy === 'results' && rowsWithExcerpt * 2 < rows) return fewExcerpts
  if (strategy !== 'results' && citations === 0) return 'The answer cites nothing. Another --model may write better.'
  return ms > slowMs[strategy] ? 'Slow: agents may give up. A smaller --model or --search-model is faster.' : undefined
}

const fewExcerpts =
  'Few rows have an excerpt: their pages were not read in time, or the model wrote no lines. Compare --excerpts lines and --excerpts pages.'

/** Agents give up after 15 to 30 s. */
const slowMs: Readonly<Record<Strategy, number>> = { results: 10_000, fast: 15_000, standard: 15_000, deep: 60_000 }

function seconds({ ms }: Trial): string {
  return `${(ms / 1000).toFixed(1)} s`
}
