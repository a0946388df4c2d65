import {
  chmodSync,
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { Stream } from '../shell/shell.ts'

/** Where a csp in the background logs. */
export function logFile(stateDir: string): string {
  return join(stateDir, 'log', 'csp.log')
}

/** What was logged before the log became too large. */
export function olderLog(path: string): string {
  return `${path}.1`
}

/** Makes a log that only the user can read, before another program writes to it. */
export function createLogFile(path: string): void {
  closeSync(openLog(path).handle)
}

/** Opens the log at its end. */
export function openLog(path: string): { readonly handle: number; readonly at: number } {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const handle = openSync(path, 'a+', 0o600)
  chmodSync(path, 0o600)
  rotate(path, handle, maxLogBytes)
  return { handle, at: fstatSync(handle).size }
}

/**
 * `errors`, or, where that is the log, a stream that writes there and moves its content to the older log when it is
 * large. The file stays the same, since other processes have it open, too.
 */
export function rotatedErrors(errors: Stream, path: string, maxBytes = maxLogBytes): Stream {
  return isOpenAs(process.stderr.fd, path) ? rotatedStream(errors, path, maxBytes) : errors
}

/** A log to write to. A line that cannot be written is lost, as on a full disk; csp continues. */
export function rotatedStream({ isTerminal, columns }: Omit<Stream, 'write'>, path: string, maxBytes: number): Stream {
  let handle: number | undefined
  let isTorn = false
  return {
    isTerminal,
    columns,
    write(text) {
      try {
        handle ??= openSync(path, 'a+', 0o600)
        rotate(path, handle, maxBytes)
        const bytes = Buffer.from(isTorn ? `\n${text}` : text)
        const written = writeSync(handle, bytes)
        isTorn = written < bytes.length
      } catch {}
    },
  }
}

/** Copies a large log to the older one and empties it. Of two processes that do so at once, one does. */
function rotate(path: string, handle: number, maxBytes: number): void {
  const { size } = fstatSync(handle)
  if (size < maxBytes || !isOpenAs(handle, path)) return
  const copy = `${olderLog(path)}.${process.pid}.tmp`
  try {
    const copied = copyTo(copy, handle)
    // Another process has emptied it meanwhile, perhaps before the copy was made.
    if (copied < maxBytes || fstatSync(handle).size < copied) throw new Error('The log is empty already.')
    truncateSync(path)
    renameSync(copy, olderLog(path))
  } catch {
    rmSync(copy, { force: true })
    // If there is no room for a copy.
    if (fstatSync(handle).size >= 2 * maxBytes) truncateSync(path)
  }
}

/** Copies to the end, also what is written meanwhile. */
function copyTo(path: string, from: number): number {
  const to = openSync(path, 'w', 0o600)
  try {
    const buffer = Buffer.alloc(256 * 1024)
    for (let copied = 0; ; ) {
      const read = readSync(from, buffer, 0, buffer.length, copied)
      if (read === 0) return copied
      for (let written = 0; written < read; ) written += writeSync(to, buffer, written, read - written)
      copied += read
    }
  } finally {
    closeSync(to)
  }
}

function isOpenAs(handle: number, path: string): boolean {
  try {
    const [open, there] = [fstatSync(handle), statSync(path)]
    return open.isFile() && open.dev === there.dev && open.ino === there.ino
  } catch {
    return false
  }
}

const maxLogBytes = 5 * 1024 * 1024
