import { appendFile, mkdir, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import {
  type DaySpending,
  dayOf,
  daysKept,
  type Ledger,
  spendingSchema,
  Tally,
} from '../executor/layers/metering/ledger.ts'
import { errorCode, messageOf } from '../lib/errors.ts'
import { parseJson } from '../lib/json.ts'
import { checkPlainFile } from './plain-file.ts'

export interface LedgerFilesOptions {
  /** The folder of the files; created at the first write. */
  readonly directory: string
  /** Milliseconds since 1970. */
  readonly now?: (() => number) | undefined
}

/**
 * A ledger in files, one for each UTC day, one line for each request. Lines are only ever appended, each with a single
 * write, so several processes may share a folder; a line that was torn by a crash is skipped. Reads only what was
 * appended since the last read. Reads and creates nothing before it is needed. Only the owner can read the files.
 */
export function ledgerFiles({ directory, now = Date.now }: LedgerFilesOptions): Ledger {
  const tally = new Tally()
  // What this process entered is known without reading, also where it could not be written.
  const writer = crypto.randomUUID().slice(0, 8)
  const readTo = new Map<string, number>()
  let tidiedOn = ''
  let refreshing = Promise.resolve()
  const problems: { read?: string | undefined; write?: string | undefined } = {}

  const noting = async (kind: keyof typeof problems, work: () => Promise<void>): Promise<void> => {
    try {
      await work()
      problems[kind] = undefined
    } catch (error) {
      problems[kind] = messageOf(error)
    }
  }

  /** Reads what other processes appended to one day's file since the last read. */
  const read = async (day: string): Promise<void> => {
    const from = readTo.get(day) ?? 0
    const text = await readFrom(join(directory, `${day}${suffix}`), from)
    const whole = text.subarray(0, text.lastIndexOf(newline) + 1)
    readTo.set(day, from + whole.byteLength)
    for (const line of new TextDecoder().decode(whole).split('\n')) {
      const entry = ledgerEntry(line)
      if (entry && entry.writer !== writer) tally.add({ ...entry, day })
    }
  }

  const tidy = async (today: string): Promise<void> => {
    if (tidiedOn === today) return
    tidiedOn = today
    const oldest = dayOf(now(), daysKept - 1)
    for (const day of await daysIn(directory)) if (day < oldest) await rm(join(directory, `${day}${suffix}`))
  }

  return {
    get problem() {
      return problems.write ?? problems.read
    },
    add({ day, ...spending }) {
      tally.add({ day, ...spending })
      const line = JSON.stringify({ ...spending, writer } satisfies Line)
      return noting('write', async () => {
        await append(join(directory, `${day}${suffix}`), line, directory)
        await tidy(day)
      })
    },
    refresh(first) {
      // One after the other: two at once would count the same lines twice.
      refreshing = refreshing.then(() =>
        noting('read', async () => {
          const today = dayOf(now())
          const days = first >= today ? [first] : (await daysIn(directory)).filter((day) => day >= first)
          for (const day of days) await read(day)
        }),
      )
      return refreshing
    },
    since: (day) => tally.since(day),
  }
}

const suffix = '.ndjson'
const newline = 0x0a

const lineSchema = spendingSchema.extend({ writer: z.string() })

/** One line of a ledger; `undefined` for one that csp did not write, or not to its end. */
export function ledgerEntry(line: string): z.infer<typeof lineSchema> | undefined {
  return lineSchema.safeParse(parseJson(line)).data
}

type Line = z.infer<typeof lineSchema> & Omit<DaySpending, 'day'>

/** Starts a new line, so that a line torn by a crash does not damage the next one. */
async function append(path: string, line: string, directory: string): Promise<void> {
  checkPlainFile(path)
  const write = () => appendFile(path, `\n${line}\n`, { mode: 0o600 })
  try {
    await write()
  } catch (error) {
    if (!isMissing(error)) throw error
    await mkdir(directory, { recursive: true, mode: 0o700 })
    await write()
  }
}

async function readFrom(path: string, position: number): Promise<Uint8Array> {
  checkPlainFile(path)
  try {
    await using file = await open(path, 'r')
    const { size } = await file.stat()
    const bytes = new Uint8Array(Math.max(0, size - position))
    const { bytesRead } = await file.read(bytes, { position })
    return bytes.subarray(0, bytesRead)
  } catch (error) {
    if (isMissing(error)) return new Uint8Array()
    throw error
  }
}

async function daysIn(directory: string): Promise<readonly string[]> {
  const names = await readdir(directory).catch((error: unknown) => {
    if (isMissing(error)) return []
    throw error
  })
  return names.filter((name) => /^\d{4}-\d\d-\d\d\.ndjson$/.test(name)).map((name) => name.slice(0, -suffix.length))
}

function isMissing(error: unknown): boolean {
  return errorCode(error) === 'ENOENT'
}
