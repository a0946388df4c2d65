import { createScanner, type Node } from 'jsonc-parser'
import { csp } from '../shell/program.ts'
import { nameOf, parseConfigFile, propertiesOf } from './config-file.ts'
import { UsageError } from './usage-error.ts'

// Changes the text of a configuration file and leaves the rest of it as it is: comments, order, spaces. The edits of
// `jsonc-parser` drop comments that stand between two properties.

/**
 * The text with a setting in it: in the place of its value, otherwise of the line of the template that has it as a
 * comment, otherwise at the end. Throws a `UsageError` for a text that is no configuration.
 */
export function withSetting(path: string, text: string, key: string, value: unknown): string {
  const properties = propertiesOf(path, text)
  const node = only(path, properties, key)?.children?.[1]
  if (node) {
    const indent = indentAt(text, node.offset)
    return splice(text, node.offset, node.offset + node.length, printValue(value, indent))
  }
  const inPlace = atTemplateLine(path, text, properties, key, value)
  return inPlace ?? atEnd(text, properties, key, value)
}

/** The text without a setting; unchanged where it is not there. Throws a `UsageError` for a text that is no configuration. */
export function withoutSetting(path: string, text: string, key: string): string {
  const properties = propertiesOf(path, text)
  const property = only(path, properties, key)
  if (!property) return text
  const own = commaBehind(text, property)
  const previous = properties[properties.indexOf(property) - 1]
  const former = own === undefined && previous ? commaBehind(text, previous) : undefined
  // From the end on, so that the offsets before it stay right.
  let changed = text
  if (own !== undefined) changed = splice(changed, own, own + 1, '')
  changed = withoutPart(changed, property.offset, property.offset + property.length)
  return former === undefined ? changed : splice(changed, former, former + 1, '')
}

function only(path: string, properties: readonly Node[], key: string): Node | undefined {
  const found = properties.filter((property) => nameOf(property) === key)
  if (found.length > 1) throw new UsageError(`"${key}" occurs more than once in ${path}: ${csp} config edit`)
  return found[0]
}

/** Nothing if there is no such line, or it is within another comment. */
function atTemplateLine(
  path: string,
  text: string,
  properties: readonly Node[],
  key: string,
  value: unknown,
): string | undefined {
  const line = new RegExp(`^([ \\t]*)//[ \\t]*"${key}"[ \\t]*:.*$`, 'm').exec(text)
  if (!line) return undefined
  const [whole, indent = ''] = line
  const next = properties.some(({ offset }) => offset > line.index)
  const comma = next || !isStrict(text) ? ',' : ''
  const inserted = splice(
    text,
    line.index,
    line.index + whole.length,
    `${indent}${printProperty(key, value, indent)}${comma}`,
  )
  const before = properties.findLast(({ offset }) => offset < line.index)
  const changed = before ? withComma(inserted, before) : inserted
  return Object.hasOwn(parsedOrNothing(path, changed), key) ? changed : undefined
}

function atEnd(text: string, properties: readonly Node[], key: string, value: unknown): string {
  const last = properties.at(-1)
  const hadComma = last && commaBehind(text, last) !== undefined
  const complete = last ? withComma(text, last) : text
  const brace = closingBrace(complete, last)
  const head = complete.slice(0, brace).trimEnd()
  const tail = complete.slice(head.length)
  if (last && !tail.includes('\n')) {
    return `${head} ${printProperty(key, value, '')}${hadComma ? ',' : ''}${tail}`
  }
  const indent = properties[0] ? indentAt(text, properties[0].offset) : '  '
  const comma = hadComma ? ',' : ''
  return `${head}\n${indent}${printProperty(key, value, indent)}${comma}\n${tail.trimStart()}`
}

/** The text with a comma behind a property. */
function withComma(text: string, property: Node): string {
  const end = property.offset + property.length
  return commaBehind(text, property) === undefined ? splice(text, end, end, ',') : text
}

/** Where the comma behind a property is, whatever comments are before it. */
function commaBehind(text: string, property: Node): number | undefined {
  const scanner = createScanner(text, true)
  scanner.setPosition(property.offset + property.length)
  scanner.scan()
  return text[scanner.getTokenOffset()] === ',' ? scanner.getTokenOffset() : undefined
}

/** Where the object ends, whose last property is given; only a comma and comments are between them. */
function closingBrace(text: string, last: Node | undefined): number {
  const scanner = createScanner(text, true)
  scanner.setPosition(last ? last.offset + last.length : 0)
  do scanner.scan()
  while (text[scanner.getTokenOffset()] !== '}' && scanner.getPosition() < text.length)
  return scanner.getTokenOffset()
}

/** The text without a part of a line; without the line, if nothing else is on it. */
function withoutPart(text: string, start: number, end: number): string {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1
  const newline = text.indexOf('\n', end)
  const lineEnd = newline < 0 ? text.length : newline + 1
  const rest = text.slice(lineStart, start) + text.slice(end, lineEnd)
  if (rest.trim() === '' && newline >= 0) return splice(text, lineStart, lineEnd, '')
  const space = /^[ \t]*/.exec(text.slice(end))?.[0].length ?? 0
  return splice(text, start, end + space, '')
}

function printProperty(key: string, value: unknown, indent: string): string {
  return `${JSON.stringify(key)}: ${printValue(value, indent)}`
}

/** Lists of words on one line, everything that is deeper on several. */
function printValue(value: unknown, indent: string): string {
  const isFlat = !Array.isArray(value) || value.every((item) => typeof item !== 'object')
  if (Array.isArray(value) && isFlat) return `[${value.map((item) => JSON.stringify(item)).join(', ')}]`
  return JSON.stringify(value, null, 2).replaceAll('\n', `\n${indent}`)
}

function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset))?.[0] ?? ''
}

function splice(text: string, start: number, end: number, inserted: string): string {
  return text.slice(0, start) + inserted + text.slice(end)
}

/** Whether other readers of JSON can read the text, and should be able to do so afterwards. */
function isStrict(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function parsedOrNothing(path: string, text: string): Readonly<Record<string, unknown>> {
  try {
    return parseConfigFile(path, text).values
  } catch {
    return {}
  }
}
