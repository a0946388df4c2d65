import { existsSync, realpathSync } from 'node:fs'
import { chmod, rename, rm, stat, writeFile } from 'node:fs/promises'
import { applyEdits, modify, type ParseError, parse } from 'jsonc-parser'
import { parseDocument } from 'yaml'
import { isObject } from '../../../lib/json.ts'
import { replaceFile } from '../../../storage/replace-file.ts'
import { readTextFile } from '../../config/config-file.ts'
import { UsageError } from '../../config/usage-error.ts'
import type { KnownClient } from './known-clients.ts'
import { settingDiff } from './setting-diff.ts'

/** A change of a client's configuration, not made yet. */
export interface ClientChange {
  /** A line for each value, keys hidden. */
  readonly diff: string
  /** Writes it, with a copy of the former file beside it. Resolves to the path of that copy, if there was a file. */
  write(): Promise<string | undefined>
}

type Target = Pick<KnownClient, 'title' | 'file' | 'path'>

/** csp's entry in the file of a client; `undefined` where it has none. Throws a `UsageError` for a file that it cannot read. */
export function entryIn({ title, file, path: [group, name] }: Target): unknown {
  const members = parseClientFile(title, file, readTextFile(`configuration of ${title}`, file) ?? '')[group]
  return isObject(members) ? members[name] : undefined
}

/**
 * The change that gives a client this entry; without one, that takes csp's out. `undefined` where nothing would change.
 * Comments and everything else in the file stay. Throws a `UsageError` for a file that it cannot read.
 */
export function changeOf(client: Target, entry?: unknown): ClientChange | undefined {
  const { title, file, path } = client
  const present = readTextFile(`configuration of ${title}`, file)
  const text = present?.trim() || isYaml(file) ? (present ?? '') : '{}\n'
  const before = parseClientFile(title, file, text)
  const edited = isYaml(file) ? editedYaml(text, path, entry) : editedJson(text, path, entry)
  const diff = settingDiff(before, parseClientFile(title, file, edited))
  if (!diff) return undefined
  return {
    diff,
    async write() {
      const place = existsSync(file) ? realpathSync(file) : file
      const mode = present === undefined ? 0o600 : (await stat(place)).mode & 0o777
      const backup = backupOf(file)
      const keeps = present !== undefined && entry !== undefined
      // An existing backup is from before csp, so it stays.
      if (keeps && !existsSync(backup)) await writeFile(backup, present, { mode })
      await replaceFile(place, edited)
      await chmod(place, mode)
      return keeps ? backup : undefined
    },
  }
}

/** Where the file of a client is kept as it was before csp. */
export function backupOf(file: string): string {
  return `${file}.before-csp`
}

function editedJson(text: string, path: Target['path'], entry: unknown): string {
  const indent = /^\s*\{[ \t]*\r?\n([ \t]+)\S/.exec(text)?.[1] ?? '  '
  const formattingOptions = { insertSpaces: !indent.includes('\t'), tabSize: indent.length }
  return applyEdits(text, modify(text, [...path], entry, { formattingOptions }))
}

function editedYaml(text: string, path: Target['path'], entry: unknown): string {
  const document = parseDocument(text)
  if (entry === undefined) document.deleteIn(path)
  else document.setIn(path, document.createNode(entry))
  return document.toString({ lineWidth: 0 })
}

function isYaml(file: string): boolean {
  return /\.ya?ml$/.test(file)
}

function parseClientFile(title: string, file: string, text: string): Readonly<Record<string, unknown>> {
  if (!text.trim()) return {}
  const value = isYaml(file) ? parsedYaml(text) : parsedJson(text)
  if (isObject(value)) return value
  const kind = isYaml(file) ? 'a YAML mapping' : 'a JSON object'
  throw new UsageError(`The configuration of ${title}, ${file}, is not ${kind}, so csp leaves it alone.`)
}

/** `undefined` for a text with an error. */
function parsedJson(text: string): unknown {
  const errors: ParseError[] = []
  const value: unknown = parse(text, errors, { allowTrailingComma: true })
  return errors.length === 0 ? value : undefined
}

/** `undefined` for a text with an error; a file of comments alone is empty. */
function parsedYaml(text: string): unknown {
  const document = parseDocument(text)
  return document.errors.length === 0 ? (document.toJS() ?? {}) : undefined
}

/**
 * Takes csp's entry out of the file of a client. A file that is otherwise as it was before csp becomes that file again,
 * one that csp made goes. Throws a `UsageError` for a file that is not JSON.
 */
export async function removeEntry(client: Target): Promise<void> {
  const { title, file, path } = client
  const backup = backupOf(file)
  const former = readTextFile(`copy of the configuration of ${title}`, backup)
  await changeOf(client)?.write()
  const left = parseClientFile(title, file, readTextFile(`configuration of ${title}`, file) ?? '')
  const [group] = path
  const members = left[group]
  const isOnlyOurs = isObject(members) && Object.keys(members).length === 0 && Object.keys(left).length === 1
  if (former === undefined && isOnlyOurs) await rm(file)
  if (former !== undefined) {
    if (isAlike(left, parseClientFile(title, backup, former), group)) await rename(backup, file)
    else await rm(backup)
  }
}

/** Whether two configurations are the same but for an empty group. */
function isAlike(left: Readonly<Record<string, unknown>>, right: Readonly<Record<string, unknown>>, group: string) {
  const withGroup = (value: Readonly<Record<string, unknown>>) => ({ [group]: {}, ...value })
  return settingDiff(withGroup(left), withGroup(right)) === ''
}
