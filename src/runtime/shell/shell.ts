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
