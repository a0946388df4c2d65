import { maxTimerMs } from '@csp/lib/abort'
import { parseJson } from '@csp/lib/json'
import { messagesRequest } from '@csp/messages-api/request'
import { z } from 'zod'
import { type ApiErrorStatus, apiError, billingMessages, type LimitVerdict, rateLimitHeaders } from './api-error.ts'
import { classify, searchToolOf } from './messages-request.ts'
import { reply } from './replies/reply.ts'
import type { Scenario } from './scenario.ts'
import { type SandboxOptions, settingsFrom } from './settings.ts'
import { messageEvents } from './stream/message.ts'
import { paceOf } from './stream/pace.ts'
import { type Piece, pacedStream, sleep } from './stream/paced-stream.ts'
import { streamedTransfer, wholeTransfer } from './stream/transfer.ts'

export type { ModelCallKind } from './messages-request.ts'
export type { ReceivedCall, SandboxOptions } from './settings.ts'

/**
 * A stand-in for Anthropic's Messages API. The `claude` CLI runs complete searches on it without an account. It does not
 * use the web: its pages are invented, or those of its library, and the text of every answer says that it comes from the
 * sandbox.
 */
export interface Sandbox {
  /** Serves one HTTP request. It can be passed to a server, which should listen on loopback. */
  fetch(request: Request): Promise<Response>
}

/**
 * Creates a sandbox. It serves `POST /v1/messages`, `POST /v1/messages/count_tokens` and `GET /`. Nothing runs before the
 * first request. The options are read at each call.
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  let lastId = 0
  const newId = (prefix: string): string => {
    lastId += 1
    return `${prefix}_sandbox${String(lastId).padStart(6, '0')}`
  }
  return {
    async fetch(request) {
      try {
        return await route(request, options, newId)
      } catch (error) {
        if (!request.signal.aborted) throw error
        return new Response(null, { status: 499 })
      }
    },
  }
}

type NewId = (prefix: string) => string

async function route(request: Request, options: SandboxOptions, newId: NewId): Promise<Response> {
  const { pathname } = new URL(request.url)
  if (request.method === 'POST' && pathname === '/v1/messages') return call(request, options, newId)
  if (request.method === 'POST' && pathname === '/v1/messages/count_tokens') {
    return Response.json({ input_tokens: Math.ceil((await request.text()).length / 4) })
  }
  if (pathname === '/') return new Response('The sandbox of claude-search-proxy. Nothing here comes from the web.\n')
  return apiError(404, { requestId: newId('req') })
}

async function call(request: Request, options: SandboxOptions, newId: NewId): Promise<Response> {
  const requestId = newId('req')
  const settings = settingsFrom(options)
  const now = settings.now()
  const text = await request.text()
  const { success, data: body, error } = messagesRequest.safeParse(parseJson(text))
  if (!success) return apiError(400, { requestId, message: z.prettifyError(error) })

  const kind = classify(body)
  const scenario = options.scenario?.(kind) ?? 'ok'
  options.onCall?.({ kind, scenario, body, text, headers: request.headers, arrivedAt: now })

  const pace = paceOf(body.model, settings.pace)
  await sleep(settings.thinkMs[kind] + pace.firstTokenMs, request.signal)
  if (scenario === 'hang') await sleep(maxTimerMs, request.signal)
  const limit = { ...settings, ...(scenario === 'near-limit' && nearLimit) }
  const refused = scenario === 'tool-refused' && kind === 'answer' ? searchToolOf(body)?.type : undefined
  const status = refused ? 400 : errorStatuses[scenario]
  if (status !== undefined) {
    return apiError(status, {
      requestId,
      message: refused ? `'${body.model}' does not support tool types: ${refused}.` : messageFor(scenario),
      headers: verdicts[scenario] ? rateLimitHeaders(limit, verdicts[scenario]) : {},
    })
  }
  const { resultCount, excerptLength, sites, library } = settings
  const message = reply(kind, body, { scenario, resultCount, excerptLength, sites, library, now, newId })
  const { pieces, end } = body.stream
    ? streamedTransfer([...messageEvents(message)], pace, scenario)
    : wholeTransfer(message, pace, scenario)
  const stream = pacedStream(alter(pieces, scenario, settings.deltaPauseMs), {
    end,
    signal: request.signal,
    onClose: options.onReply?.() ?? (() => {}),
  })
  const contentType = body.stream ? 'text/event-stream; charset=utf-8' : 'application/json'
  const headers = { 'content-type': contentType, 'cache-control': 'no-cache', 'request-id': requestId }
  return new Response(stream, { headers: { ...headers, ...rateLimitHeaders(limit, 'allowed') } })
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
