import { abortError } from '../../../domain/abort.ts'
import { SearchError } from '../../../domain/error.ts'
import type { ExecutorHealth } from '../../../domain/health.ts'
import type { SearchEvent, SearchEvents, SearchRequest } from '../../../domain/search.ts'
import { chunks } from '../../../lib/bytes.ts'
import { lines } from '../../../lib/lines.ts'
import type { Executor, SearchContext } from '../../executor.ts'
import { EventOrder } from '../../wire/event-order.ts'
import { readEvent } from '../../wire/event-schema.ts'
import { failureOfReply, readFailure } from '../../wire/failure.ts'
import type { Fetcher } from '../../wire/fetcher.ts'
import { callerHeader } from '../../wire/headers.ts'
import { remoteHealth } from './remote-health.ts'

export interface RemoteOptions {
  readonly fetcher: Fetcher
  /** What the backend is called; `remote` by default. */
  readonly name?: string | undefined
  /** How it stands. By default it is asked at `/health`. */
  readonly health?: (() => Promise<ExecutorHealth>) | undefined
}

/**
 * Searches by asking another csp at `POST /execute`. Its events are checked as they come: one that lies about their
 * order, or about pages, fails. On an abort the request is let go of, upon which the other end stops by itself.
 */
export function remote({ fetcher, name = 'remote', health = remoteHealth(fetcher, name) }: RemoteOptions): Executor {
  const closing = new AbortController()
  return {
    name,
    async *search(request, context) {
      if (closing.signal.aborted) throw closedError(name)
      const stop = new AbortController()
      const signal = AbortSignal.any([context.signal, closing.signal, stop.signal])
      try {
        yield* ask({ fetcher, name, signal, stop }, request, context)
      } catch (error) {
        if (context.signal.aborted) throw abortError(context.signal)
        if (closing.signal.aborted) throw closedError(name)
        throw error
      }
    },
    health,
    close: async () => closing.abort(),
  }
}

interface Line {
  readonly fetcher: Fetcher
  readonly name: string
  readonly signal: AbortSignal
  readonly stop: AbortController
}

async function* ask(line: Line, request: SearchRequest, context: SearchContext): SearchEvents {
  const { name, signal, stop } = line
  if (signal.aborted) throw abortError(signal)
  const body = await open(line, request, context)
  const order = new EventOrder()
  let lingering: ReturnType<typeof setTimeout> | undefined
  try {
    for await (const text of lines(chunks(body, signal), longestLine)) {
      const event = read(name, text, order)
      if (!event) continue
      // Its end follows at once. Waiting for it, but not for ever, keeps the connection.
      if (event.type === 'done') lingering = setTimeout(() => stop.abort(), longestEndMs)
      yield event
    }
  } catch (error) {
    if (stop.signal.aborted && order.isDone) return
    if (error instanceof SearchError || signal.aborted) throw error
    if (error instanceof RangeError) throw brokenContract(name, 'a line without an end')
    throw new SearchError('unavailable', `The connection to ${name} was lost.`, { cause: error })
  } finally {
    clearTimeout(lingering)
  }
  if (context.signal.aborted) throw abortError(context.signal)
  if (!order.isDone) throw new SearchError('unavailable', `${name} ended before its answer did.`)
}

/** Sends the request; gives the events, or throws why there are none. */
async function open(line: Line, request: SearchRequest, context: SearchContext): Promise<ReadableStream<Uint8Array>> {
  const { fetcher, name, signal } = line
  let response: Response
  try {
    response = await fetcher.fetch(
      new Request('http://remote.invalid/execute', {
        method: 'POST',
        headers: headersFor(context),
        body: JSON.stringify({ request }),
        signal,
        redirect: 'manual',
      }),
    )
  } catch (error) {
    if (signal.aborted) throw error
    throw new SearchError('unavailable', `${name} cannot be reached.`, { cause: error })
  }
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
  if (response.ok && isStream && response.body) return response.body
  if (!response.ok) throw await failureOfReply(name, response)
  await response.body?.cancel()
  throw new SearchError('unavailable', `What answers as ${name} is no csp that can be asked so.`)
}

function headersFor({ cache = 'default', caller }: SearchContext): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: 'text/event-stream',
    ...(cache !== 'default' && { 'cache-control': cache }),
    ...(caller !== undefined && { [callerHeader]: encodeURIComponent(caller) }),
  }
}

/** The event on a line of the stream. Nothing: a comment, a blank line, or a kind of event that is not known here. */
function read(name: string, line: string, order: EventOrder): SearchEvent | undefined {
  if (!line.startsWith('data:')) return undefined
  const value = parse(name, line.slice('data:'.length))
  const failure = readFailure(value)
  if (failure) throw failure
  const event = readEvent(value)
  if (event === 'unknown') return undefined
  if (!event) throw brokenContract(name, 'an event that is none')
  const problem = order.add(event)
  if (problem !== undefined) throw brokenContract(name, problem)
  return event
}

function parse(name: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw brokenContract(name, 'something that is no JSON')
  }
}

function brokenContract(name: string, what: string): SearchError {
  return new SearchError('failed', `${name} sent ${what}.`)
}

function closedError(name: string): SearchError {
  return new SearchError('unavailable', `${name} is closed.`)
}

/** In characters: all rows of a search stand on one line. */
const longestLine = 8 * 1024 * 1024

/** From `done` to the end of the stream. */
const longestEndMs = 1000
