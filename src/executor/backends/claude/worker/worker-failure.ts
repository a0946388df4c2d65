import { SearchError } from '../../../../domain/error.ts'
import { type Exit, type LineProcess, type ProcessOptions, startProcess } from '../cli/process.ts'

/** Starts the process of a worker. Throws `unavailable` when the program cannot be started. */
export function startOrExplain(options: ProcessOptions): LineProcess {
  try {
    return startProcess(options)
  } catch (error) {
    throw new SearchError('unavailable', 'The Claude CLI cannot be started.', { cause: error })
  }
}

/** Why a worker whose process has ended can do no more. */
export function endedFailure({ code, signal, stderr, reason }: Exit): SearchError {
  if (reason === 'line-too-long') return new SearchError('failed', 'Claude sent a line that is too long.')
  const how = signal ? `by ${signal}` : `with code ${code}`
  return new SearchError('unavailable', `The Claude worker ended ${how}.`, { cause: stderr })
}

/** A worker that runs and says nothing, though it was asked. */
export function silentFailure(cause?: unknown): SearchError {
  return new SearchError('unavailable', 'The Claude worker does not answer.', { cause })
}

/** Tools that its model was to be offered, and is not. */
export function missingTools(names: readonly string[]): SearchError {
  return new SearchError('failed', `Claude did not take these tools: ${names.join(', ')}.`)
}

/** Tools that its model is offered, and was not to be. */
export function strangeTools(names: readonly string[]): SearchError {
  const list = names.join(', ')
  return new SearchError('unavailable', `Claude offers its model tools that csp did not ask for: ${list}.`)
}
