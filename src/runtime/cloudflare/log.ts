import type { Config } from '../config/settings.ts'
import type { Log } from '../log/log.ts'

/** Writes to the Worker's log, which `npx wrangler tail` shows, from a level upwards. */
export function edgeLog(level: Config['logLevel']): Log {
  const lowest = levels.indexOf(level)
  return (at, message) => {
    if (levels.indexOf(at) >= lowest) write[at](message)
  }
}

const levels = ['debug', 'info', 'warning', 'error', 'silent']

const write = {
  debug: (message: string) => console.debug(message),
  info: (message: string) => console.info(message),
  warning: (message: string) => console.warn(message),
  error: (message: string) => console.error(message),
} as const
