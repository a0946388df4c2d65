import type { Shell, StopSignal } from '../../src/runtime/shell/shell.ts'

export interface TestShell extends Shell {
  /** All that was written to `output` and `errors`. */
  readonly printed: () => string
  readonly complaints: () => string
  /** What a Ctrl-C or a kill would do. */
  send(signal: StopSignal): void
  /** Settles once `output` or `errors` holds the text. */
  says(text: string): Promise<void>
}

export interface TestShellOptions {
  readonly environment: Readonly<Record<string, string>>
  readonly directory: string
  readonly isTerminal?: boolean | undefined
  readonly columns?: number | undefined
  readonly input?: string | undefined
  /** The answer to each question, or the answers in their order, the last one again. Absent: not a terminal. */
  readonly reply?: string | readonly string[] | undefined
}

/** A shell that keeps what is written to it. */
export function testShell({
  environment,
  directory,
  isTerminal = false,
  columns = 80,
  input = '',
  reply,
}: TestShellOptions): TestShell {
  const listeners = new Set<(signal: StopSignal) => void>()
  const waiting = new Map<string, () => void>()
  let printed = ''
  let complaints = ''
  let asked = 0
  const answer = async (question: string) => {
    printed += question
    return typeof reply === 'object' ? reply[Math.min(asked++, reply.length - 1)] : reply
  }
  const stream = (keep: (text: string) => void) => ({
    write(text: string) {
      keep(text)
      for (const [wanted, resolve] of waiting) if (`${printed}\n${complaints}`.includes(wanted)) resolve()
    },
    isTerminal,
    columns,
  })
  return {
    environment,
    directory,
    output: stream((text) => {
      printed += text
    }),
    errors: stream((text) => {
      complaints += text
    }),
    input: async () => input,
    ask: answer,
    askSecret: answer,
    onSignal(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    onHandover: () => () => {},
    printed: () => printed,
    complaints: () => complaints,
    send(signal) {
      for (const listener of listeners) listener(signal)
    },
    says: (text) =>
      new Promise((resolve) => {
        if (`${printed}\n${complaints}`.includes(text)) resolve()
        else waiting.set(text, resolve)
      }),
  }
}
