import { attended } from '@csp/lib/attended'
import { eventReader } from '@csp/lib/event-stream'
import { pieces } from '@csp/lib/http-client'
import { parseJson } from '@csp/lib/json'
import { inPieces } from '@csp/lib/pieces'
import { z } from 'zod'
import { abortError } from '../../../domain/abort.ts'
import { SearchError } from '../../../domain/error.ts'
import type { BackendHealth, ExecutorHealth } from '../../../domain/health.ts'
import { modelNamePattern } from '../../../domain/model.ts'
import type { SearchEvent, SearchEvents, SearchRequest } from '../../../domain/search.ts'
import { paced } from '../../answer/paced.ts'
import { regrounded } from '../../answer/regrounded.ts'
import type { Executor, SearchContext } from '../../executor.ts'
import { guardingEvidence } from '../../layers/evidence/guarded-evidence.ts'
import { EventOrder } from '../../wire/event-order.ts'
import { failureOfReply, readFailure } from '../../wire/failure.ts'
import type { Fetcher } from '../../wire/fetcher.ts'
import { callerHeader, modelHeader, requestIdHeader, traceparentHeader, wholeHeader } from '../../wire/headers.ts'
import { readWireEvent } from '../../wire/schemas.ts'

export interface RemoteOptions {
  readonly fetcher: Fetcher
  /** What the backend is called; `remote` by default. */
  readonly name?: string | undefined
  /** How it stands. By default it is asked at `/health`. */
  readonly health?: (() => Promise<ExecutorHealth>) | undefined
}

/**
 * Searches by asking another csp at `POST /execute`. Its events are checked as they come: a search fails when they are
 * malformed or out of order, and a written answer is grounded here as well. An abort closes the request, and the other end then stops by itself.
 */
export function remote({ fetcher, name = 'remote', health = remoteHealth(fetcher, name) }: RemoteOptions): Executor {
  const closing = new AbortController()
  return {
    name,
    // A home has its answers judged itself.
    supports: ({ claims }) => !claims,
    search: (request, context) =>
      attended(() => {
        if (closing.signal.aborted) throw closedError(name)
        const stop = new AbortController()
        const signal = AbortSignal.any([context.signal, closing.signal, stop.signal])
        return {
          items: paced(ask({ fetcher, name, signal, stop }, request, context)),
          instead: request.want === 'answer' ? regrounded(request) : undefined,
          failure(error) {
            if (context.signal.aborted) return abortError(context.signal)
            return closing.signal.aborted ? closedError(name) : error
          },
        }
      }),
    health,
    close: async () => closing.abort(),
  }
}

interface Connection {
  readonly fetcher: Fetcher
  readonly name: string
  readonly signal: AbortSignal
  readonly stop: AbortController
}

async function* ask(connection: Connection, request: SearchRequest, context: SearchContext): SearchEvents {
  const { name, signal, stop } = connection
  if (signal.aborted) throw abortError(signal)
  const body = await openStream(connection, request, context)
  const order = new EventOrder()
  let lingering: ReturnType<typeof setTimeout> | undefined
  try {
    const dataIn = eventReader(maxEventLength)
    for await (const chunk of pieces(body, { signal })) {
      for (const data of dataIn(chunk)) {
        const event = read(name, data, order)
        if (!event) continue
        const evidence = event.type === 'done' && event.evidence && (await inPieces(guardingEvidence(event.evidence)))
        // The end follows at once. Waiting for it, within limits, keeps the connection alive for the next request.
        if (event.type === 'done') lingering = setTimeout(() => stop.abort(), maxEndMs)
        yield evidence ? { ...event, evidence } : event
      }
    }
  } catch (error) {
    if (stop.signal.aborted && order.isDone) return
    if (error instanceof SearchError || signal.aborted) throw error
    if (error instanceof RangeError) throw brokenContract(name, 'an event without an end')
    throw new SearchError('unavailable', `The connection to ${name} was lost.`, { cause: error })
  } finally {
    clearTimeout(lingering)
  }
  if (!order.isDone) throw new SearchError('unavailable', `${name} ended before its answer did.`)
}

/** Sends the request; returns its events, or throws. */
async function openStream(
  connection: Connection,
  request: SearchRequest,
  context: SearchContext,
): Promise<ReadableStream<Uint8Array>> {
  const { fetcher, name, signal } = connection
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
  if (response.ok && isStream && response.body) {
    const model = response.headers.get(modelHeader)
    if (model && modelNamePattern.test(model)) context.trace?.defaultModel(model)
    return response.body
  }
  if (!response.ok) throw await failureOfReply(name, response)
  await response.body?.cancel()
  throw new SearchError('unavailable', `The server behind ${name} is not a csp that can be searched.`)
}

function headersFor({ cache = 'default', caller, trace, isWhole }: SearchContext): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: 'text/event-stream',
    ...(cache !== 'default' && { 'cache-control': cache }),
    ...(trace?.id !== undefined && { [requestIdHeader]: trace.id }),
    ...(trace?.traceparent !== undefined && { [traceparentHeader]: trace.traceparent }),
    ...(isWhole && { [wholeHeader]: '1' }),
    ...(caller !== undefined && { [callerHeader]: encodeURIComponent(caller) }),
  }
}

/** Reads one event; `undefined` when its type is not known here. */
function read(name: string, data: string, order: EventOrder): SearchEvent | undefined {
  const value = parseJson(data)
  if (value === undefined) throw brokenContract(name, 'malformed JSON')
  const event = readWireEvent(value)
  // A failure is no event: its type is one that is not known.
  const failure = event === 'unknown' && readFailure(value)
  if (failure) throw failure
  if (event === 'unknown') return undefined
  if (!event) throw brokenContract(name, 'a malformed event')
  const problem = order.add(event)
  if (problem !== undefined) throw brokenContract(name, problem)
  return event
}

function brokenContract(name: string, what: string): SearchError {
  return new SearchError('failed', `${name} sent ${what}.`)
}

function closedError(name: string): SearchError {
  return new SearchError('unavailable', `${name} is closed.`)
}

/** In characters: all rows of a search are one event. */
const maxEventLength = 8 * 1024 * 1024

/** From `done` to the end of the stream. */
const maxEndMs = 1000

const healthSchema = z.object({
  status: z.enum(['ok', 'degraded', 'down']),
  version: z.string().optional(),
  /** Whether searches work; its gateway may without them. */
  ready: z.boolean().optional(),
  backends: z.array(z.object({ name: z.string(), ready: z.boolean(), problem: z.string().optional() })).optional(),
})

/** Asks another csp for its health, for 3 s at most. Never throws. */
export function remoteHealth(fetcher: Fetcher, name: string): () => Promise<ExecutorHealth> {
  return async () => {
    const backend = await askHealth(fetcher, name)
    return { ready: backend.ready, backends: [backend] }
  }
}

async function askHealth(fetcher: Fetcher, name: string): Promise<BackendHealth> {
  try {
    const signal = AbortSignal.timeout(maxHealthWaitMs)
    const response = await fetcher.fetch(new Request('http://remote.invalid/health', { signal, redirect: 'manual' }))
    const found = healthSchema.safeParse(await response.json())
    if (!found.success) return { name, ready: false, problem: 'That server is not csp.' }
    const { status, version, ready = status !== 'down', backends } = found.data
    // Without a valid key the reply has the status alone.
    if (!backends) return { name, ready: false, problem: 'It refuses the key of this csp.' }
    const problem = backends.find((backend) => !backend.ready)?.problem
    return { name, ready, version, ...(problem !== undefined && { problem }) }
  } catch {
    return { name, ready: false, problem: 'It cannot be reached.' }
  }
}

const maxHealthWaitMs = 3000
