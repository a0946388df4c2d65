import { messageOf } from '@csp/lib/errors'
import type { Environment } from './shell.ts'

/** How a program ended. */
export interface ProgramEnd {
  /** `undefined` if it could not be started, or a signal ended it. */
  readonly code: number | undefined
  readonly output: string
  readonly errors: string
}

export interface RunOptions {
  readonly env: Environment
  readonly cwd?: string | undefined
  /** Standard input. Secrets go here, because every user of the machine can read arguments. */
  readonly input?: string | undefined
  readonly timeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** Takes what it writes while it runs, in the place of `output` and `errors`. */
  readonly write?: ((text: string) => void) | undefined
}

/** Runs a program to its end, without a shell, and collects what it writes. Does not reject. */
export async function runProgram(command: readonly string[], options: RunOptions): Promise<ProgramEnd> {
  const { env, cwd, input, timeoutMs, signal, write } = options
  try {
    const child = Bun.spawn([...command], {
      env,
      stdin: input === undefined ? 'ignore' : new Blob([input]),
      stdout: 'pipe',
      stderr: 'pipe',
      ...(cwd !== undefined && { cwd }),
      ...(timeoutMs !== undefined && { timeout: timeoutMs }),
      ...(signal && { signal }),
    })
    const [output, errors] = await Promise.all([
      streamText(child.stdout, write),
      streamText(child.stderr, write),
      child.exited,
    ])
    return { code: child.exitCode ?? undefined, output, errors }
  } catch (error) {
    return { code: undefined, output: '', errors: messageOf(error) }
  }
}

async function streamText(stream: ReadableStream<Uint8Array>, write?: (text: string) => void): Promise<string> {
  if (!write) return new Response(stream).text()
  const decoder = new TextDecoder()
  for await (const bytes of stream) write(decoder.decode(bytes, { stream: true }))
  return ''
}
