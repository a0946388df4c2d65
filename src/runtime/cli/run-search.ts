import { counted } from '@csp/lib/text'
import { momentOf, spanOf } from '@csp/lib/times'
import { Rejection } from '../../api/fields/field.ts'
import { ordinaryQuery, readQuery } from '../../api/fields/query.ts'
import { AnswerFold, sourcesOf } from '../../domain/answer.ts'
import { type SearchErrorCode, toSearchError, traitsOf, withRetryTime } from '../../domain/error.ts'
import { sandboxNotice } from '../../domain/health.ts'
import type { Answer, SearchEvent, SearchRequest } from '../../domain/search.ts'
import { unreadInWords } from '../../domain/unread-pages.ts'
import { isUnusableCli } from '../../executor/backends/claude/cli/probe.ts'
import type { Executor } from '../../executor/executor.ts'
import { layer } from '../../executor/layers/layer.ts'
import { anyRunningExecutor, executorOf } from '../background/running-executor.ts'
import { whatRuns, whyNotUsed } from '../background/what-runs.ts'
import type { LoadedConfig } from '../config/config.ts'
import { unusedBackendsHint } from '../config/unused-backends.ts'
import { UsageError } from '../config/usage-error.ts'
import { openComposition } from '../server/composition.ts'
import { openInBrowser } from '../shell/browser.ts'
import { safeLine } from '../shell/terminal.ts'
import { type Call, exitCodes, type OptionDefinitions, wholeNumber } from './command.ts'
import { type Explained, type OneOff, oneOffOptions, runOneOff } from './one-off.ts'
import { formatOptions } from './source-formats.ts'

/** Flags of the commands that make one search. */
export const searchOptions = {
  ...formatOptions,
  open: { hint: 'N', help: 'Open the N-th page in the browser', parse: wholeNumber(1, 999) },
  fresh: { help: 'Search again, even if it is cached' },
  ...oneOffOptions,
} satisfies OptionDefinitions

/** One search, and how its answer is shown. */
export interface OneSearch {
  readonly request: SearchRequest
  readonly options: { readonly quiet: boolean; readonly open: number | undefined; readonly fresh: boolean }
  /** Returns what to print of a piece of text, as it comes. Absent: nothing is printed before the end. */
  readonly onText?: ((text: string, searches: Answer['searches']) => string) | undefined
  /** Returns the lines for a person who waits, above the progress. */
  readonly onStep?: ((event: SearchEvent) => string | undefined) | undefined
  /** Returns what to print at the end, and what to say besides. */
  show(answer: Answer, frame: ShownFrame): string
}

/** Data about the answer. */
export interface ShownFrame extends Pick<OneOff, 'createdAt' | 'elapsedMs' | 'hint'> {
  /** The origin of the answer. */
  readonly cache?: Extract<SearchEvent, { type: 'cache' }> | undefined
}

/**
 * Makes one search and prints its answer, by the csp that already runs with these settings, otherwise in this process.
 * Resolves to the exit code.
 */
export async function runSearch(call: Pick<Call, 'shell' | 'loaded'>, search: OneSearch): Promise<number> {
  const { shell, loaded } = call
  const { request, options, onText, onStep } = search
  const work = async (frame: OneOff) => {
    frame.progress.show(request.want === 'text' ? 'Writing' : 'Searching')
    const executor = await openExecutor(call, frame, options.quiet)
    const fold = new AnswerFold()
    const wish = options.fresh ? 'no-cache' : 'default'
    let cache: ShownFrame['cache']
    for await (const event of executor.search(request, { signal: frame.signal, cache: wish, isWhole: !onText })) {
      if (event.type === 'cache') cache = event
      fold.add(event)
      const phase = phaseOf(event, fold, request)
      if (phase) frame.progress.show(phase)
      const lines = shell.errors.isTerminal && !options.quiet ? (onStep?.(event) ?? unreadLine(event)) : undefined
      if (lines) frame.progress.write(lines)
      if (event.type === 'text-delta' && onText) frame.print(onText(event.text, fold.searches))
    }
    const answer = fold.finish()
    frame.progress.end()
    const { createdAt, elapsedMs, hint } = frame
    if (answer.backend === 'memory') hint('From memory: no search could be made')
    else if (cache && cache.status !== 'miss')
      hint(`From the cache, ${spanOf(cache.ageSeconds)} old; --fresh searches again`)
    frame.print(search.show(answer, { createdAt, elapsedMs, hint, cache }))
    if (options.open === undefined) return
    const sources = sourcesOf(answer.searches)
    const url = sources[options.open - 1]?.url
    if (!url) throw new OpenError(`There is no page ${options.open}: ${counted(sources.length, 'page')} were found.`)
    if (!(await openInBrowser(url, shell.environment))) throw new OpenError(`No browser could be opened for ${url}`)
  }
  return runOneOff({ shell, loaded }, options.quiet, work, (error) => explain(error, loaded))
}

/** A page that could not be opened, behind a search that worked. */
class OpenError extends Error {
  override readonly name = 'OpenError'
}

async function openExecutor(call: Pick<Call, 'shell' | 'loaded'>, frame: OneOff, isQuiet: boolean) {
  const { shell, loaded } = call
  const { config } = loaded
  const found = await whatRuns({ loaded, environment: shell.environment })
  const say = (line: string | undefined) => line && !isQuiet && frame.progress.write(`${line}\n`)
  if (found.kind === 'usable') {
    const { server } = found
    frame.log('debug', 'Asking the csp that already runs.')
    if (server.sandbox && !config.sandbox) say(`The csp at ${server.url} is asked. ${sandboxNotice}`)
    const executor = executorOf(server)
    frame.atEnd(() => executor.close())
    return executor
  }
  say(whyNotUsed(found))
  const { executor, close } = openComposition(config, shell.environment, frame.log)
  frame.atEnd(close)
  return orAnyRunning(executor, call, frame)
}

/** If no CLI can be used here, a csp that runs with other settings may have one, as with another PATH. */
function orAnyRunning(own: Executor, { loaded }: Pick<Call, 'loaded'>, frame: OneOff): Executor {
  return layer(own, {
    async *search(request, context) {
      try {
        yield* own.search(request, context)
      } catch (error) {
        // Thrown before the first event.
        const other = isUnusableCli(toSearchError(error)) && (await anyRunningExecutor({ loaded }))
        if (!other) throw error
        frame.atEnd(() => other.executor.close())
        frame.hint(`No Claude CLI can be used here: asking the csp at ${other.url}, which runs with other settings`)
        yield* other.executor.search(request, context)
      }
    },
  })
}

/** The progress line for a person who waits; `undefined`: nothing new. */
function phaseOf(event: SearchEvent, fold: AnswerFold, { want }: SearchRequest): string | undefined {
  const found = sourcesOf(fold.searches).length
  switch (event.type) {
    case 'search-start':
      return found > 0 ? `${counted(found, 'page')}, searching for ${event.query}` : undefined
    case 'reading':
      return event.unread || event.read ? undefined : `${counted(event.pages, 'page')}, reading${atMost(event.maxMs)}`
    case 'search-results':
      return want === 'results' ? counted(found, 'page') : `${counted(found, 'page')}, reading`
    case 'text-delta':
      return `${found > 0 ? `${counted(found, 'page')}, ` : ''}writing`
    default:
      return undefined
  }
}

function atMost(ms: number | undefined): string {
  return ms === undefined ? '' : ` (${Math.ceil(ms / 1000)} s at most)`
}

function unreadLine(event: SearchEvent): string | undefined {
  if (event.type !== 'reading' || !event.unread) return undefined
  return `Not read: ${safeLine(unreadInWords(event.unread))}\n`
}

function explain(error: unknown, loaded: LoadedConfig): Explained {
  if (error instanceof UsageError) return { message: error.message, code: exitCodes.usage }
  if (error instanceof OpenError) return { message: error.message, code: exitCodes.failed }
  const failure = toSearchError(error)
  const code = isUnusableCli(failure) ? exitCodes.signedOut : exitCodeOf[failure.code]
  const isOfBackend = isUnusableCli(failure) || traitsOf(failure.code).marksBackendDown
  // Backends that could have searched instead.
  const hint = isOfBackend ? unusedBackendsHint(loaded) : undefined
  const message = [withRetryTime(failure, Date.now(), momentOf), ...(hint ? [hint] : [])].join(' ')
  return { message, cause: failure.cause, code }
}

const exitCodeOf = {
  'invalid-request': exitCodes.usage,
  'signed-out': exitCodes.signedOut,
  'rate-limited': exitCodes.limited,
  cancelled: exitCodes.interrupted,
  unauthorized: exitCodes.failed,
  busy: exitCodes.failed,
  unavailable: exitCodes.failed,
  ungrounded: exitCodes.failed,
  timeout: exitCodes.failed,
  failed: exitCodes.failed,
} satisfies Record<SearchErrorCode, number>

/** The query of a command line: its words, or standard input for `-`. Throws a `UsageError` for a query that the API rejects. */
export async function queryOf({ shell, arguments: words }: Pick<Call, 'shell' | 'arguments'>): Promise<string> {
  const text = words.length === 1 && words[0] === '-' ? await shell.input() : words.join(' ')
  if (!text.trim()) throw new UsageError('The query is empty.')
  const query = readQuery(text, ordinaryQuery)
  if (query instanceof Rejection) throw new UsageError(`The query was rejected: ${query.message}.`)
  return query
}
