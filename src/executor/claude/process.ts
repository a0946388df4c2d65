import type { Subprocess } from 'bun'

export interface ProcessOptions {
  /** Program and arguments. Nothing that a caller wrote may stand in it: arguments show in the process list. */
  readonly command: readonly string[]
  /** The whole environment of the child. */
  readonly environment: Readonly<Record<string, string>>
  readonly directory: string
  /** Called for each line of standard output that is not empty, without its newline, in order. Must not throw. */
  readonly onLine: (line: string) => void
  /** A longer line ends the process. In characters; 16 Mi by default. */
  readonly maxLineLength?: number | undefined
  /** How long the process may ignore SIGTERM before SIGKILL, in ms; 1,500 by default. */
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

/** A child process that speaks in lines, and its whole process group. */
export interface LineProcess {
  readonly pid: number
  /** Writes one line to standard input. A child that is gone ignores it; `exited` tells. */
  write(line: string): void
  /** Ends standard input, which asks a well-behaved child to finish. */
  closeInput(): void
  /** Settles once the process is gone and its output has been read; never rejects. */
  readonly exited: Promise<Exit>
  readonly running: boolean
  /** SIGTERM to the group now, SIGKILL after the grace period. Settles once the process is gone. Idempotent. */
  stop(): Promise<Exit>
}

const stderrLength = 8192
const eofGraceMs = 300

/** Process groups that must not outlive this one. */
const live = new Set<number>()
let sweeping = false

/** Starts a process in a group of its own. Throws what `Bun.spawn` throws when the program cannot be started. */
export function startProcess(options: ProcessOptions): LineProcess {
  const child = spawn(options)
  const group = new ProcessGroup(child.pid, options.graceMs ?? 1500)
  let reason: Exit['reason']
  const stop = (why: Exit['reason']) => {
    if (child.exitCode !== null || child.signalCode !== null) return
    reason ??= why
    group.terminate()
  }
  const output = readLines(child.stdout, options, () => stop('line-too-long'))
  const errors = readTail(child.stderr)

  const exited = (async (): Promise<Exit> => {
    await child.exited
    // A grandchild may hold the pipes open: what it writes is not ours to wait for.
    await Promise.race([Promise.all([output.done, errors.done]), Bun.sleep(eofGraceMs)])
    group.sweep()
    output.cancel()
    errors.cancel()
    return { code: child.exitCode, signal: child.signalCode?.toString() ?? null, stderr: errors.text(), reason }
  })()

  return {
    pid: child.pid,
    exited,
    get running() {
      return child.exitCode === null && child.signalCode === null
    },
    write(line) {
      // A write to a child that has just died rejects; its exit says so better.
      void Promise.resolve(child.stdin.write(`${line}\n`)).catch(() => {})
      void Promise.resolve(child.stdin.flush()).catch(() => {})
    },
    closeInput() {
      void Promise.resolve(child.stdin.end()).catch(() => {})
    },
    stop() {
      stop('stopped')
      return exited
    },
  }
}

type Child = Subprocess<'pipe', 'pipe', 'pipe'>

function spawn({ command, environment, directory }: ProcessOptions): Child {
  sweepAtExit()
  return Bun.spawn([...command], {
    env: { ...environment },
    cwd: directory,
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
    detached: true, // a process group of its own, so that its children can be ended with it
    lazy: true,
  })
}

class ProcessGroup {
  readonly #pid: number
  readonly #graceMs: number
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(pid: number, graceMs: number) {
    this.#pid = pid
    this.#graceMs = graceMs
    live.add(pid)
  }

  terminate(): void {
    if (this.#timer) return
    signalGroup(this.#pid, 'SIGTERM')
    this.#timer = setTimeout(() => signalGroup(this.#pid, 'SIGKILL'), this.#graceMs)
  }

  /** Ends whatever the leader left behind. */
  sweep(): void {
    clearTimeout(this.#timer)
    signalGroup(this.#pid, 'SIGKILL')
    live.delete(this.#pid)
  }
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch {
    // Already gone, which is what we wanted.
  }
}

function sweepAtExit(): void {
  if (sweeping) return
  sweeping = true
  process.on('exit', () => {
    for (const pid of live) signalGroup(pid, 'SIGKILL')
  })
}

interface Reader {
  readonly done: Promise<void>
  cancel(): void
}

function readLines(stream: ReadableStream<Uint8Array>, options: ProcessOptions, overflow: () => void): Reader {
  const { onLine, maxLineLength = 16 * 1024 * 1024 } = options
  const decoder = new TextDecoder()
  let pieces: string[] = [] // of the line that has no end yet: joined once, so that a long line costs linear time
  let length = 0
  return readChunks(stream, (chunk) => {
    const text = decoder.decode(chunk, { stream: true })
    let start = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      const tail = text.slice(start, end)
      const line = pieces.length ? pieces.join('') + tail : tail
      pieces = []
      length = 0
      start = end + 1
      if (line) onLine(line)
    }
    const rest = start ? text.slice(start) : text
    if (!rest) return true
    length += rest.length
    if (length <= maxLineLength) return pieces.push(rest) > 0
    overflow()
    return false
  })
}

function readTail(stream: ReadableStream<Uint8Array>): Reader & { text(): string } {
  const decoder = new TextDecoder()
  let text = ''
  const reader = readChunks(stream, (chunk) => {
    text = (text + decoder.decode(chunk, { stream: true })).slice(-stderrLength)
    return true
  })
  return { ...reader, text: () => text }
}

function readChunks(stream: ReadableStream<Uint8Array>, onChunk: (chunk: Uint8Array) => boolean): Reader {
  const reader = stream.getReader()
  const cancel = () => void reader.cancel().catch(() => {})
  const done = (async () => {
    for (;;) {
      const { value } = await reader.read().catch(() => ({ value: undefined }))
      if (!value) return
      if (!onChunk(value)) return cancel()
    }
  })()
  return { done, cancel }
}
