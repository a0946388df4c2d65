import { join } from 'node:path'
import {
  type Capabilities,
  type CapabilityStore,
  modelAt,
  readCapabilities,
} from '@csp/gateway/translation/capabilities'
import { parseJson } from '@csp/lib/json'
import { z } from 'zod'
import { readPlainFile } from '../../storage/plain-file.ts'
import { replaceFile } from '../../storage/replace-file.ts'

/** What is known about a model, and until when, in milliseconds since 1970. */
export interface KnownModel extends Capabilities {
  readonly expiresAt: number
}

/** What csp has learned about models, in a file of the state folder that only its owner can read. */
export interface CapabilityFile extends CapabilityStore {
  readonly path: string
  list(): Promise<readonly KnownModel[]>
  /** Forgets all models. Resolves to how many were known. */
  forget(): Promise<number>
}

/**
 * Reads the file again each time, since several csp may have it. A file that is torn or of another version is as none: what
 * was known is learned again.
 */
export function capabilityFile(stateDir: string, now: () => number = Date.now): CapabilityFile {
  const path = join(stateDir, 'gateway', 'models.json')
  let lastWrite = Promise.resolve()

  async function read(): Promise<Entries> {
    const text = await readPlainFile(path).catch(() => '')
    const entries = fileSchema.safeParse(parseJson(text)).data?.models ?? {}
    return Object.fromEntries(Object.entries(entries).filter(([, { expiresAt }]) => expiresAt > now()))
  }

  /** One after the other, so that none of this process loses what another has written. */
  function change<Result>(edit: (entries: Entries) => { readonly kept: Entries; readonly result: Result }) {
    const written = lastWrite.then(async () => {
      const { kept, result } = edit(await read())
      await replaceFile(path, `${JSON.stringify({ version, models: kept }, null, 2)}\n`)
      return result
    })
    lastWrite = written.then(
      () => {},
      () => {},
    )
    return written
  }

  return {
    path,
    get: async (key) => (await read())[key]?.value,
    set: (key, value, { ttl }) =>
      change((entries) => {
        const all = Object.entries({ ...entries, [key]: { expiresAt: now() + ttl * 1000, value } })
        const latest = all.toSorted(([, a], [, b]) => b.expiresAt - a.expiresAt).slice(0, maxModels)
        return { kept: Object.fromEntries(latest), result: undefined }
      }),
    async list() {
      const known = Object.values(await read()).flatMap(({ expiresAt, value }) => {
        const capabilities = readCapabilities(value)
        return capabilities ? [{ ...capabilities, expiresAt }] : []
      })
      return known.toSorted((a, b) => modelAt(a).localeCompare(modelAt(b)))
    },
    async forget() {
      if (Object.keys(await read()).length === 0) return 0
      return change((entries) => ({ kept: {}, result: Object.keys(entries).length }))
    },
  }
}

const version = 1
const maxModels = 1000

const fileSchema = z.object({
  version: z.literal(version),
  models: z.record(z.string(), z.object({ expiresAt: z.number(), value: z.unknown() })),
})
type Entries = z.infer<typeof fileSchema>['models']
