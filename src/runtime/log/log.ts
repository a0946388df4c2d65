import { plainLine } from '@csp/lib/text'
import type { Config } from '../config/settings.ts'
import type { Stream } from '../shell/shell.ts'

export type LogLevel = Exclude<Config['logLevel'], 'silent'>

/** What a program that reads the log finds beside the message. Undefined ones are left out. */
export type LogProperties = Readonly<Record<string, unknown>>

/** Writes one line, if the level is one that is wanted. */
export type Log = (level: LogLevel, message: string, properties?: LogProperties) => void

interface LogOptions {
  readonly level: Config['logLevel']
  readonly stream: Stream
  readonly format: Config['logFormat']
}

/** The log of this process. */
let current: LogOptions | undefined

/**
 * Opens the log of this process on `stream`, from `level` upwards. Opening it again replaces level, stream and format, also
 * for those who hold the first one.
 */
export function createLog(level: Config['logLevel'], stream: Stream, format: Config['logFormat'] = 'text'): Log {
  current = { level, stream, format }
  return writeLine
}

const writeLine: Log = (level, text, properties = {}) => {
  if (!current || !isLogged(level, current.level)) return
  const line = formatted[current.format](level, plainLine(text), properties)
  if (line !== undefined) current.stream.write(`${line}\n`)
}

/** Whether a log that begins at `lowest` has lines of this level. */
export function isLogged(level: LogLevel, lowest: Config['logLevel']): boolean {
  return levels.indexOf(level) >= levels.indexOf(lowest)
}

const levels: readonly Config['logLevel'][] = ['debug', 'info', 'warning', 'error', 'silent']

type Format = (level: LogLevel, message: string, properties: LogProperties) => string | undefined

const formatted: Record<Config['logFormat'], Format> = {
  // For people.
  text: (level, message) => `${new Date().toISOString()} ${level} ${message}`,
  // For what adds the time itself: journald, a container's log. Programs that read what an upstream cost look for the
  // line by its beginning; it is the only one of a request that went well.
  simple(level, message, { upstreamCalls, code }) {
    if (upstreamCalls !== undefined && level === 'info' && code === undefined) return undefined
    return message.startsWith('[REQ] ') ? message : `${level} ${message}`
  },
  // An object a line, with all properties.
  json(level, message, properties) {
    // First in the line, and no property can replace them.
    const facts = { '@timestamp': new Date().toISOString(), level, message, logger: 'csp' }
    return JSON.stringify({ ...facts, ...properties, ...facts })
  },
}
