import type { Shell } from '../../shell/shell.ts'
import type { WranglerResult } from './wrangler.ts'

/** A step that cannot be done. The message says what to do; what was done before it stays, and is found again. */
export class StepError extends Error {
  override readonly name = 'StepError'
}

/** Throws a `StepError` with what wrangler said, when it failed. */
export function mustSucceed(result: WranglerResult, step: string): WranglerResult {
  if (result.code === 0) return result
  const said = (result.errors.trim() || result.output.trim()).split('\n').slice(-12).join('\n')
  throw new StepError(`${step} failed. wrangler said:\n${said}\nMend it and run csp setup edge again.`)
}

/** Says that a step is done. */
export function tick(shell: Shell, text: string): void {
  shell.output.write(`✓ ${text}\n`)
}
