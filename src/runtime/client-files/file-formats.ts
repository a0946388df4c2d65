import { isDeepStrictEqual, parseEnv } from 'node:util'
import { type ParseError, parse } from 'jsonc-parser'
import { type Document, isCollection, isScalar, parseDocument } from 'yaml'
import type { SettingsFile } from '../../clients/client.ts'
import { envLine } from '../../clients/settings-text.ts'
import { type Path, withValue } from '../config/json-edits.ts'
import type { FileFormat } from './file-format.ts'
import { toml } from './toml-file.ts'

const json: FileFormat = {
  kind: 'a JSON object',
  empty: '{}\n',
  parse(text) {
    const errors: ParseError[] = []
    const value: unknown = parse(text, errors, { allowTrailingComma: true })
    return errors.length === 0 ? value : undefined
  },
  set: withValue,
}

const json5: FileFormat = {
  kind: 'a JSON5 object',
  empty: json.empty,
  parse(text) {
    try {
      return Bun.JSON5.parse(text)
    } catch {
      return undefined
    }
  },
  set: (text, path, value) => json.set(asJson(text), path, value),
}

/** JSON5 as JSON with its comments: names and texts get double quotes. */
function asJson(text: string): string {
  if (json.parse(text) !== undefined) return text
  const value: unknown = Bun.JSON5.parse(text)
  const token =
    /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'|([^\s{}[\]:,'"/]+)(?=(\s*:)?)/g
  const written = text.replace(token, (found: string, word?: string, colon?: string) => {
    if (found.startsWith('/')) return found
    return JSON.stringify(word && colon ? word : Bun.JSON5.parse(found))
  })
  return isDeepStrictEqual(json.parse(written), value) ? written : `${JSON.stringify(value, null, 2)}\n`
}

const yaml: FileFormat = {
  kind: 'a YAML mapping',
  empty: '',
  parse(text) {
    const document = parseDocument(text)
    // A file of comments alone is empty.
    return document.errors.length === 0 ? (document.toJS() ?? {}) : undefined
  },
  set(text, path, value) {
    const document = parseDocument(text)
    if (value === undefined) document.deleteIn(path)
    else setIn(document, path, value)
    // Lists stay as deep as they are, and braces as wide.
    const indentSeq = !/^( *)[^\s#-][^\n]*:[ \t]*(?:[#&!][^\n]*)?\n\1- /m.test(text)
    const flowCollectionPadding = !/[[{][\w"']/.test(text)
    const written = document.toString({ lineWidth: 0, indentSeq, flowCollectionPadding })
    return text.includes('\r\n') ? written.replaceAll('\n', '\r\n') : written
  },
}

/**
 * A member without a value, such as `extensions:`, becomes the mapping or the list that is needed. Throws if there is
 * something else.
 */
function setIn(document: Document, path: Path, value: unknown): void {
  for (let depth = 1; depth < path.length; depth++) {
    const place = path.slice(0, depth)
    const present = document.getIn(place, true)
    if (!document.hasIn(place) || isCollection(present)) continue
    if (!isScalar(present) || present.value !== null) throw new TypeError('There is a value in the way.')
    const rest = path.slice(depth).reduceRight<unknown>((inner, key) => {
      return typeof key === 'number' ? [inner] : { [key]: inner }
    }, value)
    const node = document.createNode(rest)
    node.commentBefore = present.commentBefore ?? present.comment ?? null
    document.setIn(place, node)
    return
  }
  document.setIn(path, document.createNode(value))
}

/** A file of variables, `NAME=value` in each line. */
const env: FileFormat = {
  kind: 'a file of variables',
  empty: '',
  parse: (text) => parseEnv(text),
  set(text, [name], value) {
    const line = value === undefined ? undefined : envLine(String(name), value)
    const lines = text.split('\n')
    // The last one counts.
    const index = lines.findLastIndex((each) => nameIn(each) === name)
    if (index >= 0) lines.splice(index, 1, ...(line === undefined ? [] : [line]))
    else if (line !== undefined) lines.splice(lines.at(-1) === '' ? lines.length - 1 : lines.length, 0, line)
    const joined = lines.join('\n')
    return joined === '' || joined.endsWith('\n') ? joined : `${joined}\n`
  },
}

export const fileFormats: Readonly<Record<SettingsFile['format'], FileFormat>> = { json, json5, yaml, toml, env }

function nameIn(line: string): string | undefined {
  return /^\s*(?:export\s+)?([\w.-]+)\s*=/.exec(line)?.[1]
}
