import { z } from 'zod'
import { maxTimerMs } from '../lib/abort.ts'
import { parseJson } from '../lib/json.ts'
import { messagesRequest } from '../messages-api/request.ts'
import { type ApiErrorStatus, apiError, billingMessages, type LimitVerdict, rateLimitHeaders } from './api-error.ts'
import { classify } from './messages-request.ts'
import { reply } from './replies/reply.ts'
import { CallLog, type RecordedRequest, recordedHeaders, type SandboxStats } from './request-log.ts'
import type { Scenario } from './scenario.ts'
import { ScenarioPicker, scenarios } from './scenario.ts'
import { type SandboxOptions, settingsFrom } from './settings.ts'
import { messageEvents } from './stream/message.ts'
import { paceOf } from './stream/pace.ts'
import { type Piece, pacedStream, sleep } from './stream/paced-stream.ts'
import { streamedTransfer, wholeTransfer } from './stream/transfer.ts'

/**
 * A stand-in for Anthropic's Messages API. The `claude` CLI runs complete searches on it without an account. It does not
 * use the web: its pages are invented, and the text of every answer says that it comes from the sandbox.
 */
export interface Sandbox {
  /** Serves one HTTP request. Bound: it can be passed to a server, which should listen on loopback. */
  fetch(request: Request): Promise<Response>
  /** The last 1,000 model calls, oldest first. */
  requests(): readonly RecordedRequest[]
  stats(): SandboxStats
  /** Resolves as soon as the condition is true, immediately if it already is. */
  until(condition: (stats: SandboxStats) => boolean): Promise<void>
  /** Changes the given settings. A new scenario counts calls from now on. */
  configure(options: SandboxOptions): void
  /** Clears the recorded requests and restores the initial settings. */
  reset(): void
}

/** Creates a sandbox. Nothing runs before the first request. */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  return new EmbeddedSandbox(options)
}

class EmbeddedSandbox implements Sandbox {
  readonly #initial: SandboxOptions
  readonly #log = new CallLog()
  #options: SandboxOptions
  #picker: ScenarioPicker
  #lastId = 0

  constructor(options: SandboxOptions) {
    this.#initial = options
    this.#options = options
    this.#picker = new ScenarioPicker(options.scenario)
  }

  readonly fetch = async (request: Request): Promise<Response> => {
    const close = this.#log.open()
    try {
      return await this.#route(request)
    } catch (error) {
      if (!request.signal.aborted) throw error
      return new Response(null, { status: 499 })
    } finally {
      close()
    }
  }

  requests(): readonly RecordedRequest[] {
    return this.#log.recorded
  }

  stats(): SandboxStats {
    return this.#log.stats
  }

  until(condition: (stats: SandboxStats) => boolean): Promise<void> {
    return this.#log.until(condition)
  }

  configure(options: SandboxOptions): void {
    this.#options = { ...this.#options, ...options }
    if ('scenario' in options) this.#picker = new ScenarioPicker(options.scenario)
  }

  reset(): void {
    this.#log.clear()
    this.#options = this.#initial
    this.#picker = new ScenarioPicker(this.#initial.scenario)
  }

  async #route(request: Request): Promise<Response> {
    const { scenario, path: pathname } = readPath(new URL(request.url).pathname)
    if (request.method === 'POST' && pathname === '/v1/messages') return this.#call(request, scenario)
    this.#log.recordOther()
    if (request.method === 'POST' && pathname === '/v1/messages/count_tokens') {
      return Response.json({ input_tokens: Math.ceil((await request.text()).length / 4) })
    }
    if (pathname === '/') return new Response('The sandbox of claude-search-proxy. Nothing here is real.\n')
    return apiError(404, { requestId: this.#newId('req') })
  }

  async #call(request: Request, asked: Scenario | undefined): Promise<Response> {
    const requestId = this.#newId('req')
    const settings = settingsFrom(this.#options)
    const now = settings.now()
    const text = await request.text()
    const { success, data: body, error } = messagesRequest.safeParse(parseJson(text))
    if (!success) return apiError(400, { requestId, message: z.prettifyError(error) })

    const kind = classify(body)
    const scenario = asked ?? this.#picker.next(kind)
    const bytes = new TextEncoder().encode(text).length
    this.#log.record({ kind, scenario, body, headers: recordedHeaders(request.headers), bytes, arrivedAt: now })

    const pace = paceOf(body.model, settings.pace)
    await sleep(settings.thinkMs[kind] + pace.firstTokenMs, request.signal)
    if (scenario === 'hang') await sleep(maxTimerMs, request.signal)
    const limit = { ...settings, ...(scenario === 'near-limit' && nearLimit) }
    const status = errorStatuses[scenario]
    if (status !== undefined) {
      return apiError(status, {
        requestId,
        message: messageFor(scenario),
        headers: verdicts[scenario] ? rateLimitHeaders(limit, verdicts[scenario]) : {},
      })
    }
    const newId = (prefix: string) => this.#newId(prefix)
    const { resultCount, excerptLength, sites } = settings
    const message = reply(kind, body, { scenario, resultCount, excerptLength, sites, now, newId })
    const { pieces, end } = body.stream
      ? streamedTransfer([...messageEvents(message)], pace, scenario)
      : wholeTransfer(message, pace, scenario)
    const stream = pacedStream(alter(pieces, scenario, settings.deltaPauseMs), {
      end,
      signal: request.signal,
      onClose: this.#log.open(),
    })
    const contentType = body.stream ? 'text/event-stream; charset=utf-8' : 'application/json'
    const headers = { 'content-type': contentType, 'cache-control': 'no-cache', 'request-id': requestId }
    return new Response(stream, { headers: { ...headers, ...rateLimitHeaders(limit, 'allowed') } })
  }

  #newId(prefix: string): string {
    this.#lastId += 1
    return `${prefix}_sandbox${String(this.#lastId).padStart(6, '0')}`
  }
}

/** A base URL that ends in `/scenario/NAME` plays that scenario in each of its calls. */
function readPath(pathname: string): { readonly scenario?: Scenario | undefined; readonly path: string } {
  const [, name, path = ''] = /^\/scenario\/([^/]+)(\/.*)$/.exec(pathname) ?? []
  const scenario = scenarios.find((known) => known === name)
  return scenario ? { scenario, path } : { path: pathname }
}

const errorStatuses: Readonly<Partial<Record<Scenario, ApiErrorStatus>>> = {
  'error-400': 400,
  'error-401': 401,
  'error-403': 403,
  'error-404': 404,
  'error-413': 413,
  'error-429': 429,
  'error-429-week': 429,
  'error-429-bare': 429,
  'error-500': 500,
  'error-529': 529,
  'error-third-party': 400,
  'error-extra-usage': 400,
  'error-credit-balance': 400,
}

const verdicts: Readonly<Partial<Record<Scenario, LimitVerdict>>> = {
  'error-429': 'five_hour',
  'error-429-week': 'seven_day',
}

const nearLimit = { utilization: 0.96, weekUtilization: 0.93 }

function messageFor(scenario: Scenario): string | undefined {
  return Object.entries(billingMessages).find(([name]) => name === scenario)?.[1]
}

/** Applies the scenarios that change the transfer of a reply. */
function alter(pieces: readonly Piece[], scenario: Scenario, pauseMs: number): readonly Piece[] {
  if (scenario === 'garbage') return pieces.map(garbled)
  if (scenario !== 'slow') return pieces
  return pieces.map(({ text, afterMs }, index) => ({ text, afterMs: index === 0 ? afterMs : afterMs + pauseMs }))
}

/** An event whose data is not JSON. */
function garbled({ text, afterMs }: Piece, index: number): Piece {
  return { text: `data: {"type": \u0000 ${index} ${[...text].reverse().join('')}\n\n`, afterMs }
}
