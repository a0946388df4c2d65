import type { Environment } from '../../shell/shell.ts'

/** How a program of the system ended. */
export interface CommandOutcome {
  /** `undefined` where the program is missing, or was ended by a signal. */
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
    const child = Bun.spawn([path, ...args], {
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(following ? { signal: following.stopped } : { timeout: patienceMs }),
    })
    const texts = await Promise.all([child.stdout, child.stderr].map((stream) => textOf(stream, following?.write)))
    await child.exited
    return { code: child.exitCode ?? undefined, said: texts.join('').trim() }
  }
}

const patienceMs = 60_000

async function textOf(stream: ReadableStream<Uint8Array>, write?: (text: string) => void): Promise<string> {
  const decoder = new TextDecoder()
  let all = ''
  for await (const bytes of stream) {
    const text = decoder.decode(bytes, { stream: true })
    if (write) write(text)
    else all += text
  }
  return all
}
