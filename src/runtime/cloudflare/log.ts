import type { Config } from '../config/settings.ts'
import type { Log } from '../log/log.ts'

/**
 * Writes to the Worker's log, which `npx wrangler tail` and the dashboard show, from a level upwards: one JSON object a
 * line. Cloudflare adds the time.
 */
export function edgeLog(level: Config['logLevel']): Log {
  const lowest = levels.indexOf(level)
  return (at, message, properties) => {
    if (levels.indexOf(at) >= lowest) write[at](JSON.stringify({ level: at, message, ...properties }))
  }
}

const levels = ['debug', 'info', 'warning', 'error', 'silent']

const write = {
  debug: (line: string) => console.debug(line),
  info: (line: string) => console.info(line),
  warning: (line: string) => console.warn(line),
  error: (line: string) => console.error(line),
} as const
