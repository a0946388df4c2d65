import type { FileSink, Subprocess } from 'bun'
import { LineCutter } from '../../../../lib/lines.ts'

export interface ProcessOptions {
  /** Program and arguments. They must contain nothing that a caller wrote: arguments show in the process list. */
  readonly command: readonly string[]
  /** The whole environment of the child. */
  readonly environment: Readonly<Record<string, string>>
  readonly directory: string
  /** Called for each non-empty line of standard output, in order and without its newline. Must not throw. */
  readonly onLine: (line: string) => void
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
  readonly running: boolean
  /** SIGTERM to the group now, SIGKILL after the grace period. Settles once the process is gone. Idempotent. */
  stop(): Promise<Exit>
}

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
  const output = readLines(child.stdout, { ...options, onOverflow: () => stop('line-too-long') })
  const errors = readTail(child.stderr)
  // A child that has closed its output will write nothing more: do not wait for it.
  void output.done.then(() => Bun.sleep(eofGraceMs)).then(() => stop('stopped'))

  const exited = (async (): Promise<Exit> => {
    await child.exited
    // A grandchild may keep the pipes open: do not wait for it.
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
    write: (line) => send(child.stdin, line),
    closeInput: () => attempt(() => child.stdin.end()),
    stop() {
      stop('stopped')
      return exited
    },
  }
}

const eofGraceMs = 300

type Child = Subprocess<'pipe', 'pipe', 'pipe'>

function spawn({ command, environment, directory }: ProcessOptions): Child {
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
    notifyReaper(`+ ${pid}`)
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
    notifyReaper(`- ${this.#pid}`)
  }
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch {
    // Already gone.
  }
}

/** `null` where there is no shell. */
let reaper: Subprocess<'pipe', 'ignore', 'ignore'> | null | undefined

/**
 * The reaper is a shell that outlives this process by a moment and kills the groups that it left behind: any end of this
 * process, even SIGKILL, closes the reaper's input. A CLI does not stop when its own input closes: in the middle of a
 * call it runs on until the call is over.
 */
function notifyReaper(line: string): void {
  if (reaper === undefined) reaper = startReaper()
  if (reaper) send(reaper.stdin, line)
}

function startReaper(): Subprocess<'pipe', 'ignore', 'ignore'> | null {
  const silent = { stdin: 'pipe', stdout: 'ignore', stderr: 'ignore' } as const
  try {
    // A group of its own, so that Ctrl-C does not reach it.
    const shell = Bun.spawn(['/bin/sh', '-c', reaperScript], { env: {}, cwd: '/', detached: true, ...silent })
    shell.unref()
    return shell
  } catch {
    return null
  }
}

const reaperScript = `groups=' '
while read -r sign group; do
  case $sign in
    +) groups="$groups$group " ;;
    -) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
for group in $groups; do kill -KILL "-$group"; done`

function send(input: FileSink, line: string): void {
  attempt(() => input.write(`${line}\n`))
  attempt(() => input.flush())
}

/** Writing to a child that has just died throws or rejects. Its exit is reported elsewhere. */
function attempt(write: () => unknown): void {
  void (async () => write())().catch(() => {})
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
function readLines(stream: ReadableStream<Uint8Array>, options: LineOptions): OutputReader {
  const { onLine, onOverflow, maxLineLength = 16 * 1024 * 1024 } = options
  const cutter = new LineCutter(maxLineLength)
  return readChunks(stream, (chunk) => {
    for (const line of cutter.take(chunk)) if (line) onLine(line)
    if (cutter.isOverlong) onOverflow()
    return !cutter.isOverlong
  })
}

/** Reads everything and keeps the last 8 Ki characters. */
function readTail(stream: ReadableStream<Uint8Array>): OutputReader & { text(): string } {
  const decoder = new TextDecoder()
  let text = ''
  const reader = readChunks(stream, (chunk) => {
    text = (text + decoder.decode(chunk, { stream: true })).slice(-tailLength)
    return true
  })
  return { ...reader, text: () => text }
}

const tailLength = 8192

function readChunks(stream: ReadableStream<Uint8Array>, onChunk: (chunk: Uint8Array) => boolean): OutputReader {
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
