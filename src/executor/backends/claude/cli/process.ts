import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { deferred } from '@csp/lib/deferred'
import { LineCutter } from '@csp/lib/lines'
import { unwatchGroup, watchGroup } from './reaper.ts'

export interface ProcessOptions {
  /** Program and arguments. They must contain nothing that a caller wrote: arguments show in the process list. */
  readonly command: readonly string[]
  /** The whole environment of the child. */
  readonly environment: Readonly<Record<string, string>>
  readonly directory: string
  /** Called for each non-empty line of standard output, in order and without its newline. Must not throw. */
  readonly onLine: (line: string) => void
  /** Called with what it writes to standard error, as it comes. Must not throw. */
  readonly onErrorText?: ((text: string) => void) | undefined
  /** A longer line ends the process. In characters; 16 Mi by default. */
  readonly maxLineLength?: number | undefined
  /** Time from SIGTERM to SIGKILL, in ms; 1,500 by default. */
  readonly graceMs?: number | undefined
}

/** How a process ended. */
export interface Exit {
  readonly code: number | null
  readonly signal: string | null
  /** The last 8 Ki characters it wrote to standard error. */
  readonly stderr: string
  /** Why we ended it, if we did. */
  readonly reason?: 'stopped' | 'line-too-long' | undefined
}

/** A child process that reads and writes lines, and its whole process group. */
export interface LineProcess {
  readonly pid: number
  /** Writes one line to standard input. Does nothing when the child is gone. */
  write(line: string): void
  /** Ends standard input, which asks a well-behaved child to finish. */
  closeInput(): void
  /** Settles once the process is gone and its output has been read; never rejects. */
  readonly exited: Promise<Exit>
  /** Whether it is there, and is not being stopped. */
  readonly running: boolean
  /** SIGTERM to the group now, SIGKILL after the grace period. Settles once the process is gone. Idempotent. */
  stop(): Promise<Exit>
}

/**
 * Starts a process in a group of its own. Throws when the program cannot be started. Runs on Bun and on node, so that
 * csp is a library for both.
 */
export function startProcess(options: ProcessOptions): LineProcess {
  const { child, pid } = startChild(options)
  const group = new ProcessGroup(pid, options.graceMs ?? 1500)
  let reason: Exit['reason']
  const stop = (why: Exit['reason']) => {
    if (child.exitCode !== null || child.signalCode !== null) return
    reason ??= why
    group.terminate()
  }
  const output = readLines(child.stdout, { ...options, onOverflow: () => stop('line-too-long') })
  const errors = readTail(child.stderr, options.onErrorText)
  // A child that has closed its output will write nothing more: do not wait for it.
  void output.done.then(() => delay(eofGraceMs)).then(() => stop('stopped'))

  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const exited = (async (): Promise<Exit> => {
    await ended
    // A grandchild may keep the pipes open: do not wait for it.
    await Promise.race([Promise.all([output.done, errors.done]), delay(eofGraceMs)])
    group.sweep()
    output.cancel()
    errors.cancel()
    return { code: child.exitCode, signal: child.signalCode, stderr: errors.text(), reason }
  })()

  return {
    pid,
    exited,
    get running() {
      return reason === undefined && child.exitCode === null && child.signalCode === null
    },
    write(line) {
      if (child.stdin.writable) child.stdin.write(`${line}\n`)
    },
    closeInput: () => void child.stdin.end(),
    stop() {
      stop('stopped')
      return exited
    },
  }
}

const eofGraceMs = 300

function startChild({ command, environment, directory }: ProcessOptions) {
  const [program = '', ...args] = command
  const child: ChildProcessWithoutNullStreams = spawn(program, args, {
    env: { ...environment },
    cwd: directory,
    stdio: 'pipe',
    detached: true, // a process group of its own, so that its children can be ended with it
  })
  // Without a process id it has not started, which its event says only later.
  child.on('error', () => {})
  // A child that has just died does not read: its exit is reported elsewhere.
  child.stdin.on('error', () => {})
  if (child.pid === undefined) throw new Error(`${program} could not be started in ${directory}.`)
  return { child, pid: child.pid }
}

class ProcessGroup {
  readonly #pid: number
  readonly #graceMs: number
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(pid: number, graceMs: number) {
    this.#pid = pid
    this.#graceMs = graceMs
    watchGroup(pid)
  }

  terminate(): void {
    if (this.#timer) return
    signalGroup(this.#pid, 'SIGTERM')
    this.#timer = setTimeout(() => signalGroup(this.#pid, 'SIGKILL'), this.#graceMs)
  }

  /** Kills what the group's leader left behind. */
  sweep(): void {
    clearTimeout(this.#timer)
    signalGroup(this.#pid, 'SIGKILL')
    unwatchGroup(this.#pid)
  }
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch {
    // Already gone.
  }
}

/** Reads one output of a child until it ends or is cancelled. */
interface OutputReader {
  readonly done: Promise<void>
  cancel(): void
}

interface LineOptions {
  /** Called for each non-empty line, in order and without its newline. Must not throw. */
  readonly onLine: (line: string) => void
  /** In characters; 16 Mi by default. */
  readonly maxLineLength?: number | undefined
  /** Called once when a line is longer; nothing is read after that. */
  readonly onOverflow: () => void
}

/** Reads lines. Invalid UTF-8 becomes U+FFFD; text after the last newline is dropped. */
function readLines(stream: Readable, options: LineOptions): OutputReader {
  const { onLine, onOverflow, maxLineLength = 16 * 1024 * 1024 } = options
  const cutter = new LineCutter(maxLineLength)
  return readChunks(stream, (chunk) => {
    for (const line of cutter.take(chunk)) if (line) onLine(line)
    if (cutter.isOverlong) onOverflow()
    return !cutter.isOverlong
  })
}

/** Reads everything and keeps the last 8 Ki characters. */
function readTail(stream: Readable, onText?: (text: string) => void): OutputReader & { text(): string } {
  const decoder = new TextDecoder()
  let text = ''
  const reader = readChunks(stream, (chunk) => {
    const more = decoder.decode(chunk, { stream: true })
    text = (text + more).slice(-tailLength)
    onText?.(more)
    return true
  })
  return { ...reader, text: () => text }
}

const tailLength = 8192

function readChunks(stream: Readable, onChunk: (chunk: Uint8Array) => boolean): OutputReader {
  const { promise: done, resolve } = deferred<void>()
  const cancel = () => {
    resolve()
    stream.destroy()
  }
  stream.on('data', (chunk: Uint8Array) => {
    if (!onChunk(chunk)) cancel()
  })
  for (const event of ['end', 'close', 'error']) stream.on(event, () => resolve())
  return { done, cancel }
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
