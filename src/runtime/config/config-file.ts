import { readFileSync, statSync } from 'node:fs'
import { errorCode } from '@csp/lib/errors'
import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { UsageError } from './usage-error.ts'

/** A parsed configuration file. */
export interface ConfigFile {
  readonly path: string
  readonly values: Readonly<Record<string, unknown>>
  /** Keys of the outermost object that stand in it more than once. The last one holds. */
  readonly repeated: readonly string[]
  /** The line of a key, counted from 1; of what it is within, where it is not there itself. */
  lineOf(...path: readonly PropertyKey[]): number
}

/** Reads a configuration file. Returns nothing when the file does not exist; throws a `UsageError` when it is not a readable JSON object. */
export function readConfigFile(path: string): ConfigFile | undefined {
  const text = readTextFile('configuration file', path)
  return text === undefined ? undefined : parseConfigFile(path, text)
}

/** The content of a file without its byte order mark; nothing when it does not exist. Throws a `UsageError` when it cannot be read. */
export function readTextFile(what: string, path: string): string | undefined {
  return readWholeFile(what, path)?.replace(/^\uFEFF/, '')
}

/** The same with its byte order mark. */
export function readWholeFile(what: string, path: string): string | undefined {
  try {
    // To read a pipe might never end.
    if (!statSync(path).isFile()) throw new UsageError(`The ${what} ${path} is not a file.`)
    return readFileSync(path, 'utf8')
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    if (error instanceof UsageError) throw error
    throw new UsageError(`The ${what} ${path} cannot be read (${code}).`)
  }
}

/** Reads the text of a configuration file: JSON with comments and trailing commas. Throws a `UsageError` that names the line. */
export function parseConfigFile(path: string, text: string): ConfigFile {
  const properties = propertiesOf(path, text)
  const names = properties.map(nameOf)
  return {
    path,
    values: Object.fromEntries(properties.map((property) => [nameOf(property), propertyValue(property)])),
    repeated: [...new Set(names.filter((name, index) => names.indexOf(name) !== index))],
    lineOf(key, ...inner) {
      const property = properties.findLast((each) => nameOf(each) === key)
      return property ? lineAt(text, deepest(property, inner).offset) : 1
    },
  }
}

/** The properties of the object in the text of a configuration file. Throws a `UsageError` that names the line. */
export function propertiesOf(path: string, text: string): readonly Node[] {
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { allowTrailingComma: true })
  const [first] = errors
  if (first) {
    const { offset, error } = first
    const reason = reasons[printParseErrorCode(error)] ?? 'this is not JSON'
    const line = lineAt(text, offset)
    throw new UsageError(`The configuration file ${path} is not JSON. Line ${line}: ${reason}.`)
  }
  if (root?.type !== 'object') {
    throw new UsageError(`The configuration file ${path} must hold one JSON object, such as {"port": 52480}.`)
  }
  return root.children ?? []
}

/** The name of a property. */
export function nameOf(property: Node): string {
  return String(property.children?.[0]?.value ?? '')
}

function propertyValue(property: Node): unknown {
  const value = property.children?.[1]
  return value && getNodeValue(value)
}

/** The part of a property at a path, as far as the path is there. */
function deepest(property: Node, path: readonly PropertyKey[]): Node {
  let found = property
  for (const segment of path) {
    const value = found.type === 'property' ? found.children?.[1] : found
    const next =
      value?.type === 'array'
        ? value.children?.[Number(segment)]
        : value?.children?.findLast((each) => nameOf(each) === segment)
    if (!next) return found
    found = next
  }
  return found
}

/** The line of an offset, counted from 1. */
function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

const reasons: Readonly<Record<string, string>> = {
  InvalidSymbol: 'a word that JSON does not have; texts stand between double quotes',
  InvalidNumberFormat: 'a number that JSON does not have',
  PropertyNameExpected: 'a name between double quotes is missing',
  ValueExpected: 'a value is missing',
  ColonExpected: 'a colon is missing after the name',
  CommaExpected: 'a comma is missing before it',
  CloseBraceExpected: 'the closing } is missing',
  CloseBracketExpected: 'the closing ] is missing',
  EndOfFileExpected: 'there is more after the end of the object',
  InvalidCommentToken: 'a comment that JSON does not have; use // or /* */',
  UnexpectedEndOfComment: 'a comment has no end',
  UnexpectedEndOfString: 'a text has no closing quote',
  UnexpectedEndOfNumber: 'a number is not complete',
  InvalidUnicode: 'a \\u lacks four digits after it',
  InvalidEscapeCharacter: 'a text has a backslash that JSON does not know; \\\\ is one',
  InvalidCharacter: 'a text holds a line break or another control character',
}
