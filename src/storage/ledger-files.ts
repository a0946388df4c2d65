import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode, messageOf } from '@csp/lib/errors'
import { parseJson } from '@csp/lib/json'
import { TurnClock } from '@csp/lib/turn-clock'
import { z } from 'zod'
import {
  type DaySpending,
  dayOf,
  daysKept,
  type Ledger,
  spendingSchema,
  Tally,
} from '../executor/layers/metering/ledger.ts'
import { checkPlainFile, plainFileSize } from './plain-file.ts'

export interface LedgerFilesOptions {
  /** The folder of the files; created at the first write. */
  readonly directory: string
  /** Milliseconds since 1970. */
  readonly now?: (() => number) | undefined
}

/**
 * A ledger in files, one for each UTC day, one line for each request. Lines are only ever appended, each with a single
 * write, so several processes may share a folder; a line that was torn by a crash or a full disk is skipped. Entries of
 * the same few milliseconds are one write, and what fails is written with the next one. Reads only what others have
 * appended since the last read. Reads and creates nothing before it is needed. Only the owner can read the files.
 */
export function ledgerFiles({ directory, now = Date.now }: LedgerFilesOptions): Ledger {
  const tally = new Tally()
  // What this process entered is known without reading, also where it could not be written.
  const writer = crypto.randomUUID().slice(0, 8)
  const readTo = new Map<string, number>()
  /** Bytes behind `readTo` that this process has written. */
  const ownBytes = new Map<string, number>()
  const batches = new Map<string, Batch>()
  /** What could not be written: sums, since a disk may be full for days. */
  let unwritten = new Tally()
  let retry: ReturnType<typeof setTimeout> | undefined
  let tidiedOn = ''
  let refreshing = Promise.resolve()
  const problems: { read?: string | undefined; write?: string | undefined } = {}

  /** Below 0 while a write is read whose end has not been seen. */
  const noteOwn = (day: string, bytes: number) => ownBytes.set(day, (ownBytes.get(day) ?? 0) + bytes)

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
    const path = join(directory, `${day}${suffix}`)
    const size = plainFileSize(path) ?? 0
    const own = ownBytes.get(day) ?? 0
    if (own >= 0 && size === from + own) {
      readTo.set(day, size)
      ownBytes.set(day, 0)
      return
    }
    const turns = new TurnClock()
    for await (const { text, end } of linesFrom(path, from)) {
      for (const line of text.split('\n')) {
        const entry = ledgerEntry(line)
        if (!entry) continue
        if (entry.writer === writer) noteOwn(day, -lengthOf(framed(line)))
        else tally.add({ ...entry, day })
      }
      readTo.set(day, end)
      await turns.rest()
    }
  }

  const tidy = async (today: string): Promise<void> => {
    if (tidiedOn === today) return
    tidiedOn = today
    const oldest = dayOf(now(), daysKept - 1)
    for (const day of await daysIn(directory)) if (day < oldest) await rm(join(directory, `${day}${suffix}`))
  }

  /** Appends entries, and what could not be written before. What is not whole on the disk then stays for later. */
  const write = async (entries: readonly DaySpending[]): Promise<void> => {
    const all = [...unwritten.since(''), ...entries]
    unwritten = new Tally()
    const problems: unknown[] = []
    for (const day of new Set(all.map((entry) => entry.day))) {
      const rows = all.filter((entry) => entry.day === day)
      const lines = rows.map(({ day: _, ...spending }) =>
        framed(JSON.stringify({ ...spending, writer } satisfies Line)),
      )
      const { whole, problem } = await append(join(directory, `${day}${suffix}`), lines, directory)
      noteOwn(day, lengthOf(lines.slice(0, whole).join('')))
      for (const row of rows.slice(whole)) unwritten.add(row)
      if (problem !== undefined) problems.push(problem)
    }
    if (problems.length === 0) return
    retry ??= setTimeout(() => void close(), retryMs)
    retry.unref()
    throw problems[0]
  }

  const close = (): Promise<void> => {
    clearTimeout(retry)
    retry = undefined
    return unwritten.since('').length === 0 ? Promise.resolve() : noting('write', () => write([]))
  }

  /** Begins a write that takes along what is entered within a few milliseconds. */
  const begin = (day: string): Batch => {
    const entries: DaySpending[] = []
    const written = noting('write', async () => {
      await new Promise((resolve) => setTimeout(resolve, batchMs))
      batches.delete(day)
      await write(entries)
      await tidy(day)
    })
    const batch = { entries, written }
    batches.set(day, batch)
    return batch
  }

  return {
    get problem() {
      return problems.write ?? problems.read
    },
    add({ day, ...spending }) {
      tally.add({ day, ...spending })
      const batch = batches.get(day) ?? begin(day)
      batch.entries.push({ day, ...spending })
      return batch.written
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
    close,
  }
}

const suffix = '.ndjson'
/** By then the reply is out. */
const batchMs = 5
const retryMs = 30_000

/** Entries of one day that are written together. */
interface Batch {
  readonly entries: DaySpending[]
  readonly written: Promise<void>
}

/** Starts a new line, so that a line torn by a crash does not damage the next one. */
function framed(line: string): string {
  return `\n${line}\n`
}

function lengthOf(text: string): number {
  return new TextEncoder().encode(text).byteLength
}
const newline = 0x0a
/** Read in about a millisecond. */
const pieceBytes = 65_536

const lineSchema = spendingSchema.extend({ writer: z.string() })

/** One line of a ledger; `undefined` for one that csp did not write, or not to its end. */
function ledgerEntry(line: string): z.infer<typeof lineSchema> | undefined {
  return lineSchema.safeParse(parseJson(line)).data
}

type Line = z.infer<typeof lineSchema> & Omit<DaySpending, 'day'>

/** Appends lines with one write. Returns how many of them are whole in the file, and what kept the others out. */
async function append(path: string, lines: readonly string[], directory: string) {
  const bytes = new TextEncoder().encode(lines.join(''))
  let written = 0
  try {
    checkPlainFile(path)
    await using file = await openToAppend(path, directory)
    // A disk that is nearly full takes a part.
    while (written < bytes.byteLength) written += (await file.write(bytes, written)).bytesWritten
    return { whole: lines.length }
  } catch (problem) {
    const ends = lines.map((_, at) => lengthOf(lines.slice(0, at + 1).join('')))
    return { whole: ends.filter((end) => end <= written).length, problem }
  }
}

async function openToAppend(path: string, directory: string): Promise<FileHandle> {
  const openIt = () => open(path, 'a', 0o600)
  try {
    return await openIt()
  } catch (error) {
    if (!isMissing(error)) throw error
    await mkdir(directory, { recursive: true, mode: 0o700 })
    return openIt()
  }
}

/** The whole lines behind a position, some hundred at a time, each time with the position behind them. */
async function* linesFrom(path: string, position: number) {
  await using file = await openToRead(path)
  if (!file) return
  const { size } = await file.stat()
  const decoder = new TextDecoder()
  const bytes = new Uint8Array(pieceBytes)
  for (let end = position; end < size; ) {
    const { bytesRead } = await file.read(bytes, { length: Math.min(pieceBytes, size - end), position: end })
    const whole = bytes.subarray(0, bytesRead).lastIndexOf(newline) + 1
    // What is longer without a line's end is none of csp's lines.
    const length = whole === 0 && bytesRead === pieceBytes ? bytesRead : whole
    if (length === 0) return
    end += length
    yield { text: decoder.decode(bytes.subarray(0, length)), end }
  }
}

async function openToRead(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r')
  } catch (error) {
    if (isMissing(error)) return undefined
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
