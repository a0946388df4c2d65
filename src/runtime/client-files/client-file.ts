import { chmodSync, existsSync, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { errorCode } from '@csp/lib/errors'
import { isObject } from '@csp/lib/json'
import type { ClientManifest, Place, Setting, SettingsFile } from '../../clients/client.ts'
import { replaceFile } from '../../storage/replace-file.ts'
import { readWholeFile } from '../config/config-file.ts'
import type { Path } from '../config/json-edits.ts'
import { UsageError } from '../config/usage-error.ts'
import type { FileFormat } from './file-format.ts'
import { fileFormats } from './file-formats.ts'
import { settingDiff } from './setting-diff.ts'

/** A file of a client, and what csp wants in it. */
export interface ClientFile extends SettingsFile, Pick<ClientManifest, 'title' | 'isKnownByCopy'> {
  readonly file: string
}

/** A change of a client's file, not made yet. */
export interface ClientChange {
  readonly file: string
  /** A line for each value, keys hidden. Empty where nothing changes. */
  readonly diff: string
  /** Makes it. Resolves to the path of a copy of the file as it was before csp, if there is one. */
  write(): Promise<string | undefined>
}

/** The value at a place; `undefined` if there is none. Throws a `UsageError` for a file that it cannot read. */
export function valueAt(client: ClientFile, place: Place): unknown {
  const { value } = read(client, client.file)
  return at(value, pathOf(value, place))
}

/**
 * The change that gives a client its settings. Comments and everything else in the file stay. A copy is kept also where
 * nothing changes: of several files of a client, it says which values were there before csp. Throws a `UsageError` for
 * a file that it cannot read.
 */
export function changeOf(client: ClientFile): ClientChange {
  const present = read(client, client.file)
  const wanted = client.settings.filter((setting) => isWanted(setting, present.value))
  const begin = present.text || present.format.empty
  const text = wanted.reduce((before, { place, value }) => put(client, before, place, value), begin)
  const diff = settingDiff(present.value, present.format.parse(text))
  return {
    file: client.file,
    diff,
    async write() {
      const backup = await keepFormer(client)
      if (diff) await writeWhole(client, present.mark + text)
      return present.isThere ? backup : undefined
    },
  }
}

/** Copies a file as it is before csp, and resolves to the path of the copy. An existing one stays: it is from before csp. */
export async function keepFormer(client: ClientFile): Promise<string | undefined> {
  const { isThere, whole, format } = read(client, client.file)
  const backup = backupOf(client.file)
  if ((!isThere && !client.isKnownByCopy) || existsSync(backup)) return backup
  const mode = modeOf(client.file)
  await writable(client, async () => {
    // Whole or not at all, since nothing replaces it later.
    await replaceFile(backup, isThere ? whole : format.empty)
    chmodSync(backup, mode)
  })
  return backup
}

function isWanted({ place, value, when }: Setting, present: unknown): boolean {
  if (value === undefined || !when) return value !== undefined
  return when(at(present, pathOf(present, place)), at(present, pathOf(present, place.slice(0, -1))))
}

/**
 * The change that takes csp out of a client's file: each of its settings becomes what it was before csp, and what the
 * user has made of it since stays. A file that is otherwise as it was becomes that file again, one that csp made goes.
 */
export function removalOf(client: ClientFile): ClientChange {
  const present = read(client, client.file)
  const backup = backupOf(client.file)
  const former = read(client, backup)
  let text = present.text || present.format.empty
  const settings = client.isKnownByCopy && !former.isThere ? [] : client.settings
  for (const { place, value, isOurs } of settings.toReversed()) {
    const now = present.format.parse(text)
    const found = at(now, pathOf(now, place))
    if (found === undefined || !(isOurs || isNamedAfterUs(place) || isDeepStrictEqual(found, value))) continue
    const was = at(former.value, pathOf(former.value, place))
    text = was === undefined ? without(client, text, place, former.value) : put(client, text, place, was)
  }
  const left = present.format.parse(text)
  const diff = settingDiff(present.value, left)
  return {
    file: client.file,
    diff,
    async write() {
      const isAsBefore = former.isThere && settingDiff(former.value, left) === ''
      if (diff && !former.isThere && isEmpty(left)) await writable(client, () => rm(placeOf(client.file)))
      else if (diff) await writeWhole(client, isAsBefore ? former.whole : present.mark + text)
      await writable(client, () => rm(backup, { force: true }))
      return undefined
    },
  }
}

/** Where the file of a client is kept as it was before csp. */
export function backupOf(file: string): string {
  return `${file}.before-csp`
}

/** Whether what stands at a place is csp's, whatever it says. */
export function isNamedAfterUs(place: Place): boolean {
  const last = place.at(-1)
  return (typeof last === 'object' ? last.value : last) === 'csp'
}

interface FileText {
  readonly isThere: boolean
  /** Empty where it has nothing but spaces. */
  readonly text: string
  /** What editors of Windows put before it, or nothing. */
  readonly mark: string
  readonly whole: string
  readonly value: unknown
  readonly format: FileFormat
}

function read({ title, format: name }: ClientFile, file: string): FileText {
  const format = fileFormats[name]
  const whole = readWholeFile(`configuration of ${title}`, file)
  const text = whole?.replace(/^\uFEFF/, '')
  const value = text?.trim() ? format.parse(text) : {}
  if (!isObject(value)) {
    throw new UsageError(`The configuration of ${title}, ${file}, is not ${format.kind}, so csp leaves it alone.`)
  }
  const mark = whole === text ? '' : '\uFEFF'
  return { isThere: text !== undefined, text: text?.trim() ? text : '', mark, whole: whole ?? '', value, format }
}

/** Sets a value, or removes it where it is `undefined`. Throws a `UsageError` where the file has it in a way that csp does not change. */
function put({ title, file, format }: ClientFile, text: string, place: Place, value: unknown): string {
  const { parse, set } = fileFormats[format]
  try {
    return set(text, pathOf(parse(text), place), value)
  } catch {
    const name = place.map((step) => (typeof step === 'object' ? step.value : step)).join('.')
    throw new UsageError(`The configuration of ${title}, ${file}, has something else at ${name}: csp leaves it alone.`)
  }
}

/** Removes a value, and what is empty without it and was not there before csp. */
function without(client: ClientFile, text: string, place: Place, former: unknown): string {
  const { parse } = fileFormats[client.format]
  let result = put(client, text, place, undefined)
  for (let depth = place.length - 1; depth > 0; depth--) {
    const around = place.slice(0, depth)
    const value = parse(result)
    if (!isEmpty(at(value, pathOf(value, around))) || at(former, pathOf(former, around)) !== undefined) break
    result = put(client, result, around, undefined)
  }
  return result
}

/** A place as names and indices. An item that a list does not have stands behind its last one. */
function pathOf(value: unknown, place: Place): Path {
  const path: (string | number)[] = []
  for (const step of place) {
    if (typeof step === 'string') path.push(step)
    else {
      const list = at(value, path)
      const items: readonly unknown[] = Array.isArray(list) ? list : []
      const index = items.findIndex((item) => (step.member && isObject(item) ? item[step.member] : item) === step.value)
      path.push(index < 0 ? items.length : index)
    }
  }
  return path
}

function at(value: unknown, path: Path): unknown {
  let inner = value
  for (const key of path) {
    if (Array.isArray(inner) && typeof key === 'number') inner = inner[key]
    else inner = isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined
  }
  return inner
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

/** Replaces a file whole, keeps who may read it, and follows a link. */
async function writeWhole(client: ClientFile, text: string): Promise<void> {
  const mode = modeOf(client.file)
  await writable(client, async () => {
    const place = placeOf(client.file)
    await replaceFile(place, text)
    chmodSync(place, mode)
  })
}

/** Throws a `UsageError` where a step cannot write. */
async function writable({ title, file }: ClientFile, step: () => Promise<unknown>): Promise<void> {
  try {
    await step()
  } catch (error) {
    const code = errorCode(error)
    if (code === undefined) throw error
    throw new UsageError(`The configuration of ${title}, ${file}, cannot be written (${code}).`)
  }
}

/** Where a link leads, also one to a file that is not there. */
function placeOf(file: string): string {
  if (existsSync(file)) return realpathSync(file)
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true
  return isLink ? resolve(dirname(file), readlinkSync(file)) : file
}

function modeOf(file: string): number {
  return existsSync(file) ? statSync(file).mode & 0o777 : 0o600
}
