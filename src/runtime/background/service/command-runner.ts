import { runProgram } from '../../shell/run-program.ts'
import type { Environment } from '../../shell/shell.ts'

/** How a program of the system ended. */
export interface CommandOutcome {
  /** `undefined` if the program is missing, or was ended by a signal. */
  readonly code: number | undefined
  /** What it wrote to both outputs, trimmed. */
  readonly said: string
}

/** Passes on what a program writes while it runs, until `stopped` aborts. */
export interface Following {
  readonly write: (text: string) => void
  readonly stopped: AbortSignal
}

/** Runs a program of the system by its name, without a shell, until it ends. Does not reject. */
export type CommandRunner = (
  command: string,
  args: readonly string[],
  following?: Following | undefined,
) => Promise<CommandOutcome>

/** Runs the programs that are on the PATH of an environment. Each has a minute, unless it is followed. */
export function createCommandRunner(environment: Environment): CommandRunner {
  return async (command, args, following) => {
    const path = Bun.which(command, { PATH: environment['PATH'] ?? '' })
    if (!path) return { code: undefined, said: `${command} is not there.` }
    const limit = following ? { write: following.write, signal: following.stopped } : { timeoutMs: patienceMs }
    const { code, output, errors } = await runProgram([path, ...args], { env: environment, ...limit })
    return { code, said: (output + errors).trim() }
  }
}

const patienceMs = 60_000
