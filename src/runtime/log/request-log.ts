import type { RequestLog } from '../../api/http/exchange.ts'
import type { Log } from './log.ts'

/** Writes a line for each request: never its query, and never a key. */
export function requestLog(log: Log, through = ''): (entry: RequestLog) => void {
  return ({ method, path, status, ms, cache, code }) => {
    const extra = [through, cache && `cache=${cache}`, code && `code=${code}`].filter(Boolean).join(' ')
    log(status >= 500 ? 'warning' : 'info', `${method} ${path} ${status} ${Math.round(ms)}ms ${extra}`.trimEnd())
  }
}
