import { readFile, stat } from 'node:fs/promises'
import { z } from 'zod'
import type { KnownKey } from '../../api/auth.ts'
import { replaceFile } from '../../storage/replace-file.ts'
import { UsageError } from '../usage-error.ts'
import { whileLocked } from './while-locked.ts'

/** A key as it stands in the file. */
export interface StoredKey extends KnownKey {
  /** ISO 8601. */
  readonly created: string
}

/** What a key may be called. `key-1`, `key-2`, … are what keys of `--api-keys` are called. */
export const keyName = /^(?!key-\d+$)[a-z0-9._-]{1,64}$/

/** The keys in a file; none when there is no file. Throws a `UsageError` when it is not what csp writes. */
export async function readKeyFile(path: string): Promise<readonly StoredKey[]> {
  const text = await textOf(path)
  if (text === undefined) return []
  const found = fileSchema.safeParse(parse(text))
  if (found.success) return found.data.keys.map(fromFile)
  throw new UsageError(
    `The key file ${path} is damaged, so nobody can be let in by it. Mend it or move it away, then make new keys with csp keys add.`,
  )
}

/** Tells one version of a file from another. */
export async function versionOfKeyFile(path: string): Promise<string> {
  try {
    const { mtimeMs, size, ino } = await stat(path)
    return [mtimeMs, size, ino].join(' ')
  } catch {
    return 'none'
  }
}

/**
 * Replaces the keys in a file by what `change` makes of them, and returns the new ones. One change at a time, also of
 * several processes. Throws a `UsageError` when the file is damaged, and whatever `change` throws, and leaves the file.
 */
export async function changeKeyFile(
  path: string,
  change: (keys: readonly StoredKey[]) => readonly StoredKey[],
): Promise<readonly StoredKey[]> {
  return whileLocked(path, async () => {
    const keys = change(await readKeyFile(path))
    await replaceFile(path, `${JSON.stringify({ version: 1, keys: keys.map(toFile) }, null, 2)}\n`)
    return keys
  })
}

const limit = z.int().min(1).optional()
const entrySchema = z.strictObject({
  name: z.string().regex(keyName),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  created: z.iso.datetime(),
  'per-minute': limit,
  'per-day': limit,
  'tokens-per-day': limit,
})
type Entry = z.infer<typeof entrySchema>

const fileSchema = z.strictObject({
  version: z.literal(1),
  keys: z.array(entrySchema).refine((keys) => new Set(keys.map(({ name }) => name)).size === keys.length),
})

function fromFile({ name, sha256, created, ...entry }: Entry): StoredKey {
  const limits = {
    searchesPerMinute: entry['per-minute'],
    searchesPerDay: entry['per-day'],
    tokensPerDay: entry['tokens-per-day'],
  }
  return { name, digest: sha256, created, limits }
}

function toFile({ name, digest, created, limits }: StoredKey): Entry {
  return {
    name,
    sha256: digest,
    created,
    'per-minute': limits?.searchesPerMinute,
    'per-day': limits?.searchesPerDay,
    'tokens-per-day': limits?.tokensPerDay,
  }
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new UsageError(`The key file ${path} cannot be read (${code}).`)
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
