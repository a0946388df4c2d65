/** A place to write to: a terminal, a pipe, a file. */
export interface Stream {
  write(text: string): void
  readonly isTerminal: boolean
  /** How wide a line may be. */
  readonly columns: number
}

/** Whoever called csp: what a command may know and touch of the process it runs in. */
export interface Shell {
  readonly environment: Environment
  readonly directory: string
  readonly output: Stream
  readonly errors: Stream
  /** All of standard input, as text. */
  input(): Promise<string>
  /** Asks whoever sits there, and gives the line they type; nothing when nobody does. */
  ask(question: string): Promise<string | undefined>
  /** Calls back at each request to stop. Returns how to end that. */
  onSignal(listener: (signal: StopSignal) => void): () => void
}

export type StopSignal = (typeof stopSignals)[number]

/** The shell of this very process. */
export function processShell(): Shell {
  return {
    environment: process.env,
    directory: process.cwd(),
    output: streamOf(process.stdout),
    errors: streamOf(process.stderr),
    input: () => Bun.stdin.text(),
    ask,
    onSignal(listener) {
      for (const signal of stopSignals) process.on(signal, listener)
      return () => {
        for (const signal of stopSignals) process.off(signal, listener)
      }
    },
  }
}

async function ask(question: string): Promise<string | undefined> {
  if (!process.stdin.isTTY) return undefined
  process.stdout.write(question)
  for await (const line of console) return line
  return ''
}

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

function streamOf(stream: NodeJS.WriteStream): Stream {
  return {
    write(text) {
      stream.write(text)
    },
    isTerminal: stream.isTTY === true,
    columns: stream.columns ?? 80,
  }
}

export type Environment = Readonly<Record<string, string | undefined>>

/** How far the caller has gone in asking csp to stop. */
export interface Interruption {
  /** Aborts at the first request to stop; its reason is the signal's name. */
  readonly first: AbortSignal
  /** Aborts at the second: no more waiting. */
  readonly again: AbortSignal
  /** Stops listening. */
  end(): void
}

/** Listens for Ctrl-C and its kin. `now` is in milliseconds and never goes back. */
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

/** One Ctrl-C can arrive several times: the terminal sends it to all, and npm and the launcher pass it on. */
const echoMs = 400

/** How long running searches may take to finish once csp is to stop. */
export const drainMs = 5000
