import { isDeepStrictEqual } from 'node:util'
import { isObject } from '@csp/lib/json'
import { tomlTable } from '../../clients/settings-text.ts'
import type { Path } from '../config/json-edits.ts'
import type { FileFormat } from './file-format.ts'

/** TOML, of which a whole table is set or removed: every other byte stays. */
export const toml: FileFormat = {
  kind: 'a TOML file',
  empty: '',
  parse(text) {
    try {
      return Bun.TOML.parse(text)
    } catch {
      return undefined
    }
  },
  /** Throws where the table is written in another way, such as in braces. */
  set(text, path, value) {
    const rest = withoutTable(text, path)
    const lineEnd = text.includes('\r\n') ? '\r\n' : '\n'
    const table = isObject(value) ? tomlTable(path.map(String), value).replaceAll('\n', lineEnd) : ''
    const gap = rest === '' || table === '' ? '' : rest.endsWith('\n') ? lineEnd : lineEnd + lineEnd
    const written = rest + gap + table
    const wanted = withValue(toml.parse(text), path, value)
    if (!isDeepStrictEqual(plain(toml.parse(written)), plain(wanted))) throw new TypeError('It is not a table.')
    return written
  },
}

/**
 * Without the lines of a table, those of the tables in it, and one empty line before them. Comments behind its last value
 * stay: they may speak of what follows.
 */
function withoutTable(text: string, path: Path): string {
  const name = path.join('.')
  const kept: string[] = []
  /** Empty lines and comments since the last value. */
  let behind: string[] = []
  let isInside = false
  for (const line of text.split(/(?<=\n)/)) {
    const header = /^\s*\[+([^\]]*)\]/.exec(line)?.[1]?.replaceAll(/\s|"/g, '')
    if (header !== undefined) {
      const isOurs = header === name || header.startsWith(`${name}.`)
      if (isOurs && !isInside && kept.at(-1)?.trim() === '') kept.pop()
      if (isInside && !isOurs) kept.push(...behind)
      isInside = isOurs
    }
    behind = /^\s*(?:#|$)/.test(line) ? [...behind, line] : []
    if (!isInside) kept.push(line)
  }
  if (isInside && behind.some((line) => line.trim() !== '')) kept.push(...behind)
  return kept.join('')
}

function withValue(whole: unknown, path: Path, value: unknown): unknown {
  const [step, ...rest] = path
  if (step === undefined) return value
  const { [step]: inner, ...others } = isObject(whole) ? whole : {}
  const changed = withValue(inner, rest, value)
  const isEmpty = changed === undefined || (isObject(changed) && Object.keys(changed).length === 0)
  return isEmpty ? others : { ...others, [step]: changed }
}

/** Without prototypes and the order of names; a table without anything is none. */
function plain(value: unknown): unknown {
  const text = JSON.stringify(value, (_, inner: unknown) => {
    if (!isObject(inner)) return inner
    return Object.fromEntries(
      Object.entries(inner)
        .filter(([, each]) => !isEmptyTable(each))
        .toSorted(),
    )
  })
  return text === undefined ? undefined : JSON.parse(text)
}

function isEmptyTable(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0
}
