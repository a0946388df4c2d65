import { UsageError } from '../../config/usage-error.ts'
import { csp } from '../../shell/program.ts'
import type { Shell, Stream } from '../../shell/shell.ts'
import { styleFor } from '../../shell/terminal.ts'
import { wrapped } from '../../shell/wrapped-text.ts'
import { type Invocation, type OptionDefinitions, oneOf } from '../command.ts'
import { confirm } from '../confirm.ts'

export const initOptions = {
  yes: { short: 'y', help: `Ask nothing: set up all clients found, and run ${csp} start` },
  clients: { hint: 'NAMES', help: 'Clients to set up: claude-code, cursor, openclaw, …; or none' },
  serve: {
    hint: 'HOW',
    help: 'service: now and at each login; background: now; no: not at all',
    parse: oneOf(['service', 'background', 'no']),
  },
  noSearch: { help: 'Skip the test search' },
  json: { help: 'Print JSON' },
} satisfies OptionDefinitions

export interface InitCall extends Invocation<typeof initOptions> {
  /** The user accepted the whole plan and is at a terminal. */
  readonly isAttended?: true | undefined
}

/** Asks, or with `--yes` does not. Throws a `UsageError` where nobody can be asked. */
export async function isWanted({ shell, options }: InitCall, question: string): Promise<boolean> {
  if (options.yes) return true
  return confirm(shell, question, { usual: 'yes', instead: cannotPrompt })
}

/** Throws a `UsageError` where nobody can be asked. */
export async function answerTo(shell: Shell, question: string): Promise<string> {
  const reply = await shell.ask(question)
  if (reply !== undefined) return reply.trim()
  throw new UsageError(cannotPrompt)
}

const cannotPrompt = `Not a terminal: cannot prompt. ${csp} init --yes asks nothing; --clients, --serve and --no-search say what it does.`

/** The title of a step. */
export function heading({ shell }: InitCall, title: string): void {
  const { bold } = styleFor(shell.output.isTerminal, shell.environment)
  shell.output.write(`${bold(title)}\n`)
}

export function say({ shell }: InitCall, text: string): void {
  shell.output.write(wrapped(`${text}\n`, shell.output))
}

/** Work that runs beside the rest. */
export interface BackgroundWork<Result> {
  /** Shows what it has printed so far, and everything it prints from then on. Throws what the work throws. */
  result(): Promise<Result>
}

/** Starts work beside the rest. Its output is held back until `result` is called. */
export function inBackground<Result>(
  call: InitCall,
  work: (call: InitCall) => Promise<Result>,
): BackgroundWork<Result> {
  const output = heldBack(call.shell.output)
  const errors = heldBack(call.shell.errors)
  const result = work({ ...call, shell: { ...call.shell, output, errors } })
  // `result` throws it.
  result.catch(() => {})
  return {
    result() {
      output.release()
      errors.release()
      return result
    },
  }
}

function heldBack(stream: Stream): Stream & { release(): void } {
  let held: string[] | undefined = []
  return {
    ...stream,
    write: (text) => void (held ? held.push(text) : stream.write(text)),
    release() {
      for (const text of held ?? []) stream.write(text)
      held = undefined
    },
  }
}
