import { fstatSync, statSync } from 'node:fs'
import { ask, askSecret } from './ask.ts'

/** A place to write to: a terminal, a pipe, a file. */
export interface Stream {
  write(text: string): void
  readonly isTerminal: boolean
  /** Maximum width of a line. */
  readonly columns: number
}

/** What a command may read and change of the process it runs in. */
export interface Shell {
  readonly environment: Environment
  readonly directory: string
  readonly output: Stream
  readonly errors: Stream
  /** All of standard input, as text. */
  input(): Promise<string>
  /** Prompts on a terminal and resolves to the typed line; `undefined` when standard input is not a terminal. */
  ask(question: string): Promise<string | undefined>
  /** As `ask`, but the typed text is not shown. */
  askSecret(question: string): Promise<string | undefined>
  /** Calls back on each stop signal. Returns a function that removes the listener. */
  onSignal(listener: (signal: StopSignal) => void): () => void
  /** Calls back when another csp asks for the place of this one. Returns a function that removes the listener. */
  onHandover(listener: () => void): () => void
}

export type StopSignal = (typeof stopSignals)[number]

/** The shell of this process. */
export function processShell(): Shell {
  return {
    environment: process.env,
    directory: process.cwd(),
    output: streamOf(process.stdout),
    errors: streamOf(process.stderr),
    input: () => Bun.stdin.text(),
    ask,
    askSecret,
    onSignal(listener) {
      const outlives = survivesHangup()
      const listeners = stopSignals.map(
        (signal) => [signal, outlives && signal === 'SIGHUP' ? ignore : listener] as const,
      )
      for (const [signal, each] of listeners) process.on(signal, each)
      return () => {
        for (const [signal, each] of listeners) process.off(signal, each)
      }
    },
    onHandover(listener) {
      if (process.platform === 'win32') return () => {}
      process.on(handoverSignal, listener)
      return () => process.off(handoverSignal, listener)
    },
  }
}

/** What `csp restart` sends to the csp whose place the new one takes. Windows has no such signal. */
export const handoverSignal = 'SIGUSR2'

/** On a terminal a hangup is its end. In the background, or under a manager of services, it means nothing. */
function survivesHangup(): boolean {
  return Boolean(process.env['CSP_MANAGER']) || outlivesTerminal()
}

/**
 * Whether the end of the terminal is no reason to stop, as after `nohup csp &`. The signal itself does not show it: node,
 * which starts csp, sets each signal back to its default. But `nohup` leaves no output on the terminal, nor in a pipe.
 */
function outlivesTerminal(): boolean {
  return [process.stdout, process.stderr].every(({ fd }) => {
    try {
      const output = fstatSync(fd)
      return output.isFile() || (output.isCharacterDevice() && output.rdev === statSync('/dev/null').rdev)
    } catch {
      return false
    }
  })
}

function ignore(): void {}

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

function streamOf(stream: NodeJS.WriteStream): Stream {
  return {
    write(text) {
      stream.write(text)
    },
    isTerminal: stream.isTTY === true,
    // A terminal that does not know its width says 0.
    get columns() {
      return stream.columns || 80
    },
  }
}

export type Environment = Readonly<Record<string, string | undefined>>

/** The stop signals that csp has received. */
export interface Interruption {
  /** Aborts on the first stop signal; its reason is the signal's name. */
  readonly first: AbortSignal
  /** Aborts on the second: stop without waiting. */
  readonly again: AbortSignal
  /** Stops listening. */
  end(): void
}

/** Listens for stop signals. `now` is monotonic time, ms. */
export function interruption(
  shell: Pick<Shell, 'onSignal'>,
  now: () => number = () => performance.now(),
): Interruption {
  const first = new AbortController()
  const again = new AbortController()
  let since = 0
  const end = shell.onSignal((signal: StopSignal) => {
    if (!first.signal.aborted) {
      since = now()
      first.abort(signal)
    } else if (now() - since > echoMs) {
      again.abort(signal)
    }
  })
  return { first: first.signal, again: again.signal, end }
}

/** One Ctrl-C can arrive several times: the terminal signals every process, and npm and the launcher forward it. */
const echoMs = 400

/** How long running searches may take to finish after a stop signal. */
export const drainMs = 5000
