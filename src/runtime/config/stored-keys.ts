import { parseJson } from '@csp/lib/json'
import { z } from 'zod'
import type { KnownKey } from '../../api/exchange/known-key.ts'

/** A key as the file stores it. */
export interface StoredKey extends KnownKey {
  /** ISO 8601. */
  readonly created: string
}

/** A valid name of a key. `key-1`, `key-2`, … name the keys of `--api-keys`. */
export const keyName = /^(?!key-\d+$)[a-z0-9._-]{1,64}$/

/** Reads the text of a key file. `undefined`: csp did not write it. */
export function parseStoredKeys(text: string): readonly StoredKey[] | undefined {
  return fileSchema.safeParse(parseJson(text)).data?.keys.map(fromFile)
}

/** The text of a key file. */
export function printStoredKeys(keys: readonly StoredKey[]): string {
  return `${JSON.stringify({ version: 1, keys: keys.map(toFile) }, null, 2)}\n`
}

const limit = z.int().min(1).optional()
const entrySchema = z.strictObject({
  name: z.string().regex(keyName),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  created: z.iso.datetime(),
  'per-minute': limit,
  'per-day': limit,
  'tokens-per-day': limit,
  'plan-reserve': z.number().min(0).max(100).optional(),
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
    planReserve: entry['plan-reserve'],
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
    'plan-reserve': limits?.planReserve,
  }
}
