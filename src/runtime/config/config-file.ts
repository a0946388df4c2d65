import { readFileSync } from 'node:fs'
import { errorCode, messageOf } from '../../lib/errors.ts'
import { UsageError } from './usage-error.ts'

/** A parsed configuration file. */
export interface ConfigFile {
  readonly path: string
  readonly values: Readonly<Record<string, unknown>>
  /** The line of a key of the outermost object, counted from 1. */
  lineOf(key: string): number
}

/** Reads a configuration file. Returns nothing when the file does not exist; throws a `UsageError` when it is not a readable JSON object. */
export function readConfigFile(path: string): ConfigFile | undefined {
  const text = readTextFile('configuration file', path)
  if (text === undefined) return undefined
  const values = parse(path, text)
  return { path, values, lineOf: (key) => lineOfKey(text, key) }
}

/** The content of a file without its byte order mark; nothing when it does not exist. Throws a `UsageError` when it cannot be read. */
export function readTextFile(what: string, path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '')
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new UsageError(`The ${what} ${path} cannot be read (${code}).`)
  }
}

function parse(path: string, text: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    const reason = messageOf(error).replace(/^JSON Parse error: /, '')
    throw new UsageError(`The configuration file ${path} is not JSON. Line ${lineOfError(text)}: ${reason}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UsageError(`The configuration file ${path} must hold one JSON object, such as {"port": 52480}.`)
  }
  return Object.fromEntries(Object.entries(value))
}

/** Walks the tokens of the text, which is known to be JSON, and counts their depth. */
function lineOfKey(text: string, key: string): number {
  let depth = 0
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"(?:\s*:)?|[{}[\]]/g)) {
    if (token === '{' || token === '[') depth += 1
    else if (token === '}' || token === ']') depth -= 1
    else if (depth === 1 && token.endsWith(':') && JSON.parse(token.slice(0, -1)) === key) {
      return text.slice(0, index).split('\n').length
    }
  }
  return 1
}

/** The line where a text that is not JSON stops being JSON: the parser does not say. */
function lineOfError(text: string): number {
  const token = /\s*(?:("(?:[^"\\\n]|\\.)*")|(-?\d[\d.eE+-]*|true|false|null)|([{}[\],:]))/y
  const closers: string[] = []
  let expected: 'value' | 'key' | 'colon' | 'end' = 'value'
  let isEmpty = false
  let end = 0
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const [, string, literal, sign = ''] = match
    const closer = closers.at(-1)
    const opens = expected === 'value' && (sign === '{' || sign === '[')
    const closes = sign === closer && (expected === 'end' || isEmpty)
    if (opens) {
      closers.push(sign === '{' ? '}' : ']')
      expected = sign === '{' ? 'key' : 'value'
    } else if (closes) {
      closers.pop()
      expected = 'end'
    } else if (sign === ',' && closer && expected === 'end') expected = closer === '}' ? 'key' : 'value'
    else if (sign === ':' && expected === 'colon') expected = 'value'
    else if (string !== undefined && expected === 'key') expected = 'colon'
    else if ((string ?? literal) !== undefined && expected === 'value') expected = 'end'
    else break
    isEmpty = opens
    end = token.lastIndex
  }
  const space = /^\s*/.exec(text.slice(end))?.[0].length ?? 0
  return text.slice(0, end + space).split('\n').length
}
