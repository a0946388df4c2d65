import { readdir, readFile, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { withTimeout } from '@csp/lib/abort'
import { randomId, sha256 } from '@csp/lib/bytes'
import { messageOf } from '@csp/lib/errors'
import { parseJson } from '@csp/lib/json'
import { z } from 'zod'
import type { OwnedReceipt, ReceiptSource, Receipts } from '../domain/receipt.ts'
import { evidenceSchema } from '../executor/wire/schemas.ts'
import { replaceFile } from './replace-file.ts'

export interface ReceiptFilesOptions {
  /** The folder of the files; created at the first write. */
  readonly directory: string
  /** The limit for all files together. */
  readonly maxBytes: number
  readonly maxDays: number
  /** Whether searches are those of the sandbox, which each receipt then says. */
  readonly sandbox?: boolean | undefined
  /** Milliseconds since 1970. */
  readonly now?: (() => number) | undefined
}

/** Receipts in files. */
export interface ReceiptFiles extends Receipts {
  /** Removes what is too old, and the oldest while all together exceed the limit. Never throws. */
  sweep(): Promise<void>
}

/**
 * Receipts in files: `ID.json` each, and the text of each cited page once, as `pages/HASH.md`. Files are replaced as a
 * whole, so several processes may share a folder. Only the owner can read them.
 */
export function receiptFiles(options: ReceiptFilesOptions): ReceiptFiles {
  const { directory, maxBytes, maxDays, now = Date.now, sandbox } = options
  const pages = join(directory, 'pages')
  const writes = new Map<string, Promise<boolean>>()
  /** When each was written and whose it is, as far as they were looked at: files do not change. */
  const known = new Map<string, { readonly time: number; owner?: string }>()
  let problem: string | undefined
  /** Written since the last sweep. The first write sweeps, too. */
  let unswept = Number.POSITIVE_INFINITY
  const isOld = (time: number) => time < now() - maxDays * dayMs

  /** Whether the work succeeded. */
  async function noting(work: () => Promise<void>): Promise<boolean> {
    try {
      await work()
      problem = undefined
      return true
    } catch (error) {
      problem = messageOf(error)
      return false
    }
  }

  async function write(receipt: OwnedReceipt): Promise<void> {
    // The time of a text: later than every receipt that names it, so that it goes after them.
    const afterwards = new Date(now() + 1000)
    const sources: ReceiptSource[] = []
    for (const { text, ...source } of receipt.sources) {
      if (text === undefined) sources.push(source)
      else {
        const hash = await sha256(text)
        sources.push({ ...source, hash })
        const path = join(pages, `${hash}.md`)
        const isThere = (await stat(path).catch(() => undefined))?.size === Buffer.byteLength(text)
        if (!isThere) await replaceFile(path, text)
        unswept += isThere ? 0 : text.length
        await utimes(path, afterwards, afterwards)
      }
    }
    const json = JSON.stringify({ ...receipt, sources })
    const path = join(directory, `${receipt.id}.json`)
    await replaceFile(path, json)
    // Its own time: several may be written at once, in any order.
    const written = new Date(receipt.time)
    await utimes(path, written, written)
    unswept += json.length
    if (unswept > maxBytes / 20) await sweep()
  }

  async function sweep(): Promise<void> {
    unswept = 0
    await noting(async () => {
      const all = (await Promise.all([filesIn(directory, receiptName), filesIn(pages, pageName)])).flat()
      let bytes = all.reduce((sum, { size }) => sum + size, 0)
      // With some room, so that not every write sweeps.
      const limit = bytes > maxBytes ? maxBytes * 0.9 : maxBytes
      for (const { path, size, time } of all.toSorted((a, b) => a.time - b.time)) {
        const isLeftover = path.endsWith('.tmp') && time < now() - dayMs
        if (bytes <= limit && !isOld(time) && !isLeftover) continue
        await rm(path, { force: true })
        bytes -= size
      }
    })
  }

  async function parsed(id: string): Promise<OwnedReceipt | undefined> {
    const text = await readFile(join(directory, `${id}.json`), 'utf8').catch(() => '')
    const receipt = receiptSchema.safeParse(parseJson(text)).data
    return receipt?.id === id && !isOld(Date.parse(receipt.time)) ? receipt : undefined
  }

  async function newestFirst(): Promise<readonly string[]> {
    const names = await readdir(directory).catch(() => [])
    const ids = new Set(names.filter((name) => /^[0-9a-f]{32}\.json$/.test(name)).map((name) => name.slice(0, 32)))
    for (const id of known.keys()) if (!ids.has(id)) known.delete(id)
    const added = [...ids].filter((id) => !known.has(id)).map((id) => `${id}.json`)
    for (const { name, time } of await withStats(directory, added)) known.set(name.slice(0, 32), { time })
    return [...known].toSorted(([, a], [, b]) => b.time - a.time).map(([id]) => id)
  }

  async function sourceText({ hash }: ReceiptSource): Promise<string | undefined> {
    if (hash === undefined) return undefined
    const text = await readFile(join(pages, `${hash}.md`), 'utf8').catch(() => undefined)
    return text !== undefined && (await sha256(text)) === hash ? text : undefined
  }

  return {
    get problem() {
      return problem
    },
    async keep(draft) {
      if (writes.size >= maxWrites) return undefined
      const id = randomId()
      const time = new Date(now()).toISOString()
      const written = noting(async () => write({ id, time, ...(await draft()), ...(sandbox && { sandbox }) })).finally(
        () => writes.delete(id),
      )
      writes.set(id, written)
      // A slow disk keeps no reply waiting: it may still be written.
      return (await withTimeout(written, maxWaitMs)) === false ? undefined : id
    },
    async read(id) {
      if (!/^[0-9a-f]{32}$/.test(id)) return undefined
      await writes.get(id)
      const receipt = await parsed(id)
      if (!receipt) return undefined
      const sources = receipt.sources.map(async (source) => ({ ...source, text: await sourceText(source) }))
      return { ...receipt, sources: await Promise.all(sources) }
    },
    async list({ limit, owner, after }) {
      await Promise.all(writes.values())
      const ids = await newestFirst()
      const place = after === undefined ? -1 : ids.indexOf(after)
      if (after !== undefined && place < 0) return { receipts: [] }
      const receipts: OwnedReceipt[] = []
      let looked = 0
      for (const id of ids.slice(place + 1)) {
        const file = known.get(id)
        if (owner !== undefined && file?.owner !== undefined && file.owner !== owner) continue
        // An id from this list: the ids of other owners' receipts must not show.
        const next = receipts.at(-1)?.id
        if (looked >= maxLooked && next !== undefined) return { receipts, next }
        looked++
        const receipt = await parsed(id)
        if (file && receipt) file.owner = receipt.owner
        if (!receipt || (owner !== undefined && receipt.owner !== owner)) continue
        if (receipts.length >= limit) return { receipts, next }
        receipts.push(receipt)
      }
      return { receipts }
    },
    async flush() {
      await Promise.all(writes.values())
    },
    sweep,
  }
}

const dayMs = 86_400_000
/** Files that one list opens once it has a receipt; whose the others are is remembered. */
const maxLooked = 500
/** At once. Each holds the texts of its pages. */
const maxWrites = 50
/** How long a reply waits for its receipt: it names none that is not there. */
const maxWaitMs = 500
const receiptName = /^[0-9a-f]{32}\.json(?:\.\d+-[0-9a-f]+-\d+\.tmp)?$/
const pageName = /^[0-9a-f]{64}\.md(?:\.\d+-[0-9a-f]+-\d+\.tmp)?$/

const hash = z.string().regex(/^[0-9a-f]{64}$/)
const receiptSchema: z.ZodType<OwnedReceipt> = z.object({
  id: z.string(),
  time: z.iso.datetime(),
  owner: z.string(),
  question: z.string(),
  model: z.string(),
  strategy: z.string(),
  backend: z.string().optional(),
  sandbox: z.boolean().optional(),
  answer: z.string(),
  sentences: evidenceSchema,
  sources: z.array(
    z.object({
      number: z.int().positive(),
      url: z.string().regex(/^https?:\/\//),
      title: z.string(),
      date: z.string().optional(),
      passages: z.array(z.string()),
      hash: hash.optional(),
    }),
  ),
})

interface FoundFile {
  readonly name: string
  readonly path: string
  readonly size: number
  /** When it was written, in ms. */
  readonly time: number
}

async function filesIn(folder: string, names: RegExp): Promise<readonly FoundFile[]> {
  const found = await readdir(folder).catch(() => [])
  return withStats(
    folder,
    found.filter((name) => names.test(name)),
  )
}

async function withStats(folder: string, names: readonly string[]): Promise<readonly FoundFile[]> {
  const files = names.map(async (name): Promise<readonly FoundFile[]> => {
    const path = join(folder, name)
    const stats = await stat(path).catch(() => undefined)
    return stats ? [{ name, path, size: stats.size, time: stats.mtimeMs }] : []
  })
  return (await Promise.all(files)).flat()
}
