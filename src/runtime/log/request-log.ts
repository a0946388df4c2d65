import type { UpstreamCall } from '@csp/gateway/upstream'
import { isStatusPath } from '../../api/endpoints/health.ts'
import type { RequestLog } from '../../api/exchange/request-log.ts'
import type { RequestNote } from '../../api/exchange/trace.ts'
import { isSearchErrorCode, traitsOf } from '../../domain/error.ts'
import type { ExecutorHealth } from '../../domain/health.ts'
import { reportHealth } from './health-log.ts'
import type { Log, LogLevel } from './log.ts'

/** What an app writes to the log. */
export interface AppLog {
  readonly log: (entry: RequestLog) => void
  readonly note: (note: RequestNote) => void
  readonly onHealth: (found: ExecutorHealth) => void
}

/**
 * Writes a line for each request, and at `debug` what happened on its way: never a query, a key or the text of an
 * answer. `through` says how the requests come, where that is not by the port.
 */
export function requestLog(log: Log, through?: string): AppLog {
  return {
    log(entry) {
      log(levelOf(entry), lineOf(entry, through), propertiesOf(entry, through))
      const { id, uncached } = entry
      if (uncached) log('debug', `No cached answer was used: ${uncached} id=${id}`, { requestId: id, uncached })
    },
    note({ id, message, causes }) {
      const because = causes ? `: ${causes.join(' <- ')}` : ''
      log('debug', `${message} id=${id}${because}`, { requestId: id, causes })
    },
    onHealth: (found) => reportHealth(log, found),
  }
}

/** Writes a line for each reply of an upstream of the gateway. */
export function logUpstreamCall(log: Log, call: UpstreamCall): void {
  const { baseUrl, inputTokens, outputTokens, milliseconds } = call
  const model = call.model.slice(0, maxModel)
  const rate = milliseconds > 0 ? Math.round((outputTokens * 10_000) / milliseconds) / 10 : 0
  log('info', `[REQ] ${baseUrl} model=${model} in=${inputTokens} out=${outputTokens} tok/s=${rate}`, { ...call, model })
}

/** A caller may name any. */
const maxModel = 200

/** As a person reads it. */
function lineOf(entry: RequestLog, through: string | undefined): string {
  const { method, path, status, ms, cache, staleReason, unreadCodes, code, id, failure } = entry
  const words = [
    `${method} ${path.slice(0, maxPath)} ${status} ${Math.round(ms)}ms`,
    through && `by ${through}`,
    cache && `cache=${cache}`,
    staleReason && `stale-reason=${staleReason}`,
    unreadCodes && `unread=${unreadCodes.join(',')}`,
    code && `code=${code}`,
    `id=${id}`,
  ]
  const line = words.filter(Boolean).join(' ')
  const reason = isOurs(entry) ? (failure?.fault ?? failure?.message) : undefined
  return reason ? `${line}: ${reason}` : line
}

/** As a program reads it. */
function propertiesOf(entry: RequestLog, through: string | undefined) {
  const { id: requestId, path, uncached: _, failure, ms, ...rest } = entry
  const { message: reason, fault } = isOurs(entry) ? (failure ?? {}) : {}
  return { requestId, route: path.slice(0, maxPath), ...rest, ms: Math.round(ms), reason, fault, through }
}

/** Paths of callers who look for what is not there. */
const maxPath = 200

function levelOf(entry: RequestLog): LogLevel {
  // A change of the state is logged by itself.
  if (isStatusPath(entry.path) || isPagePath(entry)) return 'debug'
  if (isOurs(entry)) return entry.code === 'failed' ? 'error' : 'warning'
  // An older answer stood in for a search that failed.
  return entry.staleReason ? 'warning' : 'info'
}

/** Whether a reply is a part of the page for people: one view loads a dozen. */
function isPagePath({ method, path, status }: RequestLog): boolean {
  return method === 'GET' && status < 500 && /^\/(?:$|docs$|favicon\.ico$|page\/)/.test(path)
}

/** Whether csp or a backend failed, not the caller. */
function isOurs({ code, status }: RequestLog): boolean {
  if (code === undefined) return status >= 500
  return isSearchErrorCode(code) && traitsOf(code).isFault
}
