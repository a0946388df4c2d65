import { main } from '../../src/runtime/cli/main.ts'
import { type TestShellOptions, testShell } from './test-shell.ts'

export interface Outcome {
  readonly output: string
  readonly errors: string
  readonly code: number
}

/** Runs a command of csp in this process, at a tenth of what a process of its own costs. */
export async function runHere(args: readonly string[], options: TestShellOptions): Promise<Outcome> {
  const shell = testShell(options)
  const code = await main(args, shell)
  return { output: shell.printed(), errors: shell.complaints(), code }
}
