import { configureSync, getLogger, getTextFormatter } from '@logtape/logtape'
import type { Config } from '../config/settings.ts'
import type { Stream } from '../shell/shell.ts'
import { safeLine } from '../shell/terminal.ts'

export type LogLevel = Exclude<Config['logLevel'], 'silent'>

/** Writes one line, if the level is one that is wanted. */
export type Log = (level: LogLevel, message: string) => void

/** Opens the log of this process: text lines on `stream`, from `level` upwards. Opening it anew closes the last one. */
export function openLog(level: Config['logLevel'], stream: Stream): Log {
  const format = getTextFormatter({
    timestamp: 'rfc3339',
    level: 'full',
    value: 'bare',
    format: ({ timestamp, level: name, message }) => `${timestamp} ${name} ${message}`,
  })
  configureSync({
    reset: true,
    sinks: { stream: (record) => stream.write(format(record)) },
    loggers: [
      { category: 'csp', lowestLevel: level === 'silent' ? null : level, sinks: ['stream'] },
      // LogTape's remarks about itself.
      { category: ['logtape', 'meta'], lowestLevel: 'warning', sinks: ['stream'] },
    ],
  })
  const logger = getLogger('csp')
  // As a value, so that braces in the message are not read as LogTape's placeholders.
  return (at, message) => logger[at]('{message}', { message: safeLine(message) })
}
