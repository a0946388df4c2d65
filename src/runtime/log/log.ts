import { configureSync, getLogger, getTextFormatter, type TextFormatter } from '@logtape/logtape'
import type { Config } from '../config/settings.ts'
import type { Stream } from '../shell/shell.ts'
import { safeLine } from '../shell/terminal.ts'

export type LogLevel = Exclude<Config['logLevel'], 'silent'>

/** What a program that reads the log finds beside the message. Undefined ones are left out. */
export type LogProperties = Readonly<Record<string, unknown>>

/** Writes one line, if the level is one that is wanted. */
export type Log = (level: LogLevel, message: string, properties?: LogProperties) => void

/** Opens the log of this process on `stream`, from `level` upwards. Opening it again closes the last one. */
export function createLog(level: Config['logLevel'], stream: Stream, as: Config['logFormat'] = 'text'): Log {
  const format = formatters[as]()
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
  return (at, text, properties = {}) => {
    if (!logger.isEnabledFor(at)) return
    const message = safeLine(text)
    // As a record, so that braces in the message are not read as LogTape's placeholders.
    logger.emit({ level: at, message: [message], rawMessage: message, properties, timestamp: Date.now() })
  }
}

const formatters = {
  // For people.
  text: () =>
    getTextFormatter({
      timestamp: 'rfc3339',
      level: 'full',
      format: ({ timestamp, level, message }) => `${timestamp} ${level} ${message}`,
    }),
  // For what adds the time itself: journald, a container's log.
  simple: () =>
    getTextFormatter({
      timestamp: 'none',
      level: 'full',
      // Programs that read what an upstream cost look for the line by its beginning.
      format: ({ level, message }) => (message.startsWith('[REQ] ') ? message : `${level} ${message}`),
    }),
  // An object a line, with all properties.
  json: () => (record) => {
    const { level, category, message, properties, timestamp } = record
    // First in the line, and no property can replace them.
    const facts = {
      '@timestamp': new Date(timestamp).toISOString(),
      level,
      message: message.join(''),
      logger: category.join('.'),
    }
    return `${JSON.stringify({ ...facts, ...properties, ...facts })}\n`
  },
} satisfies Record<Config['logFormat'], () => TextFormatter>
